// The kernels of segments' heads at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/head_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/head_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

const head_kernels& head_kernels_for(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, segment_heads::table);
}

}  // namespace upsweep::cpu
#endif
