// Sorting kernels at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/sort_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/sort_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

#define UPSWEEP_DEFINE_SORTED(Record, ...)                                                             \
    template <>                                                                                        \
    const sort_kernels<Record, __VA_ARGS__>& sort_kernels_for<Record, __VA_ARGS__>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, sorting<Record, __VA_ARGS__>::table);                       \
    }
UPSWEEP_FOR_EACH_SORTED(UPSWEEP_DEFINE_SORTED)
#undef UPSWEEP_DEFINE_SORTED
#define UPSWEEP_DEFINE_FLOATING(...)                                                           \
    template <>                                                                                \
    const floating_kernels<__VA_ARGS__>& floating_kernels_for<__VA_ARGS__>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, floating<__VA_ARGS__>::table);                      \
    }
UPSWEEP_FOR_EACH_FLOATING(UPSWEEP_DEFINE_FLOATING)
#undef UPSWEEP_DEFINE_FLOATING

}  // namespace upsweep::cpu
#endif
