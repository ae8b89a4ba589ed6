// Sums along an axis of elements that are narrower than what they are added in.
#include <cstdint>

#include "registry/cuda/reductions-impl.cuh"

namespace upsweep::registry::gpu {

bool reduce_widening(dtype element, dtype held, cuda::executor& ex, const axis_call& call) {
    const auto sum = [&]<class Acc, class In>() {
        reduce_views<Acc, In>(ex, call, plus{});
        return true;
    };
    [[maybe_unused]] const bool to_integers = held == dtype::uint64;
    switch (element) {
        case dtype::float16:
            return held == dtype::float32 && sum.template operator()<float, float16>();
#ifndef UPSWEEP_CUDA_FEW_TYPES
        case dtype::bfloat16:
            return held == dtype::float32 && sum.template operator()<float, bfloat16>();
        case dtype::float32:
            return held == dtype::float64 && sum.template operator()<double, float>();
        case dtype::bool8:
        case dtype::uint8:
            return to_integers && sum.template operator()<std::uint64_t, std::uint8_t>();
        case dtype::int8:
            return to_integers && sum.template operator()<std::uint64_t, std::int8_t>();
        case dtype::int32:
            return to_integers && sum.template operator()<std::uint64_t, std::int32_t>();
        case dtype::uint32:
            return to_integers && sum.template operator()<std::uint64_t, std::uint32_t>();
#endif
        default:
            return false;
    }
}

}  // namespace upsweep::registry::gpu
