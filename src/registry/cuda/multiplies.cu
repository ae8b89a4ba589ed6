// The GPU's scans under multiplies.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SCANS(, multiplies);
}
