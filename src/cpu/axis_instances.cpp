// The axis engine, compiled for every type that has kernels.
#include "src/cpu/axis-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_AXIS(T, exact)                                                         \
    template void run_axis_scan<T, exact>(const operation<T, exact>&, executor&, const source<T>&, \
                                          const sink<T>&, const axis_geometry&, bool, bool,        \
                                          const std::optional<T>&);
UPSWEEP_FOR_EACH_OPERATION(UPSWEEP_INSTANTIATE_AXIS)

}  // namespace upsweep::cpu
