// The GPU's scans under bitwise operators.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SCANS(, bit_and);
UPSWEEP_GPU_SCANS(, bit_or);
UPSWEEP_GPU_SCANS(, bit_xor);
}  // namespace upsweep::registry::gpu
