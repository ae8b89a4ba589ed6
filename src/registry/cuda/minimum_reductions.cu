// The GPU's totals along an axis under minimum.
#include "registry/cuda/reductions-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_REDUCTIONS(, minimum);
}
