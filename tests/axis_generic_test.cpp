// Scans along an axis with operators and types that have no vector kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/axis_check.hpp"
#include "support/refused.hpp"
#include "upsweep/cuda/device_view.hpp"
#include "upsweep/shader/buffer_view.hpp"
#include "upsweep/views.hpp"

namespace upsweep::test {
namespace {

TEST(axis_generic, without_vector_kernels) {
    for (const extents& shape : {extents{20, 30}, extents{300, 9}, extents{5, 12, 13}, extents{4100, 7}}) {
        if (few_shapes() && shape[0] == 300) continue;
        axis_check<std::uint64_t, fingerprint>{{}, 3}.run_all(shape, coverage::threads);
        axis_check<bool, logical_or>{{}, false}.run_all(shape, coverage::threads);
    }
}

// Around a run and a row.
TEST(axis_generic, short_sequences) {
    for (const extents& shape :
         {extents{1, 3}, extents{2, 5}, extents{31, 4}, extents{127, 8}, extents{128, 3}, extents{129, 2}})
        axis_check<std::uint64_t, fingerprint>{{}, 3}.run_all(shape, coverage::threads);
}

// A view of three rows of four elements, however its extents are told.
template <class View>
void expect_three_by_four(const View& view, std::int64_t row_stride, std::int64_t column_stride) {
    EXPECT_TRUE(std::ranges::equal(view.shape(), std::vector<std::int64_t>{3, 4}));
    EXPECT_TRUE(std::ranges::equal(view.strides(), std::vector<std::int64_t>{row_stride, column_stride}));
}

TEST(axis_generic, extents_of_any_integers) {
    std::vector<float> x(12);
    const std::size_t rows = 3, columns = 4, too_many = ~std::size_t{0};
    const char* const refusal = "shape: a dimension is negative";
    expect_three_by_four(strided_view(x.data(), {3, 4}), 4, 1);
    expect_three_by_four(strided_view(x.data(), {rows, columns}), 4, 1);
    expect_three_by_four(strided_view(x.data(), {rows, columns}, {1, 3}), 1, 3);
    expect_three_by_four(strided_view(x.data(), {3, columns}), 4, 1);
    expect_three_by_four(strided_view(x.data(), {rows, std::int8_t{4}}, {1, rows}), 1, 3);
    expect_refused(refusal, [&] { strided_view(x.data(), {columns, too_many}); });

    using device_view = cuda::device_view<float>;
    expect_three_by_four(device_view(x.data(), {3, 4}), 4, 1);
    expect_three_by_four(device_view(x.data(), {rows, columns}), 4, 1);
    expect_three_by_four(device_view(x.data(), {rows, 4}, {1, rows}), 1, 3);
    expect_refused(refusal, [&] { device_view(x.data(), {columns, too_many}); });

    using buffer_view = shader::buffer_view<float, unsigned>;
    expect_three_by_four(buffer_view(1, 0, {3, 4}), 4, 1);
    expect_three_by_four(buffer_view(1, 0, {rows, columns}), 4, 1);
    expect_three_by_four(buffer_view(1, 0, {rows, 4}, {1, rows}), 1, 3);
    expect_refused(refusal, [&] { buffer_view(1, 0, {columns, too_many}); });
}

}  // namespace
}  // namespace upsweep::test
