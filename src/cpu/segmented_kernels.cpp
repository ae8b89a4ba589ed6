// The kernels of segmented sums and products at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/segmented_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/segmented_totals-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_segmented.hpp"

namespace upsweep::cpu {

#define UPSWEEP_DEFINE_KERNELS(T, Op)                                            \
    template <>                                                                  \
    const segmented_kernels<T>& segmented_kernels_for<T, Op>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, segmented_totals<T, Op>::table);      \
    }
UPSWEEP_FOR_EACH_SEGMENTED_KERNEL(UPSWEEP_DEFINE_KERNELS)

}  // namespace upsweep::cpu
#endif
