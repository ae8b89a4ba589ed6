// Repeated elements: a vector of each is stored, and the next one's behind as many of its lanes as it has
// results.

#if defined(UPSWEEP_REPEAT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_REPEAT_KERNELS_INL_HPP
#undef UPSWEEP_REPEAT_KERNELS_INL_HPP
#else
#define UPSWEEP_REPEAT_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/portable_repeat.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

struct repetition {
    // Loops of which compilers make vectors of this level.
    template <class Count>
    static std::uint64_t sum(const void* counts, std::size_t n, std::uint64_t* any) {
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
    static void widen(std::uint64_t* to, const void* counts, std::size_t n) {
        const auto* x = static_cast<const Count*>(counts);
        for (std::size_t i = 0; i < n; ++i) to[i] = x[i];
    }

    // Half of a cache line at once: most stores of whole ones would go to two.
    template <class T>
    static repeated repeat(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                           std::size_t n) {
        const hn::CappedTag<T, 32 / sizeof(T)> d;
        constexpr std::size_t width = hn::MaxLanes(d);
        auto* const to = static_cast<T*>(dst);
        const auto* const from = static_cast<const T*>(src);
        std::size_t i = 0, at = 0;
        for (; i < n && room - at >= width; ++i) {
            const auto value = hn::Set(d, from[i]);
            const std::uint64_t count = counts[i];
            hn::StoreU(value, d, to + at);
            if (HWY_LIKELY(count <= width)) {
                at += count;
                continue;
            }
            const std::size_t part = std::min<std::uint64_t>(count, room - at);
            for (std::size_t k = width; k + width < part; k += width) hn::StoreU(value, d, to + at + k);
            hn::StoreU(value, d, to + at + part - width);
            at += part;
            if (part != count) {
                counts[i] -= part;
                return {i, at};
            }
        }
        const repeated rest =
            portable::repetition::repeat<T>(to + at, room - at, from + i, counts + i, n - i);
        return {i + rest.elements, at + rest.results};
    }
};
inline constexpr repeat_kernels repeat_table = repeat_table_of<repetition>();

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
