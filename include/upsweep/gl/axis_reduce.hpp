// Totals along one axis of strided n-dimensional arrays in OpenGL buffer objects: the overload of reduce on
// views.
//
//     reduce(executor, in, out, axis, op, options)
//         out[i..., k...] = initial (+) in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...]
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of totalling it alone.
// Elements and operators: as in scan.hpp. Shapes: out has the shape of in without the axis, which counts from
// 0, or from the end if negative; strides are their own, negative ones too. An extent of 0 is legal: totals
// of no elements are the initial value, or else the operator's identity. in may repeat elements (stride 0);
// out must not. Aliasing: the ranges of bytes that in and out span must be disjoint, and so must the
// workspace. Errors and bits: as in reduce.hpp. Complexity: O(size) work, one read of in, and nothing is
// written but the totals and scratch, which is as for a scan (axis_scan.hpp). Source: Blelloch, Prefix sums
// and their applications, 1990 (the up-sweep), over the tree of docs/numerics.md; docs/shaders.md for the
// ways.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/gl/axis_scan.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/axis_way.hpp"

namespace upsweep::gl {

template <class T>
struct axis_reduce_options {
    std::optional<T> initial{};  // folded in before the first element of every sequence
    axis_way way = axis_way::automatic;
    // At least axis_reduce_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class T, class In = T, class Op>
axis_call make_call(const std::type_identity_t<buffer_view<const In>>& in, const buffer_view<T>& out,
                    int axis, const Op& op, const axis_reduce_options<T>& options) {
    axis_call call = make_call<T, In>(
        in, out, axis, false, op,
        axis_options<T>{.initial = options.initial, .way = options.way, .workspace = options.workspace});
    call.only_totals = true;
    return call;
}

}  // namespace detail

// Bytes of workspace that totals of these views along `axis` need; at least 4. Throws as the call does.
template <class In, class T, class Op = plus>
requires loads_in_shader<Op, In, T>
[[nodiscard]] std::uint64_t axis_reduce_workspace_bytes(const executor& ex, const buffer_view<In>& in,
                                                        const buffer_view<T>& out, int axis,
                                                        const Op& op = {},
                                                        const axis_reduce_options<T>& options = {}) {
    const buffer_view<const In> from(in);
    return ex.axis_workspace_bytes(
        detail::make_call<T, std::remove_const_t<In>>(from, out, axis, op, options));
}

}  // namespace upsweep::gl

namespace upsweep {

// Its programs are those of scans: gl::prepare_axis_scan compiles them.
template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void reduce(gl::executor& ex, const gl::buffer_view<In>& in, const gl::buffer_view<T>& out, int axis,
            const Op& op = {}, const std::type_identity_t<gl::axis_reduce_options<T>>& options = {}) {
    const gl::buffer_view<const In> from(in);
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(from, out, axis, op, options));
}

}  // namespace upsweep
