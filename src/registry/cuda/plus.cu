// The GPU's scans under plus.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
template void scan_under<plus>(dtype, cuda::executor&, const scan_call&);
}
