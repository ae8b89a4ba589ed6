// Totals along one axis of a strided n-dimensional array: the overload of reduce on views.
//
//     reduce(executor, in, out, axis, op, options)
//         out[i..., k...] = initial (+) in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...]
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of reducing it alone: of
// the last result of its inclusive scan.
// Shapes: out has the shape of in without the axis, which counts from 0, or from the end if negative; strides
// are their own, negative ones too. An extent of 0 is legal: totals of no elements are the initial value, or
// else the operator's identity. in may repeat elements (stride 0); out must not, which is checked of strides
// of 0 alone.
// Aliasing: the ranges of bytes that in and out span must be disjoint.
// Errors, bits, accumulator and source: as in reduce.hpp.
// Complexity: O(size) work, one read of in; scratch of size / 4096 accumulators where several threads share
// the elements of a sequence.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

#include "upsweep/core/known_operator.hpp"
#include "upsweep/core/reduced_axis.hpp"
#include "upsweep/cpu/axis_reduce.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
namespace detail {

template <class Acc, class In, class Out, class Op>
void axis_reduce(cpu::executor& ex, const strided_view<In>& in, const strided_view<Out>& out, int axis,
                 const Op& op, const std::optional<Acc>& initial) {
    const core::axis_geometry geometry = check_reduced(in, out, axis);
    if (geometry.sequence_count == 0) return;
    const auto* x = in.data();
    auto* y = out.data();
    if (geometry.length == 0) {
        const Out nothing = cpu::convert<Out>(total_of_none<Acc>(op, initial));
        for (std::size_t k = 0; k < geometry.sequence_count; ++k) y[geometry.begin(k).second] = nothing;
    } else if constexpr (cpu::has_kernels<Acc, Op>) {
        cpu::run_axis_reduce(cpu::operation_of<Acc, Op>, ex,
                             cpu::make_source<Acc>(as_storage(x), geometry.in_stride),
                             cpu::make_sink<Acc>(as_storage(y)), geometry, initial);
    } else {
        cpu::run_generic_axis_reduce<Acc>(ex, x, y, geometry, op, initial);
    }
}

}  // namespace detail

// out = the total of every sequence along the axis.
template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&
    (!std::is_const_v<Out>)void reduce(cpu::executor& ex, const strided_view<In>& in,
                                       const strided_view<Out>& out, int axis, const Op& op = {},
                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    detail::axis_reduce<A>(ex, in, out, axis, core::known<A>(op), options.initial);
}

}  // namespace upsweep
