// Sums along an axis by kernels that read elements and store results as they are, without conversion: the
// common ones beside inclusive sums of held accumulators, a file each. Each returns whether it has a kernel
// for the types, and then has started it.
#pragma once

#include "registry/cuda/kernels.hpp"

namespace upsweep::registry::gpu {

// Exclusive sums of held accumulators.
bool sum_exclusive(const scan_types& types, cuda::executor& ex, const axis_call& call);
// float16 and bfloat16, added in float.
bool sum_halves(const scan_types& types, bool exclusive, cuda::executor& ex, const axis_call& call);
// bool, 8- and 32-bit integers, added in 64 bits.
bool sum_widening(const scan_types& types, bool exclusive, cuda::executor& ex, const axis_call& call);

}  // namespace upsweep::registry::gpu
