// Scans of held accumulators under one operator each, instantiated in a file for each operator.
#pragma once

#include "registry/cuda/kernels.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry::gpu {

template <class Op>
void scan_under(dtype held, cuda::executor& ex, const scan_call& call);

extern template void scan_under<plus>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<multiplies>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<minimum>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<maximum>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<bit_and>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<bit_or>(dtype, cuda::executor&, const scan_call&);
extern template void scan_under<bit_xor>(dtype, cuda::executor&, const scan_call&);

}  // namespace upsweep::registry::gpu
