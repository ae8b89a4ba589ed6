// What scans along an axis have in OpenGL and Vulkan beyond the CPU's tests of them: every way on every type,
// parts of long sequences, shapes that the stages' parameters have no room for.
#include "shader/axis_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/axis_check.hpp"

namespace upsweep::test {
namespace {

template <class T, class Op>
void run_some(T initial) {
    for (const extents& shape : {extents{40, 70}, extents{3, 300, 2}, extents{4099, 2}})
        axis_check<T, Op>{{}, initial}.run_all(shape);
}
TEST(axis_ways, types_and_operators) {
    run_some<std::uint32_t, plus>(7);
    run_some<std::uint64_t, multiplies>(3);
    run_some<double, plus>(0.3);
}
// An operator that rounds and does not commute, without an identity that could stand for an absent part.
TEST(axis_ways, affine_maps) {
    const axis_check<affine_map<float>, affine> maps{{}, {0.5f, 0.25f}};
    for (const extents& shape : {extents{7, 9}, extents{300, 5}, extents{5, 300}, extents{4300, 3}})
        maps.run_all(shape);
}

// Parts of a sequence, each of a dispatch; over the border of a super, where every accumulator is carried.
template <class Check>
void run_long_sequences(const Check& check, std::vector<unsigned> modes) {
    const extents shape{140000, 2};
    const layout c("C", shape, c_order(2), 1, 0);
    const layout turned("Fortran", shape, fortran_order(2), 1, 3u);
    for_each_backend([&](const auto& backend) {
        for (const unsigned mode : modes)
            check.run(*backend.executor, shape, 0, mode % 2 == 0 ? c : turned, mode % 3 == 0 ? c : turned,
                      mode);
    });
}
TEST(axis_ways, long_sequences) { run_long_sequences(float_sums, {0, 3, 5, 6}); }
TEST(axis_ways, long_sequences_of_affine_maps) {
    run_long_sequences(axis_check<affine_map<float>, affine>{{}, {0.5f, 0.25f}}, {1, 2});
}

TEST(axis_ways, more_dimensions_than_parameters) {
    const extents shape{2, 3, 2, 1, 2, 3, 2, 2, 3};
    const layout apart("lines apart", shape, c_order(shape.size()), 1, 0, 3);
    const layout other("half backwards", shape, fortran_order(shape.size()), 2, 0x155u, 1);
    for_each_backend([&](const auto& backend) {
        for (const int axis : {0, 3, 5, 8})
            float_sums.run(*backend.executor, shape, axis, apart, other, static_cast<unsigned>(axis));
    });
}

// NaN wins and stays, -0 is below +0; comparisons are of integers on every driver.
TEST(axis_ways, extremes_of_special_numbers) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> special{0.0f, -0.0f, 1e-40f, -1e-40f, infinity, -infinity, 1.0f, -1.0f};
    constexpr std::int64_t rows = 50, columns = 90;
    random_bits random(8);
    std::vector<float> x(rows * columns);
    for (float& each : x) each = random.below(200) == 0 ? nan : special[random.below(special.size())];
    std::vector<float> expected(x.size());
    const auto fold_columns = [&](const auto& op) {
        for (std::size_t c = 0; c < columns; ++c) {
            float fold = x[c];
            for (std::size_t r = 0; r < rows; ++r) {
                if (r != 0) fold = op(fold, x[r * columns + c]);
                expected[r * columns + c] = fold;
            }
        }
    };
    for_each_backend([&](const auto& backend) {
        const strided_view<const float> in(x.data(), {rows, columns});
        const auto check = [&](const auto& op) {
            std::vector<float> out(x.size());
            fold_columns(op);
            inclusive_scan(*backend.executor, in, strided_view<float>(out.data(), {rows, columns}), 0, op);
            EXPECT_EQ(first_difference(out.data(), expected.data(), out.size()), out.size());
        };
        check(minimum{});
        check(maximum{});
    });
}

}  // namespace
}  // namespace upsweep::test
