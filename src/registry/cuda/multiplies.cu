// The GPU's scans under multiplies.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
template void scan_under<multiplies>(dtype, cuda::executor&, const scan_call&);
}
