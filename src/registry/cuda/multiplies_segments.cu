// The GPU's scans of segments under multiplies.
#include "registry/cuda/segments-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENTED_SCANS(, multiplies);
}
