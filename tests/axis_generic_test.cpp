// Scans along an axis with operators and types that have no vector kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/axis_check.hpp"
#include "support/refused.hpp"
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

TEST(axis_generic, extents_of_any_integers) {
    std::vector<float> x(12);
    const std::size_t rows = 3, columns = 4;
    const strided_view by_size(x.data(), {rows, columns});
    const strided_view by_number(x.data(), {3, 4});
    EXPECT_TRUE(std::ranges::equal(by_size.shape(), by_number.shape()));
    EXPECT_TRUE(std::ranges::equal(by_size.strides(), by_number.strides()));
    const strided_view apart(x.data(), {rows, columns}, {1, 3});
    EXPECT_EQ(apart.strides()[1], 3);
    expect_refused("shape: a dimension is negative", [&] {
        strided_view(x.data(), {columns, ~std::size_t{0}});
    });
}

}  // namespace
}  // namespace upsweep::test
