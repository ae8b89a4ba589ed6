// The GPU's scans under the bitwise operators.
#include "registry/cuda/scans-impl.cuh"

namespace upsweep::registry::gpu {
template void scan_under<bit_and>(dtype, cuda::executor&, const scan_call&);
template void scan_under<bit_or>(dtype, cuda::executor&, const scan_call&);
template void scan_under<bit_xor>(dtype, cuda::executor&, const scan_call&);
}  // namespace upsweep::registry::gpu
