// Totals along an axis, instantiated in files for some operators each: as in upsweep/cuda/axis_reduce.cuh,
// but that out_strides has an entry for the axis, which is not looked at.
#pragma once

#include "registry/cuda/kernels.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry::gpu {

// Of held accumulators.
template <class Op>
void reduce_axis_under(dtype held, cuda::executor& ex, const axis_call& call);
// Sums of elements of another type in the held one. False, and nothing is done, where there are no kernels
// for that: these are of float16, bfloat16, float in double, bool and integers of 8 and 32 bits in 64.
[[nodiscard]] bool reduce_widening(dtype element, dtype held, cuda::executor& ex, const axis_call& call);

#define UPSWEEP_GPU_REDUCTIONS(prefix, Op) \
    prefix template void reduce_axis_under<Op>(dtype, cuda::executor&, const axis_call&)

UPSWEEP_GPU_REDUCTIONS(extern, plus);
UPSWEEP_GPU_REDUCTIONS(extern, multiplies);
UPSWEEP_GPU_REDUCTIONS(extern, minimum);
UPSWEEP_GPU_REDUCTIONS(extern, maximum);
UPSWEEP_GPU_REDUCTIONS(extern, bit_and);
UPSWEEP_GPU_REDUCTIONS(extern, bit_or);
UPSWEEP_GPU_REDUCTIONS(extern, bit_xor);

}  // namespace upsweep::registry::gpu
