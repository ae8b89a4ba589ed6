// Histograms in Vulkan.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "residues.hpp"
#include "shader/histogram_tests.hpp"
#include "shader/residues.hpp"
#include "shader/vulkan_bins_device.hpp"
#include "support/vulkan_pipeline.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(vulkan, shader_histogram, vulkan_bins_device);

// A bin function of the user's, which reads the user's own buffer.
TEST(vulkan_histogram, by_a_function_of_the_users) {
    vulkan_bins_device device;
    const std::vector<std::uint32_t> values = words_for_residues(30'001);
    const vulkan_buffer in(4 * values.size());
    std::copy(values.begin(), values.end(), in.as<std::uint32_t>(values.size()).begin());
    const buffer_set buffers(vulkan_device::get().device(), {in.handle()});
    const vulkan::bin_stages stages(device.executor(), residues, buffers.layout());
    for (const std::size_t bins : {1u, 30u, 5000u, 40'000u}) {
        for (const std::size_t n : {0u, 1u, 4097u, 30'001u}) {
            for (const std::uint32_t divisor : {29u, 10'000u}) {
                const auto counts = device.memory<std::uint32_t>(bins, 1);
                device.run(vulkan::prepare_histogram_by(stages, buffers.set(), n, counts.span(),
                                                        {.user = {divisor}}));
                EXPECT_EQ(counts.read(), count_residues(values, n, divisor, bins)) << bins << " bins, " << n;
            }
        }
    }
    const auto length = device.memory(std::vector<std::uint32_t>{9'999});
    const auto counts = device.memory<std::uint32_t>(10);
    device.run(vulkan::prepare_histogram_by(stages, buffers.set(), values.size(), counts.span(),
                                            {.length = length.span(), .user = {10}}));
    EXPECT_EQ(counts.read(), count_residues(values, 9'999, 10, 10));
    EXPECT_EQ(vulkan::prepare_histogram_by(stages, buffers.set(), 5, {}).dispatch_count(), 0u);  // no bins
}

TEST(vulkan_histogram, refuses) {
    vulkan_bins_device device;
    const auto in = device.memory(std::vector<std::uint32_t>(100, 1));
    const auto counts = device.memory<std::uint32_t>(4);
    const auto workspace = device.memory<std::byte>(16);
    const vulkan::buffer_span<std::uint32_t> from = in.span(), good = counts.span();
    const bin_range<std::uint32_t> range{0, 8, 4};
    const auto call = [&](vulkan::buffer_span<std::uint32_t> elements, vulkan::buffer_span<std::uint32_t> to,
                          vulkan::workspace_span scratch, const vulkan::histogram_options& options = {}) {
        return [&device, elements, to, scratch, range, options] {
            (void)vulkan::prepare_histogram(device.executor(), elements, to, scratch, range, options);
        };
    };
    const vulkan::workspace_span scratch = workspace.span();
    expect_refused("counts: overlaps in", call(from, {from.buffer, 4, from.offset + 4 * 96}, scratch));
    expect_refused("counts: overlaps options.length",
                   call(from, good, scratch, {.length = {good.buffer, 1, good.offset}}));
    expect_refused("workspace: overlaps in", call(from, good, {from.buffer, 16, from.offset}));
    expect_refused("options.length: expected one word, but it has none",
                   call(from, good, scratch, {.length = {from.buffer, 0, from.offset}}));
    expect_refused("workspace: expected 16 bytes, but it has 8",
                   call(from, good, {scratch.buffer, 8, scratch.offset}));
    expect_refused("workspace: expected a buffer", call(from, good, {}));
    expect_refused("in: expected a buffer", call({VK_NULL_HANDLE, 10, 0}, good, scratch));
    expect_refused("counts: expected a buffer", call(from, {VK_NULL_HANDLE, 4, 0}, scratch));
    expect_refused("in: expected an offset that is a multiple of 4 bytes, but it is 514",
                   call({from.buffer, 10, 514}, good, scratch));
    expect_refused("counts: expected an offset that is a multiple of 4 bytes",
                   call(from, {good.buffer, 4, 514}, scratch));
    expect_refused("in: expected fewer than 4294967296 elements",
                   call({from.buffer, std::uint64_t{1} << 32, 0}, good, scratch), errc::unsupported);
    expect_refused("bins: expected SPIR-V of count_bins",
                   [&] { const vulkan::bin_stages stages(device.executor(), {}, VK_NULL_HANDLE); });
    expect_refused("layout: expected a descriptor set layout",
                   [&] { const vulkan::bin_stages stages(device.executor(), residues, VK_NULL_HANDLE); });
    EXPECT_TRUE(counts.untouched());
}

// What the workspace must be for, and one recording several times over: the thresholds are written each time.
TEST(vulkan_histogram, recorded_again) {
    vulkan_bins_device device;
    const auto needed = vulkan::histogram_workspace<double>(device.executor(), 20'000);
    EXPECT_EQ(needed.bytes, 160'000u);  // more than one vkCmdUpdateBuffer may write
    EXPECT_EQ(needed.usage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const auto in = device.memory(std::vector<double>(1000, 0.25));
    const auto first = device.memory<std::uint32_t>(20'000), second = device.memory<std::uint32_t>(8);
    const auto workspace = device.memory<std::byte>(needed.bytes);
    const vulkan::commands many = vulkan::prepare_histogram(
        device.executor(), in.span(), first.span(), workspace.span(), bin_range<double>{0, 1, 20'000});
    const vulkan::commands few = vulkan::prepare_histogram(device.executor(), in.span(), second.span(),
                                                           workspace.span(), bin_range<double>{0, 1, 8});
    const std::vector<const vulkan::commands*> sequence{&many, &few, &many, &few, &few, &many};
    vulkan::run(device.executor(), vulkan_device::get().queue(), sequence);
    EXPECT_EQ(first.read()[5000], 1000u);
    EXPECT_EQ(second.read(), (std::vector<std::uint32_t>{0, 0, 1000, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace upsweep::test
