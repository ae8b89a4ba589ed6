// The CPU engine, compiled for every pair of type and operator that has kernels.
#include "src/cpu/engine-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_ENGINE(T, Op)                                                      \
    template T run_scan<T, Op>(executor&, const source<T>&, const sink<T>&, const scan_shape&, \
                               core::tree_carry<T>&);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_INSTANTIATE_ENGINE)

}  // namespace upsweep::cpu
