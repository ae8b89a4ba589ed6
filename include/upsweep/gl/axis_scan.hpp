// Prefix sums along one axis of strided n-dimensional arrays in OpenGL buffer objects: the overloads of
// inclusive_scan and exclusive_scan on views.
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of scanning it alone. A
// summed-area table is two of them:
//
//     gl::buffer_view<float> picture(name, 0, {height, width});
//     inclusive_scan(executor, picture, picture, 1);
//     inclusive_scan(executor, picture, picture, 0);
//
// Of 8-bit pixels the first is inclusive_scan<std::uint32_t>(executor, pixels, sums, 1).
//
// Elements and operators: as in scan.hpp. Shapes: in and out have equal shapes; strides are their own, in
// elements, negative ones too. `axis` counts from 0, or from the end if negative. An extent of 0 is legal. in
// may repeat elements (stride 0); out must not. Aliasing: out may be in (same buffer, offset, strides and
// type); any other overlap of the ranges of bytes that the two span is an error, even if they interleave
// without sharing an element; so is any with the workspace. Errors and bits: as in scan.hpp. Complexity:
// O(size) work; the input is read once and the output written once, the input a second time where sequences
// are few and longer than a tile of 4096 elements; scratch of about size / 4096 elements there. Where a
// sequence has more than 8192 elements and there are many, or the array is larger than a binding, dispatches
// take parts of it, and five values a sequence wait in scratch, up to 4 million at once. Sources:
// docs/numerics.md for the tree; docs/shaders.md for the ways.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/scan.hpp"
#include "upsweep/gl/user.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/axis_way.hpp"

namespace upsweep::gl {

using shader::axis_way;

template <class T>
struct axis_options {
    std::optional<T> initial{};  // folded in before the first element of every sequence
    bool reverse = false;        // out[i] = x[i] (+) ... (+) x[n-1] instead of x[0] (+) ... (+) x[i]
    axis_way way = axis_way::automatic;
    // At least axis_workspace_bytes, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

namespace detail {

template <class T, class In = T, class Op>
axis_call make_call(const std::type_identity_t<buffer_view<const In>>& in, const buffer_view<T>& out,
                    int axis, bool exclusive, const Op& op, const axis_options<T>& options) {
    axis_call call;
    describe_scan<T, In>(call, exclusive, op, options);
    call.in = {in.buffer(), in.offset(), in.shape(), in.strides()};
    call.out = {out.buffer(), out.offset(), out.shape(), out.strides()};
    call.axis = axis;
    call.way = options.way;
    return call;
}

}  // namespace detail

// Bytes of workspace that a scan of these views along `axis` needs; at least 4. Throws as the scan does.
template <class In, class T, class Op = plus>
requires loads_in_shader<Op, In, T>
[[nodiscard]] std::uint64_t axis_workspace_bytes(const executor& ex, const buffer_view<In>& in,
                                                 const buffer_view<T>& out, int axis, const Op& op = {},
                                                 axis_way way = axis_way::automatic) {
    const buffer_view<const In> from(in);
    return ex.axis_workspace_bytes(
        detail::make_call<T, std::remove_const_t<In>>(from, out, axis, false, op, {.way = way}));
}

// Compiles the programs of scans along axes with Op on T now, so that no later one waits for the driver's
// compiler.
template <class T, class Op = plus, class In = T>
requires loads_in_shader<Op, In, T>
void prepare_axis_scan(executor& ex, const Op& op = {}) {
    const buffer_view<const In> nothing(0, 0, {0});
    ex.compile(detail::make_call<T, In>(nothing, buffer_view<T>(0, 0, {0}), 0, false, op, {}));
}

}  // namespace upsweep::gl

namespace upsweep {

// Along `axis`: out[i] = in[0] (+) ... (+) in[i]
template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void inclusive_scan(gl::executor& ex, const gl::buffer_view<In>& in, const gl::buffer_view<T>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<gl::axis_options<T>>& options = {}) {
    const gl::buffer_view<const In> from(in);
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(from, out, axis, false, op, options));
}

// Along `axis`: out[i] = in[0] (+) ... (+) in[i-1]; out[0] = options.initial, or else the operator's
// identity.
template <class Acc = deduced, class In, class T, class Op = plus>
requires gl::accumulates_in_shader<Op, Acc, In, T>
void exclusive_scan(gl::executor& ex, const gl::buffer_view<In>& in, const gl::buffer_view<T>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<gl::axis_options<T>>& options = {}) {
    const gl::buffer_view<const In> from(in);
    ex.run(gl::detail::make_call<T, std::remove_const_t<In>>(from, out, axis, true, op, options));
}

}  // namespace upsweep
