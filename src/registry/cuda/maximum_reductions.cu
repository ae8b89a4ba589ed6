// The GPU's totals along an axis under maximum.
#include "registry/cuda/reductions-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_REDUCTIONS(, maximum);
}
