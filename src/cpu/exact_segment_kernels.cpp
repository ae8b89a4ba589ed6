// The kernels of segments under operators that let their operands be grouped at will, at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/exact_segment_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/exact_segment_kernels-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_segmented.hpp"

namespace upsweep::cpu {

#define UPSWEEP_DEFINE_KERNELS(T, Op)                                                    \
    template <>                                                                          \
    const exact_segment_kernels<T>& exact_segment_kernels_for<T, Op>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, exact_segments<T, Op>::table);                \
    }
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, plus)
UPSWEEP_DEFINE_KERNELS(std::int16_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::uint16_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::int32_t, multiplies)
UPSWEEP_DEFINE_KERNELS(std::uint32_t, multiplies)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, minimum)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, minimum)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, maximum)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, maximum)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_and)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_or)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_xor)

// As those of whole arrays (exact_kernels_sum.cpp).
#define UPSWEEP_DEFINE_PORTABLE(T, Op)                                             \
    template <>                                                                    \
    const exact_segment_kernels<T>& exact_segment_kernels_for<T, Op>(simd_level) { \
        return portable::exact_segments<T, Op>::table;                             \
    }
UPSWEEP_DEFINE_PORTABLE(std::int8_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::uint8_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::int64_t, multiplies)
UPSWEEP_DEFINE_PORTABLE(std::uint64_t, multiplies)

}  // namespace upsweep::cpu
#endif
