// Totals along an axis in OpenGL and Vulkan, and what they have beyond the CPU's tests of them: parts of long
// sequences, shapes that the stages' parameters have no room for, an operator that does not commute.
#include "shader/totals_backend.hpp"

#include "../axis_reduce_test.cpp"

namespace upsweep::test {
namespace {

TEST(axis_reduce, affine_maps) {
    const totals_check<affine_map<float>, affine> maps{{0.5f, 0.25f}};
    for (const extents& shape : {extents{7, 9}, extents{300, 5}, extents{5, 4300}}) maps.run_all(shape);
}

// Parts of a sequence, each of a dispatch; over the border of a super, where every accumulator is carried.
TEST(axis_reduce, long_sequences) {
    const extents shape{140000, 2};
    const layout turned("Fortran", shape, fortran_order(2), 1, 3u), to("C", {2}, c_order(1), 1, 0);
    for_each_backend([&](const auto& backend) {
        float_totals.run(*backend.executor, shape, 0, turned, to, true);
        totals_check<std::uint32_t, plus>{5}.run(*backend.executor, shape, 0, turned, to, false);
    });
}

TEST(axis_reduce, more_dimensions_than_parameters) {
    const extents shape{2, 3, 2, 1, 2, 3, 2, 2, 3};
    const layout apart("lines apart", shape, c_order(shape.size()), 1, 0, 3);
    for_each_backend([&](const auto& backend) {
        for (const int axis : {0, 3, 8}) {
            const extents left = without(shape, static_cast<std::size_t>(axis));
            const layout to("half backwards", left, fortran_order(left.size()), 2, 0x55u, 1);
            float_totals.run(*backend.executor, shape, axis, apart, to, axis == 3);
        }
    });
}

}  // namespace
}  // namespace upsweep::test
