// Extraction of bins in Vulkan.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "residues.hpp"
#include "shader/bins_tests.hpp"
#include "shader/residues.hpp"
#include "shader/vulkan_bins_device.hpp"
#include "support/vulkan_pipeline.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(vulkan, shader_bins, vulkan_bins_device);

// Records and indices by a bin function of the user's, which reads the user's own buffer.
TEST(vulkan_bins, by_a_function_of_the_users) {
    vulkan_bins_device device;
    const std::vector<std::uint32_t> values = words_for_residues(9'001);
    const vulkan_buffer in(4 * values.size());
    std::copy(values.begin(), values.end(), in.as<std::uint32_t>(values.size()).begin());
    const buffer_set buffers(vulkan_device::get().device(), {in.handle()});
    const vulkan::bin_stages stages(device.executor(), residues, buffers.layout());
    std::vector<std::uint32_t> all(values.size());
    std::iota(all.begin(), all.end(), 0u);
    const auto records = device.memory(records_at(all), 1);
    for (const std::size_t bins : {1u, 30u, 256u, 5000u}) {
        const auto needed = vulkan::bins_by_workspace(device.executor(), bins, values.size());
        EXPECT_EQ(needed.usage, VkBufferUsageFlags{VK_BUFFER_USAGE_STORAGE_BUFFER_BIT});
        const auto workspace = device.memory<std::byte>(needed.bytes);
        for (const std::size_t n : {0u, 1u, 4097u, 9'001u}) {
            for (const std::uint32_t divisor : {29u, 1'000'000u}) {
                SCOPED_TRACE(std::to_string(bins) + " bins, " + std::to_string(n));
                const residue_order expected = order_residues(values, n, divisor, bins);
                const auto offsets = device.memory<std::uint32_t>(bins + 1, 1);
                const auto indices = device.memory<std::uint32_t>(expected.indices.size(), 1);
                device.run(vulkan::prepare_bin_indices_by(stages, buffers.set(), n, indices.span(),
                                                          offsets.span(), workspace.span(),
                                                          {.user = {divisor}}));
                EXPECT_EQ(indices.read(), expected.indices);
                EXPECT_EQ(offsets.read(), expected.offsets);
                const auto packed = device.memory<three_words>(expected.indices.size(), 1);
                const auto length = device.memory(std::vector<std::uint32_t>{static_cast<std::uint32_t>(n)});
                device.run(vulkan::prepare_bins_by(stages, buffers.set(), records.span(), packed.span(),
                                                   offsets.span(), workspace.span(),
                                                   {.length = length.span(), .user = {divisor}}));
                EXPECT_EQ(packed.read(), records_at(expected.indices));
                EXPECT_EQ(offsets.read(), expected.offsets);
            }
        }
    }
    expect_refused("offsets: expected at least 2, one more than bins",
                   [&] { (void)vulkan::prepare_bin_indices_by(stages, buffers.set(), 1, {}, {}, {}); });
}

TEST(vulkan_bins, refuses) {
    vulkan_bins_device device;
    const auto in = device.memory(std::vector<std::uint32_t>(100, 1));
    const auto out = device.memory<std::uint32_t>(100), offsets = device.memory<std::uint32_t>(5);
    const auto needed = vulkan::bins_workspace<std::uint32_t>(device.executor(), 4, 100);
    const auto workspace = device.memory<std::byte>(needed.bytes);
    using span = vulkan::buffer_span<std::uint32_t>;
    const auto call = [&](span from, span to, span begins, vulkan::workspace_span scratch,
                          const vulkan::bins_options& options = {}) {
        return [&device, from, to, begins, scratch, options] {
            (void)vulkan::prepare_bins(device.executor(), from, to, begins, scratch,
                                       bin_range<std::uint32_t>{0, 8, 4}, options);
        };
    };
    const span from = in.span(), to = out.span(), begins = offsets.span();
    const vulkan::workspace_span scratch = workspace.span();
    expect_refused("out: overlaps in", call(from, {from.buffer, 10, from.offset + 200}, begins, scratch));
    expect_refused("offsets: overlaps in", call(from, to, {from.buffer, 5, from.offset}, scratch));
    expect_refused("out: overlaps offsets", call(from, to, {to.buffer, 5, to.offset + 380}, scratch));
    expect_refused("out: overlaps options.length",
                   call(from, to, begins, scratch, {.length = {to.buffer, 1, to.offset + 4}}));
    expect_refused("workspace: expected",
                   call(from, to, begins, {scratch.buffer, needed.bytes - 4, scratch.offset}));
    expect_refused("workspace: expected a buffer", call(from, to, begins, {}));
    expect_refused("in: expected a buffer", call({VK_NULL_HANDLE, 10, 0}, to, begins, scratch));
    expect_refused("out: expected a buffer", call(from, {VK_NULL_HANDLE, 10, 0}, begins, scratch));
    expect_refused("offsets: expected a buffer", call(from, to, {VK_NULL_HANDLE, 5, 0}, scratch));
    expect_refused("offsets: expected an offset that is a multiple of 4 bytes",
                   call(from, to, {begins.buffer, 5, 514}, scratch));
    expect_refused("in: expected fewer than 2^62 bytes",
                   call({from.buffer, std::uint64_t{1} << 62, 0}, to, begins, scratch));
    expect_refused("in: expected fewer than 4294967296 elements",
                   call({from.buffer, std::uint64_t{1} << 32, 0}, to, begins, scratch), errc::unsupported);
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(offsets.untouched());
}

}  // namespace
}  // namespace upsweep::test
