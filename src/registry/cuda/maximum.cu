// The GPU's scans under maximum.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
template void scan_under<maximum>(dtype, cuda::executor&, const scan_call&);
}
