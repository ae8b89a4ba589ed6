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
    template <class Count>
    static std::uint64_t sum(const void* counts, std::size_t n, std::uint64_t* any) {
        return portable::repetition::sum<Count>(counts, n, any);
    }
    template <class Count>
    static void widen(std::uint64_t* to, const void* counts, std::size_t n) {
        portable::repetition::widen<Count>(to, counts, n);
    }

    template <class T>
    static repeated repeat(void* dst, std::size_t room, const void* src, std::uint64_t* counts,
                           std::size_t n) {
        const run<T> of{static_cast<T*>(dst), room, static_cast<const T*>(src), counts, n};
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < n; ++i) all += counts[i];
        // Most elements should have no more results than are stored at once: twice the mean.
        const std::uint64_t vectors = (2 * all / n + 1) / width<T>;
        return vectors == 0   ? of.template write<1>()
               : vectors == 1 ? of.template write<2>()
               : vectors < 4  ? of.template write<4>()
                              : of.template write<8>();
    }

  private:
    // Half of a cache line: most stores of whole ones would go to two.
    template <class T>
    using half_line = hn::CappedTag<T, 32 / sizeof(T)>;
    template <class T>
    static constexpr std::size_t width = hn::MaxLanes(half_line<T>());

    template <class T>
    struct run {
        T* to;
        std::size_t room;
        const T* from;
        std::uint64_t* counts;
        std::size_t n;

        // Of every element so many vectors are stored, whether it has as many results or not, so that no
        // branch depends on the counts of those that have fewer.
        template <std::size_t Vectors>
        HWY_ATTR repeated write() const {
            constexpr std::size_t most = Vectors * width<T>, together = 4;
            const half_line<T> d;
            std::size_t i = 0, at = 0;
            const auto store = [&](std::size_t k) HWY_ATTR {
                const auto value = hn::Set(d, from[k]);
                for (std::size_t vector = 0; vector < Vectors; ++vector)
                    hn::StoreU(value, d, to + at + vector * width<T>);
            };
            while (i + together <= n && room - at >= together * most) {
                const std::uint64_t* const c = counts + i;
                if (HWY_LIKELY((c[0] | c[1] | c[2] | c[3]) < most)) {
                    for (std::size_t k = 0; k < together; ++k) {
                        store(i + k);
                        at += c[k];
                    }
                    i += together;
                    continue;
                }
                for (const std::size_t end = i + together; i < end && room - at >= most; ++i) {
                    if (counts[i] < most) {
                        store(i);
                        at += counts[i];
                    } else if (!write_one(i, at)) {
                        return {i, at};
                    }
                }
            }
            for (; i < n; ++i) {
                if (!write_one(i, at)) return {i, at};
            }
            return {n, at};
        }
        // Whether all results of element i have room, to[at] being the first.
        HWY_ATTR bool write_one(std::size_t i, std::size_t& at) const {
            const half_line<T> d;
            const std::size_t part = std::min<std::uint64_t>(counts[i], room - at);
            T* const first = to + at;
            at += part;
            if (part >= width<T>) {
                const auto value = hn::Set(d, from[i]);
                for (std::size_t k = 0; k + width<T> <= part; k += width<T>) hn::StoreU(value, d, first + k);
                hn::StoreU(value, d, first + part - width<T>);
            } else {
                for (std::size_t k = 0; k < part; ++k) first[k] = from[i];
            }
            counts[i] -= part;
            return counts[i] == 0;
        }
    };
};
inline constexpr repeat_kernels repeat_table = repeat_table_of<repetition>();

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
