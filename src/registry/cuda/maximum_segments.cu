// The GPU's scans of segments under maximum.
#include "registry/cuda/segments-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENTED_SCANS(, maximum);
}
