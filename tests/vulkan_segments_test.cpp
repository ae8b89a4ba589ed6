// Segmented scans as a caller of Vulkan sees them: operators compiled with the program, errors, workspaces,
// limits. The CPU's tests of segments run in vulkan_scan_test (shader/segmented_scan_test.cpp).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "matrix_product_text.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "support/segment_scans.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

// Few groups, and bindings that hold little more than a tile: windows of heads, of what describes them, of
// elements.
TEST(vulkan_segments, small_limits) {
    unsigned turn = 0;
    for (const bool few_groups : {true, false}) {
        vulkan::executor_options options = vulkan_device::get().options();
        if (few_groups) {
            options.max_groups_x = 3;
            options.max_groups_y = 2;
        } else {
            options.max_binding_bytes = 70000;
        }
        vulkan_scanner scans(options);
        for (const std::size_t n :
             {std::size_t{3}, std::size_t{8193}, std::size_t{vulkan_quick() ? 30001u : 70001u}}) {
            for (int k = 0; k < (vulkan_quick() ? 2 : 5); ++k, ++turn)
                check_segments<float, plus>(scans, n, turn % 2 == 0 ? 30 : 20000, turn * 5 % 16, 0.3f);
        }
        EXPECT_GT(scans.stages().size(), 5u);
    }
}

// 34 supers of pairs, of which twenty are folded a dispatch.
TEST(vulkan_segments, many_supers) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_supers_per_dispatch = 20;
    options.way = vulkan::sequence_way::reduce_then_scan;
    vulkan_scanner scans(options);
    check_segments<float, plus>(scans, 33 * 131072 + 5, 400000, 4 + 8, 0.3f);
    EXPECT_EQ(scans.stages(), (std::vector<std::string>{"mark_heads", "tile_totals", "super_totals",
                                                        "super_prefixes", "super_prefixes", "tile_scan"}));
}

// Of four words; it does not commute, and nothing is known about it.
TEST(vulkan_segments, an_operator_of_the_callers) {
    vulkan_scanner scans;
    scans.settings.user = &matrix_product_text;
    const matrix initial{{3, 1, 4, 1}};
    for (unsigned mode = 0; mode < 16; mode += vulkan_quick() ? 3 : 1) {
        const std::size_t sizes[] = {5, 300, 4099, 9001};
        check_segments<matrix, matrix_product>(scans, sizes[mode % 4], mode % 3 == 0 ? 7 : 2000, mode,
                                               initial);
    }
    if (!vulkan_quick()) check_segments<matrix, matrix_product>(scans, 140001, 40000, 0, initial);
}

TEST(vulkan_segments, what_is_wrong_is_said) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096), other(4096), words(4096), space(4096);
    const vulkan::buffer_span<float> in{memory.handle(), 60, 0}, out{other.handle(), 60, 0};
    const auto flags = [&](std::uint64_t n, std::uint64_t offset = 0) {
        return vulkan::buffer_span<std::uint32_t>{words.handle(), n, offset};
    };
    const auto needed = vulkan::segmented_scan_workspace<float>(ex, 60);
    const vulkan::workspace_span scratch{space.handle(), needed.bytes, 0};
    const auto refused = [&](const std::string& text, const auto& segments, const auto& from, const auto& to,
                             const vulkan::workspace_span& workspace) {
        expect_refused(
            text, [&] { (void)vulkan::prepare_inclusive_segmented_scan(ex, segments, from, to, workspace); });
    };
    const vulkan::by_head_flags good(flags(60));
    refused("segments: expected 60 head flags, one an element, but there are 59",
            vulkan::by_head_flags(flags(59)), in, out, scratch);
    refused("segments: expected 60 keys, one an element, but there are 30",
            vulkan::by_keys(vulkan::buffer_span<std::uint64_t>{words.handle(), 30, 0}), in, out, scratch);
    refused("segments: expected at least one offset", vulkan::by_offsets(flags(0)), in, out, scratch);
    refused("segments: expected an offset that is a multiple of 4 bytes", vulkan::by_offsets(flags(4, 2)), in,
            out, scratch);
    refused("segments: expected a buffer",
            vulkan::by_head_flags(vulkan::buffer_span<std::uint32_t>{VK_NULL_HANDLE, 60, 0}), in, out,
            scratch);
    refused("out: expected 60 elements, as many as in, but it has 59", good, in,
            vulkan::buffer_span<float>{other.handle(), 59, 0}, scratch);
    refused("out: overlaps in", good, in, vulkan::buffer_span<float>{memory.handle(), 60, 4}, scratch);
    refused("out: overlaps segments", good, in, vulkan::buffer_span<float>{words.handle(), 60, 4}, scratch);
    refused("workspace: expected a buffer", good, in, out, {});
    refused("workspace: expected " + std::to_string(needed.bytes) + " bytes", good, in, out,
            {space.handle(), needed.bytes - 1, 0});
    refused("workspace: overlaps in", good, in, out, {memory.handle(), needed.bytes, 0});
    refused("workspace: overlaps segments", good, in, out, {words.handle(), needed.bytes, 0});
    const vulkan::buffer_span<matrix> matrices{memory.handle(), 15, 0}, to{other.handle(), 15, 0};
    expect_refused("options.initial: ", [&] {
        (void)vulkan::prepare_exclusive_segmented_scan(ex, vulkan::by_head_flags(flags(15)), matrices, to, {},
                                                       matrix_product_text);
    });
    const vulkan::buffer_span<float> nothing{};
    EXPECT_EQ(
        vulkan::prepare_inclusive_segmented_scan(ex, vulkan::by_head_flags(flags(0)), nothing, nothing, {})
            .dispatch_count(),
        0u);
}

}  // namespace
}  // namespace upsweep::test
