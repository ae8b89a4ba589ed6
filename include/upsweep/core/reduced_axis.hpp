// The shape of a reduction along an axis, from views of its input and of its output, which lacks the axis;
// and its checks, for engines of every kind of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/error.hpp"
#include "upsweep/views.hpp"

namespace upsweep::core {

// Of the geometry `in` says where sequences lie, and `second` where their results go. Dimensions are walked
// as they lie in the input, forwards. The axis is within the input's rank, and the output has its other
// dimensions.
axis_geometry reduced_geometry(std::span<const std::int64_t> shape, std::span<const std::int64_t> in_strides,
                               std::span<const std::int64_t> out_strides, std::size_t axis);

}  // namespace upsweep::core

namespace upsweep::detail {

// Throws upsweep::error, invalid_argument, unless the axis is one of the input's, the output's shape is the
// input's without it and no stride of 0 has many results stored in one place. Returns the axis counted from
// 0.
int check_reduced_axis(std::span<const std::int64_t> in_shape, std::span<const std::int64_t> out_shape,
                       std::span<const std::int64_t> out_strides, int axis);

// Checks everything about the two views, with elements of so many bytes.
template <class In, class Out>
core::axis_geometry check_reduced(const strided_view<In>& in, const strided_view<Out>& out, int axis,
                                  std::size_t in_bytes = sizeof(In), std::size_t out_bytes = sizeof(Out)) {
    const int along = check_reduced_axis(in.shape(), out.shape(), out.strides(), axis);
    const std::array<std::int64_t, max_rank> none{};
    std::span<const std::int64_t> in_strides(none.data(), in.rank());  // those of no elements are anything
    if (in.size() != 0) {
        in_strides = in.strides();
        const auto [in_first, in_last] = extent_of(in, in_bytes);
        const auto [out_first, out_last] = extent_of(out, out_bytes);
        const std::less<const char*> before;
        if (before(in_first, out_last) && before(out_first, in_last))
            throw_error(errc::invalid_argument, "out: overlaps in; it must be disjoint from it");
    }
    return core::reduced_geometry(in.shape(), in_strides, out.strides(), static_cast<std::size_t>(along));
}

}  // namespace upsweep::detail
