// Totals along one axis of strided n-dimensional arrays in CUDA device memory: the overload of reduce on
// views.
//
//     reduce(executor, in, out, axis, op, options)
//         out[i..., k...] = initial (+) in[i..., 0, k...] (+) ... (+) in[i..., n - 1, k...]
//
// Every one-dimensional slice along the axis is a sequence of its own, with the bits of reducing it alone, on
// the CPU or here. Shapes: out has the shape of in without the axis, which counts from 0, or from the end if
// negative; strides are their own, negative ones too. An extent of 0 is legal: totals of no elements are the
// initial value, or else the operator's identity. in may repeat elements (stride 0); out must not. Aliasing:
// the ranges of bytes that in and out span must be disjoint. The calls return when the work is in the
// executor's stream. Errors, bits, types and accumulator: as in cuda/reduce.cuh. Complexity: one read of in,
// one kernel; scratch for sequences of more than a tile of elements, of about n / 100 bytes each, 2 KiB at
// least, or 64 bytes where they are 1024 or more.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/core/known_operator.hpp"
#include "upsweep/core/reduced_axis.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/device_view.hpp"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/options.hpp"

namespace upsweep::cuda {

namespace detail {

template <class Acc, class In, class Out, class Op>
void axis_reduce(executor& ex, const device_view<In>& in, const device_view<Out>& out, int axis, const Op& op,
                 const std::optional<Acc>& initial) {
    using types = types_of<Acc, std::remove_const_t<In>, Out, Op, as_is>;
    const core::axis_geometry geometry =
        upsweep::detail::check_reduced(in.description(), out.description(), axis);
    if (geometry.sequence_count == 0) return;
    reduced_axis<types> shape{
        reduce_arguments<types>(op, as_is{}, geometry.length, reduce_options<Acc>{.initial = initial}),
        geometry};
    if (geometry.length != 0) check_view(ex, in, "in");
    check_view(ex, out, "out");
    shape.scan.in[0] = in.data();
    shape.scan.out = out.data();
    reduce_launch<types, reduced_axis<types>>(ex, shape).run();
}

}  // namespace detail

// Bytes of scratch that reductions of `sequences` sequences of `length` elements need, whatever their
// strides; never decreases with either. For executors that use the caller's memory.
template <class In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t axis_reduce_workspace_bytes(std::uint64_t length, std::uint64_t sequences,
                                                      const Op& = {}) {
    return reduce_workspace_bytes_of<detail::types_of<Acc, In, Acc, core::known_operator_t<Op, Acc>, as_is>>(
        length, sequences);
}

}  // namespace upsweep::cuda

namespace upsweep {

template <class Acc = deduced, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&
    (!std::is_const_v<Out>)void reduce(cuda::executor& ex, const cuda::device_view<In>& in,
                                       const cuda::device_view<Out>& out, int axis, const Op& op = {},
                                       const std::type_identity_t<reduce_options<A>>& options = {}) {
    cuda::detail::axis_reduce<A>(ex, in, out, axis, core::known<A>(op), options.initial);
}

}  // namespace upsweep
