// The shape of an axis scan: which dimensions there are besides the axis, in the order in which they are
// walked.
#include "upsweep/core/axis_geometry.hpp"

#include <cstdlib>

namespace upsweep::core {

axis_geometry::axis_geometry(std::span<const std::int64_t> shape, std::span<const std::int64_t> in_strides,
                             std::span<const std::int64_t> second_strides,
                             std::span<const std::int64_t> out_strides, std::size_t axis)
    : length(static_cast<std::size_t>(shape[axis])),
      in_stride(in_strides[axis]),
      out_stride(out_strides[axis]),
      second_stride(second_strides[axis]) {
    std::array<dimension, max_rank> found{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k == axis) continue;
        sequence_count *= static_cast<std::size_t>(shape[k]);
        if (shape[k] == 1) continue;
        dimension& other = found[count++];
        other = {static_cast<std::size_t>(shape[k]), in_strides[k], out_strides[k], second_strides[k]};
        if (other.in_stride < 0 && other.out_stride < 0 && other.second_stride < 0) {
            origin.in += (shape[k] - 1) * other.in_stride;
            origin.out += (shape[k] - 1) * other.out_stride;
            origin.second += (shape[k] - 1) * other.second_stride;
            other.in_stride = -other.in_stride;
            other.out_stride = -other.out_stride;
            other.second_stride = -other.second_stride;
        }
    }
    std::stable_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const dimension& a, const dimension& b) {
                         return std::abs(a.out_stride) > std::abs(b.out_stride);
                     });
    for (std::size_t k = 0; k < count; ++k) {
        dimension& outer = others[other_count == 0 ? 0 : other_count - 1];
        const dimension& inner = found[k];
        const auto extent = static_cast<std::ptrdiff_t>(inner.extent);
        if (other_count != 0 && outer.in_stride == extent * inner.in_stride &&
            outer.out_stride == extent * inner.out_stride &&
            outer.second_stride == extent * inner.second_stride) {
            outer = {outer.extent * inner.extent, inner.in_stride, inner.out_stride, inner.second_stride};
        } else {
            others[other_count++] = inner;
        }
    }
}

}  // namespace upsweep::core
