// The axis engine, compiled for every pair of type and operator that has kernels.
#include "src/cpu/axis-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_AXIS(T, Op)                                                                   \
    template void run_axis_scan<T, Op>(executor&, const source<T>&, const sink<T>&, const axis_geometry&, \
                                       bool, bool, const std::optional<T>&);
UPSWEEP_FOR_EACH_KERNEL(UPSWEEP_INSTANTIATE_AXIS)

}  // namespace upsweep::cpu
