// Scans along an axis as a caller of Vulkan sees them: operators compiled with the program, errors,
// workspaces, limits. The CPU's tests of axes run in vulkan_scan_test (shader/axis_scan_test.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "matrix_product_text.hpp"
#include "support/axis_check.hpp"
#include "support/axis_executor.hpp"
#include "support/axis_total_check.hpp"
#include "support/monoids.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using host = axis_executor<vulkan_scanner>;

// Sums over all rectangles that begin in the upper left corner: along the rows, then along the columns, in
// place.
TEST(vulkan_axis, a_summed_area_table) {
    constexpr std::int64_t height = 37, width = 301;
    const vulkan_buffer memory(height * width * 4 + 20);
    const auto picture = memory.as<std::uint32_t>(height * width, 20);
    random_bits random(3);
    for (std::uint32_t& pixel : picture) pixel = static_cast<std::uint32_t>(random.below(256));
    std::vector<std::uint32_t> expected(picture.begin(), picture.end());
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            std::uint32_t& sum = expected[y * width + x];
            if (x != 0) sum += expected[y * width + x - 1];
            if (y != 0) sum += expected[(y - 1) * width + x];
            if (x != 0 && y != 0) sum -= expected[(y - 1) * width + x - 1];
        }
    }
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan::buffer_view<std::uint32_t> table(memory.handle(), 20, {height, width});
    EXPECT_EQ(vulkan::axis_scan_workspace(ex, table, table, 1).bytes, 4u);
    const vulkan::commands rows = vulkan::prepare_inclusive_scan(ex, table, table, 1, {});
    const vulkan::commands columns = vulkan::prepare_inclusive_scan(ex, table, table, 0, {});
    vulkan::run(ex, vulkan_device::get().queue(), std::array{&rows, &columns});
    EXPECT_EQ(std::vector<std::uint32_t>(picture.begin(), picture.end()), expected);
}

// The way that was asked for runs, in and out of place, backwards too.
TEST(vulkan_axis, every_way) {
    vulkan_scanner scans;
    const extents shape{70, 33};
    const layout c("C", shape, c_order(2), 1, 0);
    const layout turned("backwards", shape, fortran_order(2), 2, 3u, 1);
    for (const vulkan::axis_way way : forced_ways) {
        const host ex{scans, way};
        for (unsigned mode = 0; mode < 16; mode += vulkan_quick() ? 5 : 1) {
            float_sums.run(ex, shape, static_cast<int>(mode / 2 % 2), mode % 3 == 0 ? c : turned,
                           mode % 2 == 0 ? turned : c, mode);
            EXPECT_EQ(scans.stages().back(), last_stage_of(way));
        }
        for (int axis = 0; axis < 2; ++axis) {
            const extents left = without(shape, static_cast<std::size_t>(axis));
            float_totals.run(ex, shape, axis, axis == 0 ? c : turned, layout("C", left, c_order(1), 2, 0),
                             axis == 0);
            EXPECT_EQ(scans.stages().back(), last_stage_of(way));
        }
    }
}

// Few groups, bindings that hold little more than a tile, supers folded one by one: blocks of sequences, and
// parts of them.
TEST(vulkan_axis, small_limits) {
    unsigned turn = 0;
    for (const bool few_groups : {true, false}) {
        vulkan::executor_options options = vulkan_device::get().options();
        if (few_groups) {
            options.max_groups_x = 3;
            options.max_groups_y = 2;
        } else {
            options.max_binding_bytes = 40000;
        }
        vulkan_scanner scans(options);
        const host ex{scans};
        for (const extents& shape : {extents{700, 90}, extents{9, 9000}, extents{12, 40, 33}}) {
            for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
                const layout c("C", shape, c_order(shape.size()), 1, 0);
                const layout other("half backwards", shape, fortran_order(shape.size()), 1, 5u);
                float_sums.run(ex, shape, axis, turn % 2 == 0 ? c : other, turn % 3 == 0 ? other : c,
                               turn * 5 % 16);
                EXPECT_GT(scans.stages().size(), 1u);
                const extents left = without(shape, static_cast<std::size_t>(axis));
                const layout to("backwards", left, fortran_order(left.size()), 1, 1u);
                float_totals.run(ex, shape, axis, turn % 2 == 0 ? other : c, to, turn % 3 == 0);
                EXPECT_GT(scans.stages().size(), 1u);
                ++turn;
            }
            if (vulkan_quick()) break;
        }
    }
}

// Three sequences of 34 supers, of which two are folded a dispatch.
TEST(vulkan_axis, sequences_of_many_supers) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_supers_per_dispatch = 20;
    vulkan_scanner scans(options);
    const extents shape{2, 33 * 131072 + 5};
    const layout c("C", shape, c_order(2), 1, 0);
    const host ex{scans, vulkan::axis_way::tiles};
    float_totals.run(ex, shape, 1, c, layout("C", {2}, c_order(1), 1, 0), true);
    float_sums.run(ex, shape, 1, c, c, 4 + 8);
    EXPECT_EQ(scans.stages(), (std::vector<std::string>{"tile_totals", "super_totals", "super_prefixes",
                                                        "super_prefixes", "tile_scan"}));
}

// Of four words; it does not commute, and nothing is known about it.
TEST(vulkan_axis, an_operator_of_the_callers) {
    vulkan_scanner scans;
    scans.settings.user = &matrix_product_text;
    const extents shape{300, 40};
    const layout c("C", shape, c_order(2), 1, 0);
    const axis_check<matrix, test::matrix_product> check{{}, {{3, 1, 4, 1}}};
    const layout line("C", {40}, c_order(1), 1, 0);
    const totals_check<matrix, test::matrix_product> totals{{{3, 1, 4, 1}}};
    for (const vulkan::axis_way way : forced_ways) {
        const host ex{scans, way};
        for (unsigned mode = 0; mode < 16; mode += vulkan_quick() ? 7 : 3)
            check.run(ex, shape, static_cast<int>(mode % 2), c, c, mode);
        totals.run(ex, shape, 0, c, line, way == vulkan::axis_way::tiles);
    }
    // Over the border of a super, where each accumulator is carried into one that was not there.
    const extents one{132000, 1};
    const layout packed("C", one, c_order(2), 1, 0);
    const host by_lanes{scans, vulkan::axis_way::lanes};
    if (!vulkan_quick()) check.run(by_lanes, one, 0, packed, packed, 0);
    // More outer dimensions than the parameters have room for: by a stage that does not depend on the
    // operator.
    const extents many{2, 3, 2, 2, 2, 3};
    const layout apart("lines apart", many, c_order(many.size()), 1, 0, 3);
    const host ex{scans};
    check.run(ex, many, 1, apart, apart, 2);
    EXPECT_EQ(scans.stages(), (std::vector<std::string>{"axis_shape", "lane_scan"}));
}

TEST(vulkan_axis, what_is_wrong_is_said) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096), other(4096), space(4096);
    const auto view = [&](std::initializer_list<std::int64_t> shape,
                          std::initializer_list<std::int64_t> strides, std::uint64_t offset) {
        return vulkan::buffer_view<float>(memory.handle(), offset, shape, strides);
    };
    const vulkan::buffer_view<float> in = view({5, 12}, {12, 1}, 0);
    const vulkan::buffer_view<float> out(other.handle(), 0, {5, 12});
    const auto refused = [&](const std::string& text, const auto& from, const auto& to, int axis = 0) {
        expect_refused(text, [&] { (void)vulkan::prepare_inclusive_scan(ex, from, to, axis, {}); });
    };
    refused("axis: expected -2 to 1 for 2 dimensions", in, out, 2);
    refused("out: its shape differs", in, view({12, 5}, {5, 1}, 0));
    refused("out: overlaps in", in, view({5, 12}, {12, 1}, 4));
    refused("out: stride 0 in dimension 0", out, view({5, 12}, {0, 1}, 0));
    refused("in: expected to begin within its buffer", view({5, 12}, {-12, 1}, 0), out);
    refused("in: expected an offset that is a multiple of 4 bytes", view({5, 12}, {12, 1}, 2), out);
    refused("in: expected a buffer", vulkan::buffer_view<float>(VK_NULL_HANDLE, 0, {5, 12}), out);
    const vulkan::buffer_view<float> rows(other.handle(), 0, {5});
    const auto total_refused = [&](const std::string& text, const auto& from, const auto& to, int axis) {
        expect_refused(text, [&] { (void)vulkan::prepare_reduce(ex, from, to, axis, {}); });
    };
    total_refused("axis: expected -2 to 1 for 2 dimensions", in, rows, 2);
    total_refused("out: its shape is not that of in without axis 0", in, rows, 0);
    total_refused("out: stride 0 in dimension 0", out, view({5}, {0}, 0), 1);
    total_refused("out: overlaps in; it must be disjoint from it", in, view({5}, {12}, 0), 1);
    total_refused("out: expected an offset that is a multiple of 4 bytes", out, view({5}, {1}, 2), 1);
    total_refused("out: expected a buffer", in, vulkan::buffer_view<float>(VK_NULL_HANDLE, 0, {5}), 1);

    const vulkan::buffer_view<float> lines(memory.handle(), 0, {2, 500}), to(other.handle(), 0, {2, 500});
    const vulkan::buffer_view<float> long_lines(memory.handle(), 0, {2, 5000}),
        long_to(other.handle(), 0, {2, 5000});
    expect_refused("workspace: ",
                   [&] { (void)vulkan::prepare_inclusive_scan(ex, long_lines, long_to, 1, {}); });
    const auto needed = vulkan::axis_scan_workspace(ex, long_lines, long_to, 1);
    EXPECT_EQ(needed.bytes, 4u * 2 * (2 + 1 + 1))
        << "totals of tiles and supers, and a carry, of each sequence";
    const vulkan::workspace_span scratch{space.handle(), needed.bytes - 1, 0};
    expect_refused("workspace: expected 32 bytes",
                   [&] { (void)vulkan::prepare_inclusive_scan(ex, long_lines, long_to, 1, scratch); });
    const vulkan::workspace_span overlapping{memory.handle(), 4096, 0};
    expect_refused("workspace: overlaps in",
                   [&] { (void)vulkan::prepare_inclusive_scan(ex, long_lines, long_to, 1, overlapping); });
    const vulkan::buffer_view<matrix> matrices(memory.handle(), 0, {4, 5});
    expect_refused("options.initial: ", [&] {
        (void)vulkan::prepare_exclusive_scan(ex, matrices, matrices, 0, {}, matrix_product_text);
    });
    expect_refused("T: expected an element of 16 bytes",
                   [&] { (void)vulkan::prepare_inclusive_scan(ex, lines, to, 0, {}, matrix_product_text); });
    // Nothing to do, and nothing needed for it.
    const vulkan::buffer_view<float> nothing(VK_NULL_HANDLE, 0, {3, 0});
    EXPECT_EQ(vulkan::prepare_inclusive_scan(ex, nothing, nothing, 0, {}).dispatch_count(), 0u);
    const vulkan::buffer_view<float> no_sums(VK_NULL_HANDLE, 0, {0});
    EXPECT_EQ(vulkan::prepare_reduce(ex, nothing, no_sums, 0, {}).dispatch_count(), 0u);
}

}  // namespace
}  // namespace upsweep::test
