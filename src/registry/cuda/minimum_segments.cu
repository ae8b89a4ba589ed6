// The GPU's scans of segments under minimum.
#include "registry/cuda/segments-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENTED_SCANS(, minimum);
}
