// Kernels that find keys at every level.
#include "src/cpu/levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/find_kernels.cpp"
#include "hwy/foreach_target.h"

#include "src/cpu/find_kernels-inl.hpp"

#if HWY_ONCE
namespace upsweep::cpu {

#define UPSWEEP_DEFINE_FOUND(Word, Floating)                          \
    template <>                                                       \
    find_keys<Word> find_keys_for<Word, Floating>(simd_level level) { \
        return UPSWEEP_SELECT_LEVEL(level, find<Word, Floating>);     \
    }
UPSWEEP_FOR_EACH_FOUND(UPSWEEP_DEFINE_FOUND)
#undef UPSWEEP_DEFINE_FOUND

}  // namespace upsweep::cpu
#endif
