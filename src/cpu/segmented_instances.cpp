// The segmented engine, compiled for every pair of type and operator that has kernels.
#include "src/cpu/segmented-impl.hpp"

namespace upsweep::cpu {

#define UPSWEEP_INSTANTIATE_SEGMENTED(T, Op)                                                             \
    template T run_segmented_scan<T, Op>(executor&, const source<T>&, const sink<T>&, const scan_shape&, \
                                         const head_marks&, const segment_options<T>&,                   \
                                         core::tree_carry<T>&);                                          \
    template segment_fold<T> fold_segments<T, Op>(const executor&, const segment_part<T>&);              \
    template segment_fold<T> scan_segments<T, Op>(const executor&, const segment_part<T>&,               \
                                                  const segment_left<T>&);
UPSWEEP_KERNEL_TYPES_SEGMENTED(UPSWEEP_INSTANTIATE_SEGMENTED)

}  // namespace upsweep::cpu
