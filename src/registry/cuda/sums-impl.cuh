// The bodies of sums.hpp; included by the files that instantiate them.
#pragma once

#include "registry/cuda/held_types.hpp"
#include "registry/cuda/scans-impl.cuh"
#include "registry/cuda/sums.hpp"

namespace upsweep::registry::gpu {

template <bool Exclusive, class Acc, class In, class Out>
void sum_views(cuda::executor& ex, const axis_call& call) {
    const axis_layout& layout = call.layout;
    const cuda::device_view<const In> in(static_cast<const In*>(call.in), layout.shape, layout.in_strides);
    const cuda::device_view<Out> out(static_cast<Out*>(call.out), layout.shape, layout.out_strides);
    if constexpr (Exclusive)
        exclusive_scan<Acc>(ex, in, out, layout.axis, plus{}, batch_options_of<Acc>(call));
    else
        inclusive_scan<Acc>(ex, in, out, layout.axis, plus{}, batch_options_of<Acc>(call));
}

// Returns true, for the calls above.
template <class Acc, class In, class Out>
bool sum(bool exclusive, cuda::executor& ex, const axis_call& call) {
    if (exclusive)
        sum_views<true, Acc, In, Out>(ex, call);
    else
        sum_views<false, Acc, In, Out>(ex, call);
    return true;
}

}  // namespace upsweep::registry::gpu
