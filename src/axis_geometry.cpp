// The shape of an axis scan or reduction: which dimensions there are besides the axis, in the order in which
// they are walked.
#include "upsweep/core/axis_geometry.hpp"

#include <cstdlib>
#include <string>

#include "upsweep/core/reduced_axis.hpp"
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

axis_geometry reduced_geometry(std::span<const std::int64_t> shape, std::span<const std::int64_t> in_strides,
                               std::span<const std::int64_t> out_strides, std::size_t axis) {
    std::array<std::int64_t, max_rank> from{}, to{};
    axis_geometry::offsets origin{0, 0, 0};
    for (std::size_t k = 0; k < shape.size(); ++k) {
        from[k] = in_strides[k];
        if (k == axis) continue;  // along it there is one result
        to[k] = out_strides[k < axis ? k : k - 1];
        if (from[k] >= 0) continue;
        origin.in += (shape[k] - 1) * from[k];
        origin.second += (shape[k] - 1) * to[k];
        from[k] = -from[k];
        to[k] = -to[k];
    }
    const std::span<const std::int64_t> walked(from.data(), shape.size());
    axis_geometry made(shape, walked, std::span<const std::int64_t>(to.data(), shape.size()), walked, axis);
    made.origin.in += origin.in;
    made.origin.second += origin.second;
    return made;
}

}  // namespace upsweep::core

namespace upsweep::detail {
namespace {

int checked_axis(const char* name, std::size_t dimensions, int axis) {
    const auto rank = static_cast<int>(dimensions);
    if (rank == 0)
        throw_error(errc::invalid_argument, std::string(name) + ": a 0-dimensional array has no axis");
    if (axis < -rank || axis >= rank) {
        throw_error(errc::invalid_argument, "axis: expected " + std::to_string(-rank) + " to " +
                                                std::to_string(rank - 1) + " for " + std::to_string(rank) +
                                                " dimensions, but it is " + std::to_string(axis));
    }
    return axis < 0 ? axis + rank : axis;
}

void check_strides(std::span<const std::int64_t> out_shape, std::span<const std::int64_t> out_strides) {
    const bool empty = std::ranges::find(out_shape, 0) != out_shape.end();
    for (std::size_t k = 0; !empty && k < out_shape.size(); ++k) {
        if (out_strides[k] == 0 && out_shape[k] > 1) {
            throw_error(errc::invalid_argument, "out: stride 0 in dimension " + std::to_string(k) +
                                                    " would store many results in one element");
        }
    }
}

}  // namespace

int check_axis(const char* name, std::span<const std::int64_t> in_shape,
               std::span<const std::int64_t> out_shape, std::span<const std::int64_t> out_strides, int axis) {
    axis = checked_axis(name, in_shape.size(), axis);
    if (!std::ranges::equal(in_shape, out_shape))
        throw_error(errc::invalid_argument, "out: its shape differs from that of " + std::string(name));
    check_strides(out_shape, out_strides);
    return axis;
}

int check_reduced_axis(std::span<const std::int64_t> in_shape, std::span<const std::int64_t> out_shape,
                       std::span<const std::int64_t> out_strides, int axis) {
    axis = checked_axis("in", in_shape.size(), axis);
    const auto along = static_cast<std::size_t>(axis);
    if (out_shape.size() + 1 != in_shape.size() ||
        !std::ranges::equal(in_shape.first(along), out_shape.first(along)) ||
        !std::ranges::equal(in_shape.subspan(along + 1), out_shape.subspan(along))) {
        throw_error(errc::invalid_argument,
                    "out: its shape is not that of in without axis " + std::to_string(axis));
    }
    check_strides(out_shape, out_strides);
    return axis;
}

void throw_views_overlap(const char* name) {
    throw_error(errc::invalid_argument,
                "out: overlaps " + std::string(name) +
                    "; it must be the same array (equal beginning and strides) or disjoint from it");
}

}  // namespace upsweep::detail
