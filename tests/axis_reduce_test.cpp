// Totals along an axis of strided arrays: every slice has the bits of totalling it alone, and nothing between
// the results is touched.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/axis_total_check.hpp"
#include "support/strided_layout.hpp"
#include "support/sweep.hpp"
#include "upsweep/axis_reduce.hpp"

namespace upsweep::test {
namespace {

TEST(axis_reduce, small_example) {
    const std::vector<int> x{1, 2, 3, 4, 5, 6};
    for_each_backend([&](const auto& backend) {
        const strided_view<const int> in(x.data(), {2, 3});
        std::vector<int> columns(3), rows(2);
        reduce(*backend.executor, in, strided_view<int>(columns.data(), {3}), 0);
        EXPECT_EQ(columns, (std::vector{5, 7, 9}));
        reduce(*backend.executor, in, strided_view<int>(rows.data(), {2}), -1, plus{}, {.initial = 10});
        EXPECT_EQ(rows, (std::vector{16, 25}));
        // Of one dimension the result has none.
        int all = 0;
        reduce(*backend.executor, strided_view<const int>(x.data(), {6}), strided_view<int>(&all, extents()),
               0, maximum{});
        EXPECT_EQ(all, 6);
    });
}

TEST(axis_reduce, one_dimension) {
    for (const std::int64_t n : {1, 2, 5, 127, 128, 129, 255, 256, 257, 300, 4095, 4096, 4097, 12291})
        float_totals.run_all({n});
    for (const std::int64_t n : {131072, 131075, 270001}) float_totals.run_all({n}, coverage::all);
}
TEST(axis_reduce, small_shapes) {
    for (std::int64_t rows = 1; rows <= 9; ++rows) {
        for (std::int64_t columns = 1; columns <= (sanitized ? 6 : 20); ++columns)
            float_totals.run_all({rows, columns});
    }
    for (const extents& shape : {extents{1, 1, 1}, extents{2, 3, 4}, extents{7, 1, 5}, extents{3, 1, 140},
                                 extents{3, 17, 2}, extents{2, 2, 2, 2, 2}, extents{1, 33, 1, 3}}) {
        float_totals.run_all(shape);
    }
}
// More lines than a vector has lanes, in strips where they lie in one piece and else in groups.
TEST(axis_reduce, short_lines) {
    for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255}) {
        if (few_shapes() && length % 4 != 3) continue;
        float_totals.run_all({71, length});
        totals_check<double, multiplies>{-1.5}.run_all({67, length});
        totals_check<std::int16_t, maximum>{-5}.run_all({71, length});
        totals_check<std::uint8_t, plus>{200}.run_all({150, length});
    }
}
// Neighbours in memory along neither the axis nor the results.
TEST(axis_reduce, scattered_sequences) {
    for (const extents& shape : {extents{3, 64, 2}, extents{130, 3, 40}, extents{257, 2, 65},
                                 extents{128, 2, 60}, extents{4096, 2, 3}, extents{4099, 2, 2}}) {
        if (few_shapes() && shape[0] % 2 == 0) continue;
        float_totals.run_all(shape);
        if (!in_brief) totals_check<std::int32_t, minimum>{5}.run_all(shape);
    }
}
TEST(axis_reduce, shapes_that_pass_rows_and_tiles) {
    for (const extents& shape : {extents{130, 5}, extents{5, 130}, extents{130, 33}, extents{128, 40},
                                 extents{257, 16}, extents{16, 257}, extents{4099, 3}, extents{3, 4099},
                                 extents{4096, 17}, extents{40, 300}, extents{2, 9000}, extents{9000, 2}}) {
        float_totals.run_all(shape);
    }
}
// Sequences side by side that are fewer than a vector's lanes, or no multiple of them.
TEST(axis_reduce, a_few_lanes) {
    for (const std::int64_t lanes : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 129}) {
        if (few_shapes() && lanes % 8 != 7) continue;
        float_totals.run_all({300, lanes});
        totals_check<double, multiplies>{-1.5}.run_all({256, lanes});
        totals_check<std::int16_t, maximum>{-5}.run_all({261, lanes});
        totals_check<std::uint8_t, plus>{200}.run_all({270, lanes});
    }
}
// Columns whose rows of the tree are one piece of memory, in parts of a tile, a tile and several; also some
// arrays of them behind each other.
TEST(axis_reduce, narrow_columns) {
    for (const std::int64_t width : {2, 3, 4, 5, 8, 16, 33}) {
        if (few_shapes() && width != 3) continue;
        for (const extents& shape : {extents{1030, width}, extents{8300, width}, extents{3, 700, width}}) {
            float_totals.run_all(shape);
            if (!in_brief) totals_check<double, maximum>{-5}.run_all(shape);
            totals_check<std::uint8_t, plus>{200}.run_all(shape);
            totals_check<std::int16_t, minimum>{7}.run_all(shape);
            if (few_shapes()) break;
        }
    }
    totals_check<std::uint8_t, plus, std::int64_t, std::int64_t>{5}.run_all({sanitized ? 5000 : 135000, 3},
                                                                            coverage::all);
}
// So many tiles of them that a GPU gives several to each block, long sequences and short ones.
TEST(axis_reduce, many_tiles_of_narrow_columns) {
    const std::int64_t tiles = few_shapes() ? 20 : 700;
    const totals_check<std::uint8_t, plus> byte_totals{200};
    for (const extents& shape : {extents{1, tiles * 4096 + 77, 3}, extents{tiles, 700, 3}}) {
        const layout from("C", shape, c_order(3), 1, 0), to("C", without(shape, 1), c_order(2), 1, 0);
        for_each_backend(coverage::levels, [&](const auto& backend) {
            byte_totals.run(*backend.executor, shape, 1, from, to, true);
        });
    }
}
TEST(axis_reduce, shapes_that_several_threads_share) {
    const std::int64_t many = sanitized ? 12000 : 40000;
    for (const extents& shape : {extents{300, 300}, extents{many, 3}, extents{3, many}, extents{9000, 16},
                                 extents{16, 9000}, extents{64, 40, 64}, extents{135000, 2}}) {
        float_totals.run_all(shape, sanitized ? coverage::threads : coverage::all);
        if ((sanitized && shape[0] == 3) || (in_brief && shape[0] == many)) break;
    }
    totals_check<std::int16_t, maximum>{-5}.run_all({sanitized ? 500 : 1000, 200}, coverage::all);
    totals_check<std::int64_t, plus>{7}.run_all({sanitized ? 3000 : 9000, 24}, coverage::all);
}

TEST(axis_reduce, other_types_and_operators) {
    for (const extents& shape :
         {extents{50, 70}, extents{300, 9}, extents{9, 300}, extents{5, 30, 41}, extents{4200, 20}}) {
        totals_check<double, plus>{0.5}.run_all(shape);
        totals_check<std::int8_t, plus>{5}.run_all(shape);
        totals_check<std::uint16_t, bit_xor>{77}.run_all(shape);
        totals_check<float, minimum>{0.3f}.run_all(shape);
        totals_check<float16, plus, float16, float>{0.5f}.run_all(shape);
        if (sanitized) break;
    }
}
TEST(axis_reduce, elements_and_results_that_convert) {
    for (const extents& shape : {extents{270, 2}, extents{50, 70}, extents{300, 20}, extents{20, 300},
                                 extents{5000, 20}, extents{2, 1, 150}, extents{131, 1001}}) {
        if (few_shapes() && shape[1] == 20) continue;
        totals_check<std::uint8_t, plus, std::int64_t, std::int32_t>{5}.run_all(shape);
        totals_check<float, plus, double, double>{0.5}.run_all(shape);
        totals_check<double, plus, float, double>{0.5}.run_all(shape);
    }
    totals_check<std::uint8_t, plus, std::int32_t, std::int32_t>{5}.run_all({sanitized ? 12000 : 30000, 3},
                                                                            coverage::all);
}

TEST(axis_reduce, without_vector_kernels) {
    for (const extents& shape : {extents{1, 3}, extents{2, 5}, extents{128, 3}, extents{129, 2},
                                 extents{20, 30}, extents{300, 9}, extents{5, 12, 13}, extents{4100, 7}}) {
        if (few_shapes() && shape[0] == 300) continue;
        totals_check<std::uint64_t, fingerprint>{3}.run_all(shape, coverage::threads);
        totals_check<word, concatenate>{word::letter('!')}.run_all(shape, coverage::threads);
        totals_check<matrix, matrix_product>{{{2, 1, 1, 1}}}.run_all(shape, coverage::threads);
        totals_check<bool, logical_or>{false}.run_all(shape, coverage::threads);
    }
    totals_check<std::uint64_t, fingerprint>{3}.run_all({sanitized ? 9000 : 140000, 2}, coverage::threads);
}

TEST(axis_reduce, input_may_repeat_elements) {
    const extents shape{300, 5, 40};
    for (std::size_t repeated = 0; repeated < 3; ++repeated) {
        layout from("repeated", shape, c_order(3), 1, 0);
        from.strides[repeated] = 0;
        for_each_backend(coverage::levels, [&](const auto& backend) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const layout to("C", without(shape, axis), c_order(2), 1, 0);
                float_totals.run(*backend.executor, shape, static_cast<int>(axis), from, to, axis == 1);
            }
        });
    }
}

// Of no elements: the initial value, or the identity; and no totals at all.
TEST(axis_reduce, empty_arrays) {
    for (const extents& shape :
         {extents{0}, extents{0, 3}, extents{3, 0}, extents{2, 0, 5}, extents{0, 0}, extents{4, 0, 0}}) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const extents left = without(shape, axis);
            std::size_t count = 1;
            for (const std::int64_t extent : left) count *= static_cast<std::size_t>(extent);
            for_each_backend(coverage::levels, [&](const auto& backend) {
                guarded<float> nothing(0), out(2 * count);
                extents strides(left.size(), 2);
                for (std::size_t k = left.size(); k-- > 1;) strides[k - 1] = strides[k] * left[k];
                const strided_view<const float> in(nothing.data(), shape);
                const strided_view<float> to(out.data(), left, strides);
                reduce(*backend.executor, in, to, static_cast<int>(axis));
                for (std::size_t k = 0; k < count; ++k) ASSERT_TRUE(same_bits(out.data()[2 * k], -0.0f));
                reduce(*backend.executor, in, to, static_cast<int>(axis), maximum{}, {.initial = 4.0f});
                for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(out.data()[2 * k], 4.0f);
                EXPECT_TRUE(out.sentinels_intact());
            });
        }
    }
}

}  // namespace
}  // namespace upsweep::test
