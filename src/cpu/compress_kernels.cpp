// Choice and compaction at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/compress_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/compress_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

const compress_kernels& compress_kernels_for(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, compress_table);
}

#define UPSWEEP_DEFINE_COMPARE(T)                               \
    template <>                                                 \
    compare_kernel<T> compare_kernel_for<T>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, compare<T>);         \
    }
UPSWEEP_FOR_EACH_COMPARED(UPSWEEP_DEFINE_COMPARE)
#undef UPSWEEP_DEFINE_COMPARE

}  // namespace upsweep::cpu
#endif
