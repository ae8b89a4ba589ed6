// The kernels of the bitwise operators at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/exact_kernels_bits.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/exact_kernels-inl.hpp"

#if HWY_ONCE
#include "src/cpu/portable_kernels.hpp"

namespace upsweep::cpu {

namespace {

// Where one level has to stand for all, bit_xor has every type and the others one size.
template <class T, class Op>
const exact_kernels<T>& bit_kernels([[maybe_unused]] simd_level level) {
    if constexpr (one_level && sizeof(T) != 4 && !std::is_same_v<Op, bit_xor>)
        return portable::exact<T, Op>::table;
    else
        return UPSWEEP_SELECT_LEVEL(level, exact<T, Op>::table);
}

}  // namespace

#define UPSWEEP_DEFINE_KERNELS(T, Op)                              \
    template <>                                                    \
    const exact_kernels<T>& kernels_for<T, Op>(simd_level level) { \
        return bit_kernels<T, Op>(level);                          \
    }
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_and)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_or)
UPSWEEP_KERNEL_TYPES_INTEGER(UPSWEEP_DEFINE_KERNELS, bit_xor)

}  // namespace upsweep::cpu
#endif
