// The GPU's scans under minimum.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
template void scan_under<minimum>(dtype, cuda::executor&, const scan_call&);
}
