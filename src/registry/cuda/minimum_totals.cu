// The GPU's totals of segments under minimum.
#include "registry/cuda/totals-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENT_TOTALS(, minimum);
}
