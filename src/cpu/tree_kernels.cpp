// The kernels of floating-point sums and products at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/tree_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/tree_kernels-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_kernels.hpp"

namespace upsweep::cpu {

#define UPSWEEP_DEFINE_KERNELS(T, Op)                             \
    template <>                                                   \
    const tree_kernels<T>& kernels_for<T, Op>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, tree<T, Op>::table);   \
    }
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, plus)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, multiplies)

}  // namespace upsweep::cpu
#endif
