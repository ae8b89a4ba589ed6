// Exclusive sums of held accumulators along an axis.
#include "registry/cuda/sums-impl.cuh"

namespace upsweep::registry::gpu {

bool sum_exclusive(const scan_types& types, cuda::executor& ex, const axis_call& call) {
    const dtype held = held_type(operation::plus, types.accumulator);
    if (!is_held_as(types.input, types.accumulator, held) ||
        !is_held_as(types.output, types.accumulator, held))
        return false;
    visit_held_under<plus>(
        held, [&]<class Held>(std::type_identity<Held>) { sum_views<true, Held, Held, Held>(ex, call); });
    return true;
}

}  // namespace upsweep::registry::gpu
