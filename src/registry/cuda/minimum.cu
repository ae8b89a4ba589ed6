// The GPU's scans under minimum.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SCANS(, minimum);
}
