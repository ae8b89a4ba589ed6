// Scans of held accumulators under one operator each, instantiated in a file for each operator.
#pragma once

#include "registry/cuda/kernels.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry::gpu {

template <class Op>
void scan_under(dtype held, cuda::executor& ex, const scan_call& call);
template <class Op>
void scan_axis_under(dtype held, cuda::executor& ex, const axis_call& call);
template <class Op>
void scan_segments_under(dtype held, cuda::executor& ex, const segments_call& call);
template <class Op>
bool reduce_segments_under(dtype held, cuda::executor& ex, const segments_call& call, std::uint64_t* count);
template <class Op>
bool reduce_offsets_under(dtype held, cuda::executor& ex, const offsets_call& call);

#define UPSWEEP_GPU_SCANS(prefix, Op)                                              \
    prefix template void scan_under<Op>(dtype, cuda::executor&, const scan_call&); \
    prefix template void scan_axis_under<Op>(dtype, cuda::executor&, const axis_call&)
#define UPSWEEP_GPU_SEGMENTED_SCANS(prefix, Op) \
    prefix template void scan_segments_under<Op>(dtype, cuda::executor&, const segments_call&)
#define UPSWEEP_GPU_SEGMENT_TOTALS(prefix, Op)                                                   \
    prefix template bool reduce_segments_under<Op>(dtype, cuda::executor&, const segments_call&, \
                                                   std::uint64_t*);                              \
    prefix template bool reduce_offsets_under<Op>(dtype, cuda::executor&, const offsets_call&)

UPSWEEP_GPU_SCANS(extern, plus);
UPSWEEP_GPU_SCANS(extern, multiplies);
UPSWEEP_GPU_SCANS(extern, minimum);
UPSWEEP_GPU_SCANS(extern, maximum);
UPSWEEP_GPU_SCANS(extern, bit_and);
UPSWEEP_GPU_SCANS(extern, bit_or);
UPSWEEP_GPU_SCANS(extern, bit_xor);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, plus);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, multiplies);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, minimum);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, maximum);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, bit_and);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, bit_or);
UPSWEEP_GPU_SEGMENTED_SCANS(extern, bit_xor);
UPSWEEP_GPU_SEGMENT_TOTALS(extern, plus);
UPSWEEP_GPU_SEGMENT_TOTALS(extern, minimum);
UPSWEEP_GPU_SEGMENT_TOTALS(extern, maximum);

}  // namespace upsweep::registry::gpu
