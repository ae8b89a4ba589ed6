// Sums of float16 and bfloat16 along an axis.
#include "registry/cuda/sums-impl.cuh"
#include "upsweep/types.hpp"

namespace upsweep::registry::gpu {

bool sum_halves(const scan_types& types, bool exclusive, cuda::executor& ex, const axis_call& call) {
    if (types.input != types.output || types.accumulator != dtype::float32) return false;
    if (types.input == dtype::float16) return sum<float, float16, float16>(exclusive, ex, call);
#ifndef UPSWEEP_CUDA_FEW_TYPES
    if (types.input == dtype::bfloat16) return sum<float, bfloat16, bfloat16>(exclusive, ex, call);
#endif
    return false;
}

}  // namespace upsweep::registry::gpu
