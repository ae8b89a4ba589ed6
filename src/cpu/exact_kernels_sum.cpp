// The kernels of integer sums and products at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/exact_kernels_sum.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/exact_kernels-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_kernels.hpp"

namespace upsweep::cpu {

#define UPSWEEP_DEFINE_KERNELS(T, Op)                              \
    template <>                                                    \
    const exact_kernels<T>& kernels_for<T, Op>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, exact<T, Op>::table);   \
    }
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, plus)
UPSWEEP_DEFINE_KERNELS(std::int16_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::uint16_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::int32_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::uint32_t, multiplies)

// Few vector units multiply bytes or 64-bit words; one multiplication an element is the faster scan.
#define UPSWEEP_DEFINE_PORTABLE(T, Op)                       \
    template <>                                              \
    const exact_kernels<T>& kernels_for<T, Op>(simd_level) { \
        return portable::exact<T, Op>::table;                \
    }
UPSWEEP_DEFINE_PORTABLE(std::int8_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::uint8_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::int64_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::uint64_t, multiplies)

}  // namespace upsweep::cpu
#endif
