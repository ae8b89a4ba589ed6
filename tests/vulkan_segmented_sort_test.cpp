// Sorting segments in Vulkan (support/shader_segmented_sorts.hpp), and errors.
#include <gtest/gtest.h>

#include <cstdint>

#include "support/refused.hpp"
#include "support/shader_segmented_sorts.hpp"
#include "support/vulkan_sorter.hpp"
#include "upsweep/vulkan/segmented_sort.hpp"

namespace upsweep::test {
namespace {

// The stages use no subgroups.
INSTANTIATE_TYPED_TEST_SUITE_P(vulkan, shader_segmented_sort, vulkan_sorter<vulkan::subgroup_use::required>);

TEST(vulkan_segmented_sort, errors) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(1 << 16), scratch(1 << 16);
    const auto words = [&](std::uint64_t size, VkDeviceSize offset) {
        return vulkan::buffer_span<std::uint32_t>{memory.handle(), size, offset};
    };
    const vulkan::workspace_span workspace{scratch.handle(), 1 << 16, 0};
    const auto in = words(100, 0), out = words(100, 4096), values = words(100, 8192),
               moved = words(100, 12288);
    const vulkan::by_head_flags flags(words(100, 16384));
    const vulkan::by_offsets offsets(words(101, 16384));
    const auto refused = [&](const char* beginning, auto segments, auto from, auto to,
                             const vulkan::workspace_span& with, const vulkan::sort_options& options = {}) {
        expect_refused(beginning,
                       [&] { (void)prepare_segmented_sort(ex, segments, from, to, with, options); });
    };
    EXPECT_NO_THROW((void)prepare_segmented_sort(ex, flags, in, in, workspace));
    EXPECT_NO_THROW((void)prepare_segmented_sort_by_key(ex, offsets, in, values, in, values, workspace));
    EXPECT_NO_THROW(
        (void)prepare_segmented_sort(ex, vulkan::by_head_flags(words(0, 0)), words(0, 0), {}, {}));
    refused("out: expected 100 elements, as many as in, but it has 99", flags, in, words(99, 4096),
            workspace);
    refused("segments: expected 100 head flags", vulkan::by_head_flags(words(99, 16384)), in, out, workspace);
    refused("segments: expected 100 keys", vulkan::by_keys(words(101, 16384)), in, out, workspace);
    refused("segments: expected at least one offset", vulkan::by_offsets(words(0, 16384)), in, out,
            workspace);
    refused("out: overlaps segments", flags, in, words(100, 16380), workspace);
    refused("options.length: expected none with offsets", offsets, in, out, workspace, {.length = moved});
    refused("workspace: expected a buffer", flags, in, out, {});
    refused("workspace: expected", flags, in, out, {scratch.handle(), 3, 0});
    refused("workspace: overlaps segments", flags, in, out, {memory.handle(), 1 << 12, 16384});
    refused("segments: expected a buffer", vulkan::by_offsets(vulkan::buffer_span<std::uint32_t>{{}, 3, 0}),
            in, out, workspace);
    refused("segments: expected an offset",
            vulkan::by_keys(vulkan::buffer_span<std::uint64_t>{memory.handle(), 100, 16388}), in, out,
            workspace);
    const auto absurd = vulkan::by_offsets(words(std::uint64_t{1} << 62, 0));
    refused("segments: expected fewer than 2^62 bytes", absurd, in, out, workspace);
    expect_refused("out: overlaps in",
                   [&] { (void)prepare_segmented_sort_indices(ex, flags, in, in, workspace); });
    expect_refused("values_out: overlaps segments", [&] {
        (void)prepare_segmented_sort_by_key(ex, flags, in, values, out, words(100, 16384), workspace);
    });
}

}  // namespace
}  // namespace upsweep::test
