// The GPU's totals of segments under maximum.
#include "registry/cuda/totals-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENT_TOTALS(, maximum);
}
