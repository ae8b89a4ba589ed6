// Scans along an axis of strided arrays: every slice has the bits of scanning it alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/axis_check.hpp"
#include "support/refused.hpp"
#include "upsweep/axis_reduce.hpp"
#include "upsweep/error.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

TEST(axis_scan, small_example) {
    const std::vector<int> x{1, 2, 3, 4, 5, 6};
    for_each_backend([&](const auto& backend) {
        std::vector<int> out(6);
        const strided_view<const int> in(x.data(), {2, 3});
        const strided_view<int> y(out.data(), {2, 3});
        inclusive_scan(*backend.executor, in, y, 0);
        EXPECT_EQ(out, (std::vector{1, 2, 3, 5, 7, 9}));
        inclusive_scan(*backend.executor, in, y, 1);
        EXPECT_EQ(out, (std::vector{1, 3, 6, 4, 9, 15}));
        exclusive_scan(*backend.executor, in, y, -1, plus{}, {.initial = 10, .reverse = true});
        EXPECT_EQ(out, (std::vector{15, 13, 10, 21, 16, 10}));
        // The transpose of x, read through its strides.
        inclusive_scan(*backend.executor, strided_view<const int>(x.data(), {3, 2}, {1, 3}),
                       strided_view<int>(out.data(), {3, 2}), 0);
        EXPECT_EQ(out, (std::vector{1, 4, 3, 9, 6, 15}));
    });
}

TEST(axis_scan, one_dimension) {
    for (const std::int64_t n : {1, 2, 5, 127, 128, 129, 255, 256, 257, 300, 4095, 4097, 12291})
        float_sums.run_all({n});
    float_sums.run_all({131075}, coverage::all);
}
TEST(axis_scan, small_shapes) {
    for (std::int64_t rows = 1; rows <= 9; ++rows) {
        for (std::int64_t columns = 1; columns <= (sanitized ? 6 : 20); ++columns)
            float_sums.run_all({rows, columns});
    }
    for (const extents& shape : {extents{1, 1, 1}, extents{2, 3, 4}, extents{7, 1, 5}, extents{3, 1, 140},
                                 extents{3, 17, 2}, extents{2, 2, 2, 2, 2}, extents{1, 33, 1, 3}}) {
        float_sums.run_all(shape);
    }
}
// More lines than a vector has lanes, of about as many elements as columns are turned at once.
TEST(axis_scan, short_lines) {
    for (const std::int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 19, 24, 31, 32, 33, 48}) {
        if (few_shapes() && length % 4 != 3) continue;
        const extents shape{71, length};
        float_sums.run_all(shape);
        axis_check<double, multiplies>{{}, -1.5}.run_all(shape);
        axis_check<std::int32_t, plus>{{}, 5}.run_all(shape);
        axis_check<std::int16_t, maximum>{{}, -5}.run_all(shape);
        axis_check<std::uint8_t, plus>{{}, 200}.run_all({150, length});
    }
}
TEST(axis_scan, shapes_that_pass_rows_and_tiles) {
    for (const extents& shape :
         {extents{130, 5}, extents{5, 130}, extents{130, 33}, extents{257, 16}, extents{16, 257},
          extents{4099, 3}, extents{3, 4099}, extents{40, 300}, extents{6, 129, 10}, extents{2, 9000},
          extents{9000, 2}, extents{70, 192}, extents{3, 33, 128}, extents{9, 511}, extents{150, 77}}) {
        float_sums.run_all(shape);
    }
}
// Sequences side by side that are fewer than a vector's lanes, or no multiple of them.
TEST(axis_scan, a_few_lanes) {
    for (std::int64_t lanes = 2; lanes <= 20; ++lanes) {
        if (few_shapes() && lanes % 4 != 3) continue;
        float_sums.run_all({300, lanes});
        axis_check<double, multiplies>{{}, -1.5}.run_all({259, lanes});
        axis_check<std::int16_t, maximum>{{}, -5}.run_all({261, 2 * lanes - 1});
    }
    for (const std::int64_t lanes : {2, 3, 4, 5, 15, 16, 17, 31, 33, 63, 64, 65, 70, 127, 129}) {
        if (few_shapes() && lanes % 16 != 15) continue;
        axis_check<std::uint8_t, plus>{{}, 200}.run_all({270, lanes});
    }
    for (const extents& shape : {extents{4099, 3}, extents{4300, 6}, extents{2, 4100, 5}}) {
        float_sums.run_all(shape);
        axis_check<std::int8_t, plus, std::int64_t, std::int64_t>{{}, 5}.run_all(shape);
        if (few_shapes()) break;
    }
}
// Rows of which several share a set of the first-level cache, some lanes of each: vectors that are narrower
// than a cache line go over whole lines there.
TEST(axis_scan, rows_a_page_apart) {
    const auto check = [](const auto& checked, std::int64_t lanes_of_a_page) {
        for (const std::int64_t lanes : {15, 16, 37, 64, 130}) {
            if (few_shapes() && lanes != 37) continue;
            const extents page{263, lanes_of_a_page}, shape{263, lanes};
            const layout rows("rows a page apart", page, {0, 1}, 1, 0);
            for_each_backend(coverage::levels, [&](const auto& backend) {
                for (const unsigned mode : {0u, 1u, 2u, 7u, 8u, 9u})
                    checked.run(*backend.executor, shape, 0, rows, rows, mode);
            });
        }
    };
    check(float_sums, 1024);
    check(axis_check<double, multiplies>{{}, -1.5}, 512);
    check(axis_check<float, minimum>{{}, 0.3f}, 2048);
    check(axis_check<std::uint8_t, plus>{{}, 200}, 4096);
}
TEST(axis_scan, shapes_that_several_threads_share) {
    const std::int64_t many = sanitized ? 12000 : 40000;
    const std::vector<extents> shapes{{300, 300},  {many, 3},    {3, many},   {20000, 16},
                                      {16, 20000}, {64, 40, 64}, {135000, 2}, {2000, 67}};
    for (const extents& shape : shapes) {
        float_sums.run_all(shape, sanitized ? coverage::threads : coverage::all);
        if ((sanitized && shape[0] == 3) || (in_brief && shape[0] == many)) break;
    }
    axis_check<std::int16_t, maximum>{{}, -5}.run_all({sanitized ? 500 : 1000, 200}, coverage::all);
    axis_check<std::int64_t, plus>{{}, 7}.run_all({sanitized ? 3000 : 9000, 24}, coverage::all);
}

// Results that are stored past the caches, along and across the axis.
TEST(axis_scan, past_the_caches) {
    constexpr std::size_t elements = small_streamed_bytes / (2 * sizeof(float));
    constexpr std::int64_t columns = 1024;
    const extents shape{static_cast<std::int64_t>(elements) / columns + 3, columns};
    const layout c("C", shape, {0, 1}, 1, 0);
    for_each_backend(sanitized ? coverage::threads : coverage::all, [&](const auto& backend) {
        for (const int axis : {0, 1}) {
            float_sums.run(*backend.executor, shape, axis, c, c, axis == 0 ? 0 : 3);
            float_sums.run(*backend.executor, {shape[0] * 8, columns / 8}, axis,
                           layout("C", {shape[0] * 8, columns / 8}, {0, 1}, 1, 0),
                           layout("C", {shape[0] * 8, columns / 8}, {0, 1}, 1, 0), axis == 0 ? 1 : 0);
        }
        const extents few{static_cast<std::int64_t>(elements) / 3 + 1, 3};
        const layout packed("C", few, {0, 1}, 1, 0);
        const layout turned("backwards", few, {0, 1}, 1, ~0u);
        float_sums.run(*backend.executor, few, 0, packed, packed, 1);
        float_sums.run(*backend.executor, few, 0, turned, turned, 0);
        const extents odd{static_cast<std::int64_t>(elements) / 1001 + 1, 1001};
        const layout wide("C", odd, {0, 1}, 1, 0);
        float_sums.run(*backend.executor, odd, 0, wide, wide, 0);
        // Lines of whole groups of a kernel's or not, which begin at cache lines or not.
        unsigned mode = 0;
        for (const std::int64_t length : {300, 512, 600, 1016, 2100}) {
            const extents shape_of_lines{static_cast<std::int64_t>(elements) / length + 2, length};
            const layout lines("C", shape_of_lines, {0, 1}, 1, 0);
            float_sums.run(*backend.executor, shape_of_lines, 1, lines, lines, mode++ % 4);
            if (sanitized && mode == 3) break;
        }
    });
}

TEST(axis_scan, input_may_repeat_elements) {
    const std::vector<float> row{1, 2, 3};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<float> out(12, -1);
        // (4, 3), every row the same
        const strided_view<const float> repeated(row.data(), {4, 3}, {0, 1});
        inclusive_scan(*backend.executor, repeated, strided_view<float>(out.data(), {4, 3}), 0);
        EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12}));
        inclusive_scan(*backend.executor, repeated, strided_view<float>(out.data(), {4, 3}), 1);
        EXPECT_EQ(out, (std::vector<float>{1, 3, 6, 1, 3, 6, 1, 3, 6, 1, 3, 6}));
        const strided_view<const float> constant(row.data() + 2, {12}, {0});
        inclusive_scan(*backend.executor, constant, strided_view<float>(out.data(), {12}), 0);
        EXPECT_EQ(out.back(), 36);
    });
}

TEST(axis_scan, empty_arrays) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const extents& shape : {extents{0}, extents{0, 3}, extents{3, 0}, extents{2, 0, 5}}) {
            guarded<float> nothing(0);
            for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
                EXPECT_NO_THROW(inclusive_scan(*backend.executor,
                                               strided_view<const float>(nothing.data(), shape),
                                               strided_view<float>(nothing.data(), shape), axis));
            }
            EXPECT_TRUE(nothing.sentinels_intact());
        }
    });
}

// Whose other extents and strides may be any: no product of theirs overflows, as UBSan would see.
TEST(axis_scan, empty_arrays_of_huge_extents) {
    constexpr std::int64_t huge = std::int64_t{1} << 40, furthest = std::numeric_limits<std::int64_t>::min();
    cpu::executor ex(1);
    float nothing = 3;
    for (const extents& shape : {extents{huge, huge, 0}, extents{0, huge, huge}, extents{huge, 0, huge}}) {
        const strided_view<float> dense(&nothing, shape);
        EXPECT_EQ(dense.size(), 0);
        EXPECT_EQ(dense.strides()[2], 1);
        for (const strided_view<float>& view :
             {dense, strided_view<float>(&nothing, shape, extents{furthest, furthest, furthest})}) {
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_NO_THROW(inclusive_scan(ex, view, view, axis));
                EXPECT_NO_THROW(linear_recurrence(ex, view, view, 1.0f, view, axis));
            }
        }
    }
    // One sequence without elements has a total.
    const strided_view<const float> none(&nothing, extents{1, 0}, extents{furthest, furthest});
    reduce(ex, none, strided_view<float>(&nothing, {1}), 1, plus{}, {.initial = 4.0f});
    EXPECT_EQ(nothing, 4);
    const strided_view<const float> rows(&nothing, extents{2, 0}, extents{furthest, 1});
    float totals[2] = {0, 0};
    reduce(ex, rows, strided_view<float>(totals, {2}), 1, plus{}, {.initial = 4.0f});
    EXPECT_EQ(totals[1], 4);
}

TEST(axis_scan, refuses_misuse) {
    cpu::executor ex(1);
    std::vector<float> x(60, 1.0f);
    guarded<float> out(60);
    const strided_view<const float> in(x.data(), {5, 12});
    const strided_view<float> y(out.data(), {5, 12});
    expect_refused("axis: ", [&] { inclusive_scan(ex, in, y, 2); });
    expect_refused("axis: ", [&] { inclusive_scan(ex, in, y, -3); });
    expect_refused("out: ", [&] { inclusive_scan(ex, in, strided_view<float>(out.data(), {12, 5}), 0); });
    expect_refused("out: ", [&] { inclusive_scan(ex, in, strided_view<float>(out.data(), {60}), 0); });
    expect_refused("out: ", [&] {
        inclusive_scan(ex, in, strided_view<float>(out.data(), {5, 12}, {0, 1}), 0);
    });
    expect_refused("in: ", [&] {
        inclusive_scan(ex, strided_view<const float>(x.data(), extents{}),
                       strided_view<float>(out.data(), extents{}), 0);
    });
    expect_refused("options.initial: ",
                   [&] { exclusive_scan(ex, in, y, 0, [](float a, float) { return a; }); });
    EXPECT_TRUE(out.untouched());
    // The same memory under other strides, or a part of it.
    expect_refused("out: ", [&] {
        inclusive_scan(ex, strided_view<const float>(x.data(), {6, 6}),
                       strided_view<float>(x.data(), {6, 6}, {1, 6}), 0);
    });
    expect_refused("out: ", [&] {
        inclusive_scan(ex, strided_view<const float>(x.data(), {5, 6}),
                       strided_view<float>(x.data() + 29, {5, 6}), 0);
    });
    expect_refused("shape: ", [&] { strided_view<float>(x.data(), {3, -1}); });
    expect_refused("shape: ", [&] { strided_view<float>(x.data(), extents(65, 1)); });
    expect_refused("shape: ", [&] {
        strided_view<float>(x.data(), {std::int64_t{1} << 32, std::int64_t{1} << 32});
    });
    expect_refused("strides: ", [&] { strided_view<float>(x.data(), {3, 4}, {4}); });
}

}  // namespace
}  // namespace upsweep::test
