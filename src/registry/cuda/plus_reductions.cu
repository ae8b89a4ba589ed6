// The GPU's totals along an axis under plus.
#include "registry/cuda/reductions-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_REDUCTIONS(, plus);
}
