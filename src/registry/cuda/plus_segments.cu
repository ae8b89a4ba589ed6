// The GPU's scans of segments under plus.
#include "registry/cuda/segments-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SEGMENTED_SCANS(, plus);
}
