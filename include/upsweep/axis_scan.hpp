// Scans along one axis of a strided n-dimensional array: the overloads of inclusive_scan and exclusive_scan
// on views.
//
//     inclusive: out[i..., j, k...] = in[i..., 0, k...] (+) ... (+) in[i..., j, k...]
//     exclusive: out[i..., j, k...] = in[i..., 0, k...] (+) ... (+) in[i..., j-1, k...]
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of scanning it alone.
// Shapes: in and out have equal shapes; strides are their own, negative ones too. `axis` counts from 0, or
// from the end if negative. An extent of 0 is legal. in may repeat elements (stride 0); out must not, which
// is checked of strides of 0 alone: that others have no two results in one place is a precondition.
// Aliasing: out may be in (equal pointers, strides and element sizes); any other overlap of the ranges of
// bytes that the two span is an error, even if they interleave without sharing an element.
// Errors, bits, accumulator and initial value: as in scan.hpp.
// Complexity: O(size) work; scratch on the stack only.
// Source: as in scan.hpp; cpu/axis.hpp has the four ways in which sequences are taken.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "upsweep/core/axis_geometry.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace detail {

template <class Acc, class In, class Out, class Op>
void axis_scan(cpu::executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
               bool exclusive, const Op& op, const batch_options<Acc>& options) {
    const bool in_place = check_views(in, out, axis);
    const std::optional<Acc> before =
        options.initial || !exclusive ? options.initial : exclusive_start<Acc>(op, true);
    if (in.size() == 0) return;
    core::axis_geometry geometry(in.shape(), in.strides(), out.strides(), static_cast<std::size_t>(axis));
    const auto* x = in.data();
    auto* y = out.data();
    if (options.reverse) {
        const auto first = geometry.turn();
        x += first.in;
        y += first.out;
    }
    if constexpr (cpu::has_kernels<Acc, Op>) {
        cpu::run_axis_scan(cpu::operation_of<Acc, Op>, ex,
                           cpu::make_source<Acc>(as_storage(x), geometry.in_stride),
                           cpu::make_sink<Acc>(as_storage(y), geometry.out_stride), geometry, exclusive,
                           in_place, options.initial);
    } else if (options.reverse) {
        cpu::run_generic_axis_scan<Acc>(ex, x, y, geometry, core::swapped<Op>{op}, exclusive, in_place,
                                        options.initial, before);
    } else {
        cpu::run_generic_axis_scan<Acc>(ex, x, y, geometry, op, exclusive, in_place, options.initial, before);
    }
}

}  // namespace detail

// The inclusive scan of every sequence along the axis.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, In, Op>>
requires combines<Op, A>
void inclusive_scan(cpu::executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::axis_scan<A>(ex, in, out, axis, false, core::known<A>(op), options);
}

// The exclusive scan of every sequence along the axis.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, In, Op>>
requires combines<Op, A>
void exclusive_scan(cpu::executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
                    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::axis_scan<A>(ex, in, out, axis, true, core::known<A>(op), options);
}

}  // namespace upsweep
