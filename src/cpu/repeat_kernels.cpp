// Repeated elements at every level.
#include "upsweep/cpu/repeat.hpp"

#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/repeat_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/repeat_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

const repeat_kernels& repeat_kernels_for(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, repeat_table);
}
const repeat_kernels& streaming_repeat_kernels_for(simd_level level) {
    return UPSWEEP_SELECT_LEVEL(level, streaming_repeat_table);
}

}  // namespace upsweep::cpu
#endif
