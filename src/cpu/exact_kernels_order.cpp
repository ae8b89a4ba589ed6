// The kernels of minimum and maximum at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/exact_kernels_order.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/exact_kernels-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_kernels.hpp"

namespace upsweep::cpu {

namespace {

// Where one level has to stand for all, a type of every size and of either sign stands for the others.
template <class T, class Op>
const exact_kernels<T>& order_kernels([[maybe_unused]] simd_level level) {
    if constexpr (one_level && std::is_integral_v<T> &&
                  std::is_signed_v<T> != (sizeof(T) == 2 || sizeof(T) == 8))
        return portable::exact<T, Op>::table;
    else
        return UPSWEEP_SELECT_LEVEL(level, exact<T, Op>::table);
}

}  // namespace

#define UPSWEEP_DEFINE_KERNELS(T, Op)                              \
    template <>                                                    \
    const exact_kernels<T>& kernels_for<T, Op>(simd_level level) { \
        return order_kernels<T, Op>(level);                        \
    }
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, minimum)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, minimum)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, maximum)
UPSWEEP_KERNEL_TYPES_FLOAT(UPSWEEP_DEFINE_KERNELS, maximum)

}  // namespace upsweep::cpu
#endif
