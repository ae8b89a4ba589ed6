// Sums of narrow integers along an axis, in 64 bits.
#include <cstdint>

#include "registry/cuda/sums-impl.cuh"

namespace upsweep::registry::gpu {

bool sum_widening(const scan_types& types, bool exclusive, cuda::executor& ex, const axis_call& call) {
    constexpr dtype held = dtype::uint64;
    if (held_type(operation::plus, types.accumulator) != held ||
        !is_held_as(types.output, types.accumulator, held))
        return false;
    switch (types.input) {
        case dtype::bool8:
        case dtype::uint8:
            return sum<std::uint64_t, std::uint8_t, std::uint64_t>(exclusive, ex, call);
#ifndef UPSWEEP_CUDA_FEW_TYPES
        case dtype::int32:
            return sum<std::uint64_t, std::int32_t, std::uint64_t>(exclusive, ex, call);
#endif
        default:
            return false;
    }
}

}  // namespace upsweep::registry::gpu
