// Compaction: the chosen lanes of a vector become its first ones, and the next vector is stored behind them.

#if defined(UPSWEEP_COMPRESS_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_COMPRESS_KERNELS_INL_HPP
#undef UPSWEEP_COMPRESS_KERNELS_INL_HPP
#else
#define UPSWEEP_COMPRESS_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/compress_group-inl.hpp"
#include "src/cpu/portable_compress.hpp"
#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
// AVX-512 packs lanes of one and two bytes with VBMI2, which some of its processors lack.
#define UPSWEEP_VBMI2_ATTR __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))

inline bool has_vbmi2() {
    static const bool has = __builtin_cpu_supports("avx512vbmi2") != 0;
    return has;
}
template <class T>
UPSWEEP_VBMI2_ATTR std::size_t compress_vbmi2(T* to, std::size_t room, const T* from,
                                              const std::uint64_t* bits, std::size_t count) {
    constexpr std::size_t width = 64 / sizeof(T);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count && at != room; i += width) {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - std::min(width, count - i));
        const std::uint64_t chosen = bits[i / 64] >> (i % 64) & all;
        const auto found = static_cast<std::size_t>(__builtin_popcountll(chosen));
        const std::size_t kept = std::min(found, room - at);
        const std::uint64_t first = kept == 0 ? 0 : ~std::uint64_t{0} >> (64 - kept);
        if constexpr (sizeof(T) == 1) {
            const __m512i x = _mm512_maskz_loadu_epi8(all, from + i);
            const __m512i v = _mm512_mask_compress_epi8(x, chosen, x);  // compress_group-inl.hpp says why
            if (at + width <= room)
                _mm512_storeu_si512(to + at, v);
            else
                _mm512_mask_storeu_epi8(to + at, first, v);
        } else {
            const auto lanes_of = [](std::uint64_t mask) { return static_cast<__mmask32>(mask); };
            const __m512i x = _mm512_maskz_loadu_epi16(lanes_of(all), from + i);
            const __m512i v = _mm512_mask_compress_epi16(x, lanes_of(chosen), x);
            if (at + width <= room)
                _mm512_storeu_si512(to + at, v);
            else
                _mm512_mask_storeu_epi16(to + at, lanes_of(first), v);
        }
        at += kept;
    }
    return at;
}
#endif

struct compression {
    static HWY_ATTR std::size_t count(const std::uint64_t* bits, std::size_t words) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < words; ++i) sum += count_of(bits[i]);
        return sum;
    }
    template <class T>
    static HWY_ATTR std::size_t compress(void* dst, std::size_t room, const void* src,
                                         const std::uint64_t* bits, std::size_t count) {
        auto* to = static_cast<T*>(dst);
        const auto* from = static_cast<const T*>(src);
#if HWY_TARGET == HWY_AVX3
        if constexpr (sizeof(T) <= 2) {
            if (has_vbmi2()) return compress_vbmi2(to, room, from, bits, count);
        }
#endif
        const std::size_t words = (count + 63) / 64;
        if (room <= few * words || compression::count(bits, words) <= few * words)
            return move_each(to, room, from, bits, count);
        std::size_t at = 0;
        std::size_t i = 0;
        for (; i + 64 <= count && at + 64 <= room; i += 64) at += move_word(to + at, from + i, bits[i / 64]);
        for (; i + 64 <= count && at != room; i += 64)
            at += move_last(to + at, room - at, from + i, bits[i / 64]);
        if (i == count || at == room) return at;
        T rest[64] = {};
        std::memcpy(rest, from + i, (count - i) * sizeof(T));
        return at + move_last(to + at, room - at, rest, first_bits(bits[i / 64], count - i));
    }

  private:
    static constexpr std::size_t few = 4;  // of 64 elements: moved one by one

    static HWY_INLINE std::size_t count_of(std::uint64_t bits) {
        return static_cast<std::size_t>(__builtin_popcountll(bits));
    }
    template <class T>
    static HWY_INLINE std::size_t move_each(T* to, std::size_t room, const T* from, const std::uint64_t* bits,
                                            std::size_t count) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; i += 64) {
            std::uint64_t left = bits[i / 64];
            if (count - i < 64) left = first_bits(left, count - i);
            for (; left != 0; left &= left - 1) {
                if (at == room) return at;
                to[at++] = from[i + static_cast<std::size_t>(__builtin_ctzll(left))];
            }
        }
        return at;
    }
    // The chosen ones of 64 elements; writes to[0] to to[63] at most.
    template <class T>
    static HWY_INLINE std::size_t move_word(T* to, const T* from, std::uint64_t word) {
        using group = compress_group<T>;
        constexpr std::uint64_t all = ~std::uint64_t{0} >> (64 - group::size);
        const typename group::tag d;
        std::size_t at = 0;
        for (std::size_t k = 0; k < 64; k += group::size) {
            const std::uint64_t chosen = word >> k & all;
            hn::StoreU(group::packed(hn::LoadU(d, from + k), chosen), d, to + at);
            at += count_of(chosen);
        }
        return at;
    }
    // The same where there is room for few.
    template <class T>
    static HWY_INLINE std::size_t move_last(T* to, std::size_t room, const T* from, std::uint64_t word) {
        using group = compress_group<T>;
        constexpr std::uint64_t all = ~std::uint64_t{0} >> (64 - group::size);
        const typename group::tag d;
        std::size_t at = 0;
        for (std::size_t k = 0; k < 64 && at != room; k += group::size) {
            const std::uint64_t chosen = word >> k & all;
            const auto v = group::packed(hn::LoadU(d, from + k), chosen);
            if (at + group::size <= room) {
                hn::StoreU(v, d, to + at);
                at += count_of(chosen);
            } else {
                alignas(64) T last[group::size];
                hn::StoreU(v, d, last);
                const std::size_t kept = std::min(count_of(chosen), room - at);
                std::memcpy(to + at, last, kept * sizeof(T));
                at += kept;
            }
        }
        return at;
    }
};
inline constexpr compress_kernels compress_table = compress_table_of<compression>();

// Whether a <= b: for integers, whether it is not above.
template <class T, class V>
HWY_INLINE auto at_most(V a, V b) {
    if constexpr (std::is_floating_point_v<T>)
        return hn::Le(a, b);
    else
        return hn::Not(hn::Lt(b, a));
}
template <class T>
HWY_ATTR void compare(const T* x, std::size_t count, const compared_with<T>& with, std::uint64_t* bits) {
    const full<T> d;
    const auto value = hn::Set(d, with.value);
    const auto all = [&](const auto& test) HWY_ATTR { mark_elements(x, count, bits, test); };
    using v = vector<T>;
    switch (with.how) {
        case comparison::less:
            return all([&](v e) HWY_ATTR { return hn::Lt(e, value); });
        case comparison::less_equal:
            return all([&](v e) HWY_ATTR { return at_most<T>(e, value); });
        case comparison::equal:
            return all([&](v e) HWY_ATTR { return hn::Eq(e, value); });
        case comparison::not_equal:
            return all([&](v e) HWY_ATTR { return hn::Not(hn::Eq(e, value)); });
        case comparison::greater_equal:
            return all([&](v e) HWY_ATTR { return at_most<T>(value, e); });
        case comparison::greater:
            return all([&](v e) HWY_ATTR { return hn::Lt(value, e); });
    }
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
