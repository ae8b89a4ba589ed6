// The GPU's totals along an axis under operators on bits.
#include "registry/cuda/reductions-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_REDUCTIONS(, bit_and);
UPSWEEP_GPU_REDUCTIONS(, bit_or);
UPSWEEP_GPU_REDUCTIONS(, bit_xor);
}  // namespace upsweep::registry::gpu
