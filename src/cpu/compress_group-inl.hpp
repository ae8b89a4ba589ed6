// The chosen lanes of a vector, packed to its front: what compaction and partition by a pivot are made of.

#if defined(UPSWEEP_COMPRESS_GROUP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_COMPRESS_GROUP_INL_HPP
#undef UPSWEEP_COMPRESS_GROUP_INL_HPP
#else
#define UPSWEEP_COMPRESS_GROUP_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET == HWY_AVX3
#include <immintrin.h>
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Eight lanes, those of a choice first and then the others, for every choice among them.
alignas(64) inline constexpr auto chosen_of_eight = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (std::size_t choice = 0; choice < 256; ++choice) {
        std::size_t at = 0;
        for (std::uint8_t lane = 0; lane < 8; ++lane)
            if ((choice >> lane & 1) != 0) table[choice][at++] = lane;
        for (std::uint8_t lane = 0; lane < 8; ++lane)
            if ((choice >> lane & 1) == 0) table[choice][at++] = lane;
    }
    return table;
}();

// The choice among half or a quarter as many lanes, of lanes twice or four times as wide.
alignas(64) inline constexpr auto choice_of_pairs = [] {
    std::array<std::uint8_t, 16> table{};
    for (std::size_t choice = 0; choice < 16; ++choice)
        for (std::size_t lane = 0; lane < 8; ++lane)
            table[choice] = static_cast<std::uint8_t>(table[choice] | (choice >> (lane / 2) & 1) << lane);
    return table;
}();
inline constexpr std::array<std::uint8_t, 4> choice_of_quads{0x00, 0x0f, 0xf0, 0xff};

// Eight lanes of one or two bytes, or two or four of 8 / 4 bytes; the chosen ones first, by the bits' lowest
// ones. What follows them are the others in order, or, where AVX-512 packs, what was in those lanes.
template <class T>
struct compress_group {
    static constexpr std::size_t size = std::min<std::size_t>(8, 16 / sizeof(T));
    using tag = hn::CappedTag<T, size>;
    static HWY_INLINE hn::Vec<tag> packed(hn::Vec<tag> v, std::uint64_t bits) {
        const hn::CappedTag<std::uint8_t, 8> bytes;
        if constexpr (sizeof(T) == 1) {
            return hn::TableLookupBytes(v, hn::LoadU(bytes, chosen_of_eight[bits & 255].data()));
        } else {
            const hn::CappedTag<std::uint16_t, 8> words;
            const std::size_t choice = sizeof(T) == 2   ? bits & 255
                                       : sizeof(T) == 4 ? choice_of_pairs[bits & 15]
                                                        : choice_of_quads[bits & 3];
            const auto lane = hn::PromoteTo(words, hn::LoadU(bytes, chosen_of_eight[choice].data()));
            // Bytes 2 k and 2 k + 1 of lane k.
            const auto at =
                hn::Add(hn::Add(hn::ShiftLeft<1>(lane), hn::ShiftLeft<9>(lane)), hn::Set(words, 0x0100));
            return hn::BitCast(tag(), hn::TableLookupBytes(hn::BitCast(words, v), at));
        }
    }
};

#if HWY_TARGET == HWY_AVX2
// Eight lanes of four bytes, or four of eight.
template <class T>
struct wide_compress_group {
    static constexpr std::size_t size = lanes<T>;
    using tag = full<T>;
    static HWY_INLINE hn::Vec<tag> packed(hn::Vec<tag> v, std::uint64_t bits) {
        const full<std::uint32_t> words;
        const hn::Rebind<std::uint8_t, full<std::uint32_t>> bytes;
        const std::size_t choice = sizeof(T) == 4 ? bits & 255 : choice_of_pairs[bits & 15];
        const auto lane = hn::PromoteTo(words, hn::LoadU(bytes, chosen_of_eight[choice].data()));
        return hn::BitCast(tag(),
                           hn::TableLookupLanes(hn::BitCast(words, v), hn::IndicesFromVec(words, lane)));
    }
};
template <>
struct compress_group<std::uint32_t> : wide_compress_group<std::uint32_t> {};
template <>
struct compress_group<std::uint64_t> : wide_compress_group<std::uint64_t> {};
#endif

#if HWY_TARGET == HWY_AVX3
// AVX-512 packs lanes of four and eight bytes by itself. What is packed goes to the register that it comes
// from: a Zen 5 waits for what was there before even where it is to be zeros, 5 cycles from one vector to the
// next that a compiler gives the same register, instead of 1.
template <>
struct compress_group<std::uint32_t> {
    static constexpr std::size_t size = 16;
    using tag = full<std::uint32_t>;
    static HWY_INLINE hn::Vec<tag> packed(hn::Vec<tag> v, std::uint64_t bits) {
        return hn::Vec<tag>{_mm512_mask_compress_epi32(v.raw, static_cast<__mmask16>(bits), v.raw)};
    }
};
template <>
struct compress_group<std::uint64_t> {
    static constexpr std::size_t size = 8;
    using tag = full<std::uint64_t>;
    static HWY_INLINE hn::Vec<tag> packed(hn::Vec<tag> v, std::uint64_t bits) {
        return hn::Vec<tag>{_mm512_mask_compress_epi64(v.raw, static_cast<__mmask8>(bits), v.raw)};
    }
};
#endif

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
