// The CPU engine, compiled for every type that has kernels.
#include "src/cpu/engine-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_ENGINE(T, exact)                                                               \
    template T run_scan<T, exact>(const operation<T, exact>&, executor&, const source<T>&, const sink<T>&, \
                                  const scan_shape&, core::tree_carry<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_INSTANTIATE_ENGINE)

}  // namespace upsweep::cpu
