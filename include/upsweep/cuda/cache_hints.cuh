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

template <wanted Wanted, class Unit>
__device__ __forceinline__ Unit load_hinted(const Unit* from) {
#if __CUDA_ARCH__ >= 800
    if constexpr (Wanted != wanted::as_usual && sizeof(Unit) == 16) {
        std::uint32_t word[4];
        if constexpr (Wanted == wanted::again)
            asm volatile(
                "{\n"
                ".reg .b64 policy;\n"
                "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
                "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], policy;\n"
                "}"
                : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                : "l"(from));
        else
            asm volatile(
                "{\n"
                ".reg .b64 policy;\n"
                "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
                "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], policy;\n"
                "}"
                : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                : "l"(from));
        Unit unit;
        std::memcpy(&unit, word, sizeof(unit));
        return unit;
    } else if constexpr (Wanted != wanted::as_usual && sizeof(Unit) == 8) {
        std::uint32_t word[2];
        if constexpr (Wanted == wanted::again)
            asm volatile(
                "{\n"
                ".reg .b64 policy;\n"
                "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
                "ld.global.L2::cache_hint.v2.u32 {%0, %1}, [%2], policy;\n"
                "}"
                : "=r"(word[0]), "=r"(word[1])
                : "l"(from));
        else
            asm volatile(
                "{\n"
                ".reg .b64 policy;\n"
                "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
                "ld.global.L2::cache_hint.v2.u32 {%0, %1}, [%2], policy;\n"
                "}"
                : "=r"(word[0]), "=r"(word[1])
                : "l"(from));
        Unit unit;
        std::memcpy(&unit, word, sizeof(unit));
        return unit;
    }
#endif
    return *from;
}

// Stores of 8 and 16 bytes; others are plain.
template <wanted Wanted, class Unit>
__device__ __forceinline__ void store_hinted(Unit* to, const Unit& unit) {
#if __CUDA_ARCH__ >= 800
    static_assert(Wanted != wanted::again);
    if constexpr (Wanted == wanted::no_more && sizeof(Unit) == 16) {
        std::uint32_t word[4];
        std::memcpy(word, &unit, sizeof(unit));
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
            "st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, policy;\n"
            "}"
            :
            : "l"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
            : "memory");
        return;
    } else if constexpr (Wanted == wanted::no_more && sizeof(Unit) == 8) {
        std::uint32_t word[2];
        std::memcpy(word, &unit, sizeof(unit));
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
            "st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}, policy;\n"
            "}"
            :
            : "l"(to), "r"(word[0]), "r"(word[1])
            : "memory");
        return;
    }
#endif
    *to = unit;
}

}  // namespace upsweep::cuda
