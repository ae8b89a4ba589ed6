// The GPU's scans under plus.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
UPSWEEP_GPU_SCANS(, plus);
}
