// The kernels of linear recurrences at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/affine_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/affine_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

#define UPSWEEP_DEFINE_KERNELS(T)                                      \
    template <>                                                        \
    const affine_kernels<T>& affine_kernels_for<T>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, affine_tree<T>::table);     \
    }
UPSWEEP_DEFINE_KERNELS(float)
UPSWEEP_DEFINE_KERNELS(double)

}  // namespace upsweep::cpu
#endif
