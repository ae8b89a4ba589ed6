// The shape of an axis scan: which dimensions there are besides the axis, in the order in which they are
// walked.
#include "upsweep/core/axis_geometry.hpp"

#include <cstdlib>
#include <string>

#include "upsweep/error.hpp"

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

namespace upsweep::detail {

int check_axis(const char* name, std::span<const std::int64_t> in_shape,
               std::span<const std::int64_t> out_shape, std::span<const std::int64_t> out_strides, int axis) {
    const auto rank = static_cast<int>(in_shape.size());
    if (rank == 0) {
        throw_error(errc::invalid_argument,
                    std::string(name) + ": a 0-dimensional array has no axis to scan");
    }
    if (axis < -rank || axis >= rank) {
        throw_error(errc::invalid_argument, "axis: expected " + std::to_string(-rank) + " to " +
                                                std::to_string(rank - 1) + " for " + std::to_string(rank) +
                                                " dimensions, but it is " + std::to_string(axis));
    }
    if (!std::ranges::equal(in_shape, out_shape))
        throw_error(errc::invalid_argument, "out: its shape differs from that of " + std::string(name));
    const bool empty = std::ranges::find(in_shape, 0) != in_shape.end();
    for (std::size_t k = 0; !empty && k < out_shape.size(); ++k) {
        if (out_strides[k] == 0 && out_shape[k] > 1) {
            throw_error(errc::invalid_argument, "out: stride 0 in dimension " + std::to_string(k) +
                                                    " would store many results in one element");
        }
    }
    return axis < 0 ? axis + rank : axis;
}

void throw_views_overlap(const char* name) {
    throw_error(errc::invalid_argument,
                "out: overlaps " + std::string(name) +
                    "; it must be the same array (equal beginning and strides) or disjoint from it");
}

}  // namespace upsweep::detail
