// Prefix sums along one axis of strided n-dimensional arrays in VkBuffers.
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of scanning it alone. A
// summed-area table is two of them, with a barrier in between (commands.hpp):
//
//     vulkan::buffer_view<float> picture(buffer, 0, {height, width});
//     const auto rows = vulkan::prepare_inclusive_scan(gpu, picture, picture, 1, workspace);
//     const auto columns = vulkan::prepare_inclusive_scan(gpu, picture, picture, 0, workspace);
//
// Of 8-bit pixels the first is vulkan::prepare_inclusive_scan<std::uint32_t>(gpu, pixels, sums, 1,
// workspace).
//
// Elements and operators: as in scan.hpp. Shapes: in and out have equal shapes; strides are their own, in
// elements, negative ones too. `axis` counts from 0, or from the end if negative. An extent of 0 is legal. in
// may repeat elements (stride 0); out must not. Aliasing: out may be in (same buffer, offset, strides and
// type); any other overlap of the ranges of bytes that the two span is an error, even if they interleave
// without sharing an element; so is any with the workspace. Errors and bits: as in scan.hpp; that elements
// lie within their buffer is seen at its beginning only. Cost: the input is read once and the output written
// once, the input a second time where sequences are few and longer than a tile of 4096 elements; 1 to 4
// dispatches. Where a sequence has more than 8192 elements and there are many, or the array is larger than a
// binding, dispatches take parts of it, and five values a sequence wait in the workspace, up to 4 million at
// once. Sources: docs/numerics.md for the tree; docs/shaders.md for the ways.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/shader/axis_way.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::vulkan {

using shader::axis_way;

template <class T>
struct axis_options {
    std::optional<T> initial{};  // folded in before the first element of every sequence
    bool reverse = false;        // out[i] = x[i] (+) ... (+) x[n-1] instead of x[0] (+) ... (+) x[i]
    axis_way way = axis_way::automatic;
};

namespace detail {

struct axis_scan_arguments {
    struct array {
        VkBuffer buffer;
        std::uint64_t offset;  // bytes
        std::span<const std::int64_t> shape, strides;
    };
    shader::operation op;
    const user_operator* user;
    array in, out;
    int axis;
    bool exclusive, reverse, has_initial;
    std::array<std::uint32_t, 4> initial;
    axis_way way;
    workspace_span workspace;
    bool only_totals = false;  // one result a sequence: `out` lacks the axis
};
commands prepare_axis_scan(executor& ex, const axis_scan_arguments& given);
workspace_requirements axis_scan_workspace(const executor& ex, const axis_scan_arguments& given);

template <class T, class In = T>
axis_scan_arguments arguments_of(const shader::operation& op, const user_operator* user, bool exclusive,
                                 const std::type_identity_t<buffer_view<const In>>& in,
                                 const buffer_view<T>& out, int axis, const workspace_span& workspace,
                                 const axis_options<T>& options) {
    return {op,
            user,
            {in.buffer(), in.offset(), in.shape(), in.strides()},
            {out.buffer(), out.offset(), out.shape(), out.strides()},
            axis,
            exclusive,
            options.reverse,
            options.initial.has_value(),
            options.initial ? shader::words_of(*options.initial) : std::array<std::uint32_t, 4>{},
            options.way,
            workspace};
}

}  // namespace detail

// The workspace that a scan of these views along `axis` needs. Throws as the scan does.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] workspace_requirements axis_scan_workspace(const executor& ex, const buffer_view<In>& in,
                                                         const std::type_identity_t<buffer_view<T>>& out,
                                                         int axis, const Op& op = {},
                                                         axis_way way = axis_way::automatic) {
    const buffer_view<const In> from(in);
    return detail::axis_scan_workspace(ex, detail::arguments_of<T, std::remove_const_t<In>>(
                                               detail::operation_on<Op, T, In>(op), detail::user_of(op),
                                               false, from, out, axis, {}, {.way = way}));
}

// The commands of a scan along `axis`: out[i] = in[0] (+) ... (+) in[i]. Makes pipelines and descriptor sets
// as the scan of a sequence does; does nothing on the device.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_inclusive_scan(executor& ex, const buffer_view<In>& in,
                                              const std::type_identity_t<buffer_view<T>>& out, int axis,
                                              const workspace_span& workspace, const Op& op = {},
                                              const std::type_identity_t<axis_options<T>>& options = {}) {
    const buffer_view<const In> from(in);
    return detail::prepare_axis_scan(ex, detail::arguments_of<T, std::remove_const_t<In>>(
                                             detail::operation_on<Op, T, In>(op), detail::user_of(op), false,
                                             from, out, axis, workspace, options));
}

// Along `axis`: out[i] = in[0] (+) ... (+) in[i-1]; out[0] = options.initial, or else the operator's
// identity.
template <class Acc = deduced, class In, class Op = plus, class T = shader::accumulator_for<Acc, In>>
requires loads_in_shader<Op, In, T>
[[nodiscard]] commands prepare_exclusive_scan(executor& ex, const buffer_view<In>& in,
                                              const std::type_identity_t<buffer_view<T>>& out, int axis,
                                              const workspace_span& workspace, const Op& op = {},
                                              const std::type_identity_t<axis_options<T>>& options = {}) {
    const buffer_view<const In> from(in);
    return detail::prepare_axis_scan(ex, detail::arguments_of<T, std::remove_const_t<In>>(
                                             detail::operation_on<Op, T, In>(op), detail::user_of(op), true,
                                             from, out, axis, workspace, options));
}

}  // namespace upsweep::vulkan
