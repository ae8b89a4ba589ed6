// Scans along an axis as a caller in OpenGL 4.3 and OpenGL ES 3.1 sees them: operators as text, errors,
// workspaces, limits. The CPU's tests of axes run in gl_scan_test (shader/axis_scan_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/axis_check.hpp"
#include "support/axis_executor.hpp"
#include "support/axis_total_check.hpp"
#include "support/gl_matrix_product.hpp"
#include "support/gl_scanner.hpp"
#include "support/monoids.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {

namespace {

class gl_axis : public gl_test {
  protected:
    gl_scanner scanner() const { return {GetParam(), executor()}; }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_axis);

// Sums over all rectangles that begin in the upper left corner: along the rows, then along the columns, in
// place.
TEST_P(gl_axis, a_summed_area_table) {
    constexpr std::int64_t height = 37, width = 301;
    std::vector<std::uint32_t> picture(height * width);
    random_bits random(3);
    for (std::uint32_t& pixel : picture) pixel = static_cast<std::uint32_t>(random.below(256));
    const gl_memory<std::uint32_t> memory(gl(), std::span<const std::uint32_t>(picture), 5);
    const gl::buffer_view<std::uint32_t> table(memory.name(), memory.span().offset, {height, width});
    inclusive_scan(executor(), table, table, 1);
    inclusive_scan(executor(), table, table, 0);
    std::vector<std::uint32_t> expected = picture;
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            std::uint32_t& sum = expected[y * width + x];
            if (x != 0) sum += expected[y * width + x - 1];
            if (y != 0) sum += expected[(y - 1) * width + x];
            if (x != 0 && y != 0) sum -= expected[(y - 1) * width + x - 1];
        }
    }
    EXPECT_EQ(memory.read(), expected);
}

// The way that was asked for runs, in and out of place, backwards too.
TEST_P(gl_axis, every_way) {
    gl_scanner scans = scanner();
    const extents shape{70, 33};
    const layout c("C", shape, c_order(2), 1, 0);
    const layout turned("backwards", shape, fortran_order(2), 2, 3u, 1);
    for (const gl::axis_way way : forced_ways) {
        const axis_executor<gl_scanner> ex{scans, way};
        for (unsigned mode = 0; mode < 16; mode += brief() ? 5 : 1) {
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

// Few groups, and bindings that hold little more than a tile: blocks of sequences, and parts of them.
TEST_P(gl_axis, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(), {.max_binding_bytes = 40000});
    unsigned turn = 0;
    for (gl::executor* limited : {&few_groups, &small_bindings}) {
        gl_scanner scans(GetParam(), *limited);
        const axis_executor<gl_scanner> ex{scans};
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
            if (sanitized) break;
        }
    }
}

// Of four words; it does not commute, and nothing is known about it.
TEST_P(gl_axis, an_operator_of_the_callers) {
    if (es()) GTEST_SKIP() << "the text that OpenGL has; gl_executor_test gives ES operators of the users";
    const gl::user_operator<matrix> text(executor(), {.text = gl_matrix_product, .has_identity = false});
    using product = gl_pair<matrix, matrix_product>;
    gl_scanner scans = scanner();
    const extents shape{300, 40};
    const layout c("C", shape, c_order(2), 1, 0);
    const axis_check<matrix, product> check{product(matrix_product(), text), {{3, 1, 4, 1}}};
    const layout line("C", {40}, c_order(1), 1, 0);
    const totals_check<matrix, product> totals{{{3, 1, 4, 1}}, product(matrix_product(), text)};
    for (const gl::axis_way way : forced_ways) {
        const axis_executor<gl_scanner> ex{scans, way};
        for (unsigned mode = 0; mode < 16; mode += brief() ? 7 : 3)
            check.run(ex, shape, static_cast<int>(mode % 2), c, c, mode);
        totals.run(ex, shape, 0, c, line, way == gl::axis_way::tiles);
    }
    // Over the border of a super, where each accumulator is carried into one that was not there.
    const extents one{132000, 1};
    const layout packed("C", one, c_order(2), 1, 0);
    const axis_executor<gl_scanner> by_lanes{scans, gl::axis_way::lanes};
    if (!brief()) check.run(by_lanes, one, 0, packed, packed, 0);
    const gl_memory<matrix> memory(gl(), 12000);
    const gl::buffer_view<matrix> view(memory.name(), memory.span().offset, {300, 40});
    expect_refused("options.initial: ", [&] { exclusive_scan(executor(), view, view, 0, text); });
    const gl::buffer_view<matrix> none(memory.name(), memory.span().offset, {0, 40}),
        sums(memory.name(), memory.span().offset, {40});
    expect_refused("options.initial: the total of no elements needs an initial value",
                   [&] { reduce(executor(), none, sums, 0, text); });
    EXPECT_TRUE(memory.untouched());
}

TEST_P(gl_axis, what_is_wrong_is_said) {
    const gl_memory<float> memory(gl(), 60), other(gl(), 60);
    const std::uint64_t start = memory.span().offset;
    const auto view = [&](std::initializer_list<std::int64_t> shape,
                          std::initializer_list<std::int64_t> strides, std::uint64_t offset) {
        return gl::buffer_view<float>(memory.name(), offset, shape, strides);
    };
    const gl::buffer_view<float> in = view({5, 12}, {12, 1}, start);
    const gl::buffer_view<float> out(other.name(), other.span().offset, {5, 12});
    gl::executor& ex = executor();
    const auto refused = [&](const std::string& text, const auto& from, const auto& to, int axis = 0) {
        expect_refused(text, [&] { inclusive_scan(ex, from, to, axis); });
    };
    refused("axis: expected -2 to 1 for 2 dimensions", in, out, 2);
    refused("out: its shape differs", in, view({12, 5}, {5, 1}, start));
    refused("out: overlaps in", in, view({5, 12}, {12, 1}, start + 4));
    refused("out: overlaps in", view({6, 6}, {6, 1}, start), view({6, 6}, {1, 6}, start));
    refused("out: stride 0 in dimension 0", out, view({5, 12}, {0, 1}, start));
    refused("in: expected to begin within its buffer", view({5, 12}, {-1000, 1}, start), out);
    refused("in: expected to end within buffer", view({5, 12}, {1000, 1}, start), out);
    refused("in: expected an offset that is a multiple of 4 bytes", view({5, 12}, {12, 1}, start + 2), out);
    refused("in: expected a buffer object", gl::buffer_view<float>(4711, 0, {5, 12}), out);
    expect_refused("shape: a dimension is negative", [&] {
        gl::buffer_view<float>(memory.name(), 0, {3, -1});
    });
    expect_refused("options.workspace: expected it to be disjoint from in",
                   [&] { inclusive_scan(ex, in, out, 0, plus{}, {.workspace = memory.span().region()}); });
    const gl::buffer_view<float> rows(other.name(), other.span().offset, {5});
    const auto total_refused = [&](const std::string& text, const auto& from, const auto& to, int axis) {
        expect_refused(text, [&] { reduce(ex, from, to, axis); });
    };
    total_refused("axis: expected -2 to 1 for 2 dimensions", in, rows, 2);
    total_refused("out: its shape is not that of in without axis 0", in, rows, 0);
    total_refused("out: stride 0 in dimension 0", out, view({5}, {0}, start), 1);
    total_refused("out: overlaps in; it must be disjoint from it", in, view({5}, {12}, start), 1);
    total_refused("in: expected to end within buffer", view({5, 12}, {1000, 1}, start), rows, 1);
    total_refused("out: expected an offset that is a multiple of 4 bytes", out, view({5}, {1}, start + 2), 1);
    expect_refused("options.workspace: expected it to be disjoint from out",
                   [&] { reduce(ex, in, rows, 1, plus{}, {.workspace = other.span().region()}); });
    if (es()) {
        const gl_memory<double> doubles(gl(), 60);
        const gl::buffer_view<double> wide(doubles.name(), doubles.span().offset, {5, 12});
        expect_refused(
            "op: ", [&] { inclusive_scan(ex, wide, wide, 0); }, errc::unsupported);
    }
    EXPECT_TRUE(memory.untouched());
    EXPECT_TRUE(other.untouched());
}

TEST_P(gl_axis, a_workspace_of_the_callers) {
    const gl_memory<float> memory(gl(), 3 * 10000);
    const gl::buffer_view<float> view(memory.name(), memory.span().offset, {3, 10000});
    const std::uint64_t bytes = gl::axis_workspace_bytes(executor(), view, view, 1);
    EXPECT_EQ(bytes, 4u * 3 * (3 + 1 + 1)) << "totals of tiles and supers, and a carry, of each sequence";
    EXPECT_EQ(gl::axis_workspace_bytes(executor(), view, view, 0), 4u) << "nothing";
    const gl::buffer_view<float> sums(0, 0, {3});
    EXPECT_EQ(gl::axis_reduce_workspace_bytes(executor(), view, sums, 1), bytes);
    const gl_memory<std::uint32_t> space(gl(), bytes / 4);
    gl::buffer_region region = space.span().region();
    region.bytes -= 4;
    expect_refused("options.workspace: expected at least",
                   [&] { inclusive_scan(executor(), view, view, 1, plus{}, {.workspace = region}); });
    EXPECT_TRUE(memory.untouched());
}

}  // namespace
}  // namespace upsweep::test
