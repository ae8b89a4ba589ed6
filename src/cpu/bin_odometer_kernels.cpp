// Odometers of bins at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/bin_odometer_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/bin_odometer_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

#define UPSWEEP_DEFINE_BIN_ODOMETERS(T, Op)                                            \
    template <>                                                                        \
    const bin_odometer_kernels<T>& bin_odometer_kernels_for<T, Op>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, odometers<T, Op>::table);                   \
    }
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_BIN_ODOMETERS, plus)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_BIN_ODOMETERS, multiplies)
#undef UPSWEEP_DEFINE_BIN_ODOMETERS
template <>
place_few_kernel<float> place_few_kernel_for<float>(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, place_few<float>);
}
template <>
place_few_kernel<double> place_few_kernel_for<double>(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, place_few<double>);
}
count_kernel count_kernel_for(simd_level level) { return UPSWEEP_SELECT_LEVEL(level, count_equal); }

}  // namespace upsweep::cpu
#endif
