// Sorting in Vulkan (support/shader_sorts.hpp), and errors.
#include <gtest/gtest.h>

#include <cstdint>

#include "support/refused.hpp"
#include "support/shader_sorts.hpp"
#include "support/vulkan_sorter.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(subgroups, shader_sort, vulkan_sorter<vulkan::subgroup_use::required>);
INSTANTIATE_TYPED_TEST_SUITE_P(no_subgroups, shader_sort, vulkan_sorter<vulkan::subgroup_use::off>);

TEST(vulkan_sort, errors) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(1 << 16), scratch(1 << 16);
    const auto words = [&](std::uint64_t size, VkDeviceSize offset) {
        return vulkan::buffer_span<std::uint32_t>{memory.handle(), size, offset};
    };
    const vulkan::workspace_span workspace{scratch.handle(), 1 << 16, 0};
    const auto in = words(100, 0), out = words(100, 4096), values = words(100, 8192),
               moved = words(100, 12288);
    const auto by_key = [&](auto keys, auto with, auto to, auto with_to) {
        return [=, &ex] { (void)prepare_sort_by_key(ex, keys, with, to, with_to, workspace); };
    };
    EXPECT_NO_THROW((void)prepare_sort(ex, in, out, workspace));
    EXPECT_NO_THROW((void)prepare_sort(ex, in, in, workspace));
    EXPECT_NO_THROW(by_key(in, values, in, values)());
    EXPECT_NO_THROW((void)prepare_sort(ex, words(0, 0), {}, {}));
    expect_refused("out: expected 100 elements, as many as in, but it has 99",
                   [&] { (void)prepare_sort(ex, in, words(99, 4096), workspace); });
    expect_refused("out: expected a buffer", [&] { (void)prepare_sort(ex, in, {{}, 100, 0}, workspace); });
    expect_refused("out: overlaps in", [&] { (void)prepare_sort(ex, in, words(100, 4), workspace); });
    expect_refused("out: overlaps in", [&] { (void)prepare_sort_indices(ex, in, in, workspace); });
    expect_refused("values: expected 100 elements, as many as keys", by_key(in, words(99, 8192), out, moved));
    expect_refused("values_out: expected 100 elements", by_key(in, values, out, words(101, 12288)));
    expect_refused("keys_out: overlaps values", by_key(in, values, values, moved));
    expect_refused("values_out: overlaps keys", by_key(in, values, out, in));
    expect_refused("values_out: overlaps keys_out", by_key(in, values, out, out));
    expect_refused("values_out: overlaps values", by_key(in, values, out, words(100, 8196)));
    expect_refused("workspace: expected a buffer", [&] { (void)prepare_sort(ex, in, out, {}); });
    expect_refused("workspace: expected", [&] { (void)prepare_sort(ex, in, out, {scratch.handle(), 8, 0}); });
    expect_refused("workspace: expected an offset", [&] {
        (void)prepare_sort(ex, in, out, {scratch.handle(), 1 << 15, 4});
    });
    expect_refused("workspace: overlaps in", [&] {
        (void)prepare_sort(ex, in, out, {memory.handle(), 1 << 16, 0});
    });
    expect_refused("out: overlaps options.length",
                   [&] { (void)prepare_sort(ex, in, out, workspace, {.length = words(1, 4096)}); });
    expect_refused("options.length: expected one word",
                   [&] { (void)prepare_sort(ex, in, out, workspace, {.length = words(0, 16384)}); });
    const vulkan::buffer_span<double> doubles{memory.handle(), 10, 4};
    expect_refused("in: expected an offset that is a multiple of 8 bytes", [&] {
        (void)prepare_sort(ex, doubles, {memory.handle(), 10, 4096}, workspace);
    });
    const auto huge = words(std::uint64_t{1} << 32, 0);
    expect_refused(
        "in: expected fewer than 4294967296 elements", [&] { (void)prepare_sort(ex, huge, huge, workspace); },
        errc::unsupported);
    const auto absurd = words(std::uint64_t{1} << 62, 0);
    expect_refused("in: expected fewer than 2^62 bytes",
                   [&] { (void)prepare_sort(ex, absurd, absurd, workspace); });
}

}  // namespace
}  // namespace upsweep::test
