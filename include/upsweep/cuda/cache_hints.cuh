// Accesses that say how long what they touch is wanted in the L2 cache (PTX ISA, "createpolicy"; compute
// capability 8.0 and later, before which they are plain ones).
#pragma once

#include <cstdint>
#include <cstring>

namespace upsweep::cuda {

enum class wanted {
    as_usual,
    again,    // leaves the cache after everything else
    no_more,  // leaves it first
};

#if __CUDA_ARCH__ >= 800
template <wanted Wanted>
__device__ __forceinline__ std::uint64_t cache_policy() {
    static_assert(Wanted != wanted::as_usual);
    std::uint64_t policy;
    if constexpr (Wanted == wanted::again)
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    else
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
#endif

// Units of 8 and 16 bytes; accesses to others are plain.
template <wanted Wanted, class Unit>
__device__ __forceinline__ Unit load_hinted(const Unit* from) {
#if __CUDA_ARCH__ >= 800
    if constexpr (Wanted != wanted::as_usual && (sizeof(Unit) == 8 || sizeof(Unit) == 16)) {
        std::uint32_t word[sizeof(Unit) / 4];
        if constexpr (sizeof(Unit) == 16)
            asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                         : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                         : "l"(from), "l"(cache_policy<Wanted>()));
        else
            asm volatile("ld.global.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
                         : "=r"(word[0]), "=r"(word[1])
                         : "l"(from), "l"(cache_policy<Wanted>()));
        Unit unit;
        std::memcpy(&unit, word, sizeof(unit));
        return unit;
    }
#endif
    return *from;
}

template <wanted Wanted, class Unit>
__device__ __forceinline__ void store_hinted(Unit* to, const Unit& unit) {
#if __CUDA_ARCH__ >= 800
    if constexpr (Wanted != wanted::as_usual && (sizeof(Unit) == 8 || sizeof(Unit) == 16)) {
        std::uint32_t word[sizeof(Unit) / 4];
        std::memcpy(word, &unit, sizeof(unit));
        if constexpr (sizeof(Unit) == 16)
            asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;"
                         :
                         : "l"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]),
                           "l"(cache_policy<Wanted>())
                         : "memory");
        else
            asm volatile("st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}, %3;"
                         :
                         : "l"(to), "r"(word[0]), "r"(word[1]), "l"(cache_policy<Wanted>())
                         : "memory");
        return;
    }
#endif
    *to = unit;
}

}  // namespace upsweep::cuda
