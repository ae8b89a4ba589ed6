// Repeated elements in plain C++: the level `portable`, and the tails of the vector bodies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/core/portability.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/repeat.hpp"

namespace upsweep::cpu {

// Of the class that holds them.
template <class Bodies>
constexpr repeat_kernels repeat_table_of() {
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    return {{&Bodies::template sum<u8>, &Bodies::template sum<u16>, &Bodies::template sum<u32>,
             &Bodies::template sum<u64>},
            {&Bodies::template widen<u8>, &Bodies::template widen<u16>, &Bodies::template widen<u32>,
             &Bodies::template widen<u64>},
            {&Bodies::template repeat<u8>, &Bodies::template repeat<u16>, &Bodies::template repeat<u32>,
             &Bodies::template repeat<u64>}};
}

namespace portable {

struct repetition {
    // Loops of which compilers make vectors of the level that they are inlined at.
    template <class Count>
    static UPSWEEP_ALWAYS_INLINE std::uint64_t sum(const void* counts, std::size_t n, std::uint64_t* any) {
        const auto* x = static_cast<const Count*>(counts);
        std::uint64_t all = 0;
        Count bits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            all += x[i];
            bits = static_cast<Count>(bits | x[i]);
        }
        *any = bits;
        return all;
    }
    template <class Count>
    static UPSWEEP_ALWAYS_INLINE void widen(std::uint64_t* to, const void* counts, std::size_t n) {
        const auto* x = static_cast<const Count*>(counts);
        for (std::size_t i = 0; i < n; ++i) to[i] = x[i];
    }
    template <class T>
    static repeated repeat(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                           std::size_t n) {
        return repeat_each(static_cast<T*>(dst), room, static_cast<const T*>(src), counts, n);
    }
};
inline constexpr repeat_kernels repeat_table = repeat_table_of<repetition>();
inline constexpr repeat_kernels streaming_repeat_table = repeat_table;

}  // namespace portable
}  // namespace upsweep::cpu
