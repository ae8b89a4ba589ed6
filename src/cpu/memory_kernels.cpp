// The copies and conversions of the staging layer at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/memory_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/memory_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

const memory_kernels& memory_kernels_for(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, memory_table);
}

}  // namespace upsweep::cpu
#endif
