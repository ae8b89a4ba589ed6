// The GPU's scans of segments under bitwise operators.
#include "registry/cuda/segments-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENTED_SCANS(, bit_and);
UPSWEEP_GPU_SEGMENTED_SCANS(, bit_or);
UPSWEEP_GPU_SEGMENTED_SCANS(, bit_xor);
}  // namespace upsweep::registry::gpu
