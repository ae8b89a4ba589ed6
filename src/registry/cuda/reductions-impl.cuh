// The body of reduce_axis_under; included by the files that instantiate it.
#pragma once

#include "registry/array_reducer.hpp"
#include "registry/cuda/held_types.hpp"
#include "registry/cuda/reductions.hpp"
#include "upsweep/cuda/axis_reduce.cuh"

namespace upsweep::registry::gpu {

template <class Acc, class In, class Op>
void reduce_views(cuda::executor& ex, const axis_call& call, const Op& op) {
    const axis_layout& layout = call.layout;
    const dimensions shape = without_axis(layout.shape, layout.axis);
    const dimensions strides = without_axis(layout.out_strides, layout.axis);
    reduce_options<Acc> options;
    if (call.initial != nullptr) options.initial = call.initial->as<Acc>();
    reduce<Acc>(ex,
                cuda::device_view<const In>(static_cast<const In*>(call.in), layout.shape, layout.in_strides),
                cuda::device_view<Acc>(static_cast<Acc*>(call.out), shape.all(), strides.all()), layout.axis,
                op, options);
}

template <class Op>
void reduce_axis_under(dtype held, cuda::executor& ex, const axis_call& call) {
    visit_held_under<Op>(
        held, [&]<class Held>(std::type_identity<Held>) { reduce_views<Held, Held>(ex, call, Op{}); });
}

}  // namespace upsweep::registry::gpu
