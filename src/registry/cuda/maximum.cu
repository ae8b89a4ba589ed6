// The GPU's scans under maximum.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SCANS(, maximum);
}
