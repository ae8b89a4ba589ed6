// Totals along one axis of strided n-dimensional arrays in a VkBuffer: the overload of prepare_reduce on
// views.
//
//     prepare_reduce(executor, in, out, axis, workspace, op, options)
//         out[i..., k...] = initial (+) in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...]
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of totalling it alone.
// Elements and operators: as in scan.hpp. Shapes: out has the shape of in without the axis, which counts from
// 0, or from the end if negative; strides are their own, negative ones too. An extent of 0 is legal: totals
// of no elements are the initial value, or else the operator's identity. in may repeat elements (stride 0);
// out must not. Aliasing: the ranges of bytes that in and out span must be disjoint, and so must the
// workspace. Errors and bits: as in reduce.hpp. Cost: one read of in, and nothing is written but the totals
// and the workspace; dispatches and workspace are those of a scan (axis_scan.hpp). Source: Blelloch, Prefix
// sums and their applications, 1990 (the up-sweep), over the tree of docs/numerics.md; docs/shaders.md for
// the ways.
#pragma once

#include <optional>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/vulkan/axis_scan.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::vulkan {

template <class T>
struct axis_reduce_options {
    std::optional<T> initial{};  // folded in before the first element of every sequence
    axis_way way = axis_way::automatic;
};

namespace detail {

template <class T, class In = T>
axis_scan_arguments arguments_of(const shader::operation& op, const user_operator* user,
                                 const std::type_identity_t<buffer_view<const In>>& in,
                                 const buffer_view<T>& out, int axis, const workspace_span& workspace,
                                 const axis_reduce_options<T>& options) {
    axis_scan_arguments made =
        arguments_of<T, In>(op, user, false, in, out, axis, workspace,
                            axis_options<T>{.initial = options.initial, .way = options.way});
    made.only_totals = true;
    return made;
}

}  // namespace detail

// The workspace that totals of these views along `axis` need. Throws as prepare_reduce does.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] workspace_requirements axis_reduce_workspace(
    const executor& ex, const buffer_view<In>& in, const std::type_identity_t<buffer_view<T>>& out, int axis,
    const Op& op = {}, const std::type_identity_t<axis_reduce_options<T>>& options = {}) {
    const buffer_view<const In> from(in);
    return detail::axis_scan_workspace(
        ex, detail::arguments_of<T, std::remove_const_t<In>>(
                detail::operation_on<Op, T, In>(op), detail::user_of(op), from, out, axis, {}, options));
}

// The commands of totals along `axis`. Makes pipelines and descriptor sets as the scan does; does nothing on
// the device.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_reduce(executor& ex, const buffer_view<In>& in,
                                      const std::type_identity_t<buffer_view<T>>& out, int axis,
                                      const workspace_span& workspace, const Op& op = {},
                                      const std::type_identity_t<axis_reduce_options<T>>& options = {}) {
    const buffer_view<const In> from(in);
    return detail::prepare_axis_scan(ex, detail::arguments_of<T, std::remove_const_t<In>>(
                                             detail::operation_on<Op, T, In>(op), detail::user_of(op), from,
                                             out, axis, workspace, options));
}

}  // namespace upsweep::vulkan
