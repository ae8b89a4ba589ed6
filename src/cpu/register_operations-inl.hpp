// Scans of a vector in its register, and what puts windows over vectors together (register_scan-inl.hpp), for
// operators under which every grouping gives the same bits.
//
// A vector by itself is scanned by doubling distances (Hillis and Steele, 1986) within 128-bit blocks, then
// across blocks; with AVX-512 and lanes of four and eight bytes through all of it at once. What enters from
// the left is one more operation on every vector, so the chain from vector to vector is a single operation
// long. Of n lanes: log2(n) + 1 shuffles and log2(n) + 2 operations.

#if defined(UPSWEEP_REGISTER_OPERATIONS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_REGISTER_OPERATIONS_INL_HPP
#undef UPSWEEP_REGISTER_OPERATIONS_INL_HPP
#else
#define UPSWEEP_REGISTER_OPERATIONS_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "src/cpu/vector-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Lanes under Op. Backwards everything is mirrored: what comes first lies in the highest lane.
template <class Lane, class Op>
struct register_operations {
    using V = vector<Lane>;
    static constexpr std::size_t width = lanes<Lane>;
    static constexpr std::size_t blocks = width / block_lanes<Lane>;
    static constexpr bool zero_identity =
        std::is_integral_v<Lane> && Op::template identity<Lane>() == Lane(0);

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<Lane>(), Op::template identity<Lane>()); }

    // Moves every block by k lanes, away from the first, and fills with the identity.
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V shift(V v) {
        const full<Lane> d;
        const auto move = [&](V lanes_of) HWY_ATTR {
            if constexpr (Backwards)
                return hn::ShiftRightLanes<k>(d, lanes_of);
            else
                return hn::ShiftLeftLanes<k>(d, lanes_of);
        };
        if constexpr (zero_identity) {
            return move(v);
        } else {
            const V ones = hn::BitCast(d, hn::Set(full<std::uint8_t>(), std::uint8_t{0xff}));
            return hn::Or(move(v), hn::AndNot(move(ones), identity()));  // all ones where k lanes moved in
        }
    }
    // Moves all of v by some bytes, away from the first; the last bytes of `before`, the vector next to it,
    // move in. AVX-512 does that at once for whole words of 32 bits.
    template <std::size_t bytes, bool Backwards>
    static HWY_INLINE V follow_bytes(V before, V v) {
        const full<Lane> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
        if constexpr (bytes % 4 == 0) {
            const full<std::uint32_t> words;
            const auto a = hn::BitCast(words, Backwards ? before : v),
                       b = hn::BitCast(words, Backwards ? v : before);
            constexpr int lowest = static_cast<int>((Backwards ? bytes : 64 - bytes) / 4);
            return hn::BitCast(d, hn::VFromD<decltype(words)>{_mm512_alignr_epi32(a.raw, b.raw, lowest)});
        } else {
            return follow_in_blocks<bytes, Backwards>(follow_bytes<16, Backwards>(before, v), v);
        }
#else
        if constexpr (blocks == 1) {
            if constexpr (bytes == 16)
                return before;
            else
                return follow_in_blocks<bytes, Backwards>(before, v);
        } else {
            static_assert(blocks == 2);
            const V moved =
                Backwards ? hn::ConcatLowerUpper(d, before, v) : hn::ConcatLowerUpper(d, v, before);
            if constexpr (bytes == 16)
                return moved;
            else
                return follow_in_blocks<bytes, Backwards>(moved, v);
        }
#endif
    }
    template <std::size_t bytes, bool Backwards>
    static HWY_INLINE V follow_in_blocks(V before, V v) {
        const full<Lane> d;
        if constexpr (Backwards)
            return hn::CombineShiftRightBytes<bytes>(d, before, v);
        else
            return hn::CombineShiftRightBytes<16 - bytes>(d, v, before);
    }
    // The same by k lanes.
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V follow(V before, V v) {
        return follow_bytes<k * sizeof(Lane), Backwards>(before, v);
    }
    // AVX-512 moves lanes of four and eight bytes through all of a vector at once.
    static constexpr bool slides = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 && sizeof(Lane) >= 4;
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V slide(V v, V from) {
        return follow<k, Backwards>(from, v);
    }
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V scan_lanes(V v) {
        if constexpr (k < width)
            return scan_lanes<2 * k, Backwards>(op(slide<k, Backwards>(v, identity()), v));
        else
            return v;
    }
    // Every block by itself.
    template <bool Backwards>
    static HWY_INLINE V scan_block(V v) {
        if constexpr (zero_identity && sizeof(Lane) < 8)
            return join_halves<Backwards>(scan_words<1, Backwards>(v));
        else
            return scan_distances<1, Backwards>(v);
    }
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V scan_distances(V v) {
        if constexpr (k < block_lanes<Lane>)
            return scan_distances<2 * k, Backwards>(op(shift<k, Backwards>(v), v));
        else
            return v;
    }
    // Where moving zeros in is right, words of 64 bits are scanned by plain shifts, which leaves the shuffle
    // unit to others, and the total of a block's first word goes to all lanes of its second.
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V scan_words(V v) {
        if constexpr (k * sizeof(Lane) < 8) {
            const full<std::uint64_t> wide;
            constexpr int distance = static_cast<int>(8 * k * sizeof(Lane));
            const auto words = hn::BitCast(wide, v);
            const auto moved = Backwards ? hn::ShiftRight<distance>(words) : hn::ShiftLeft<distance>(words);
            return scan_words<2 * k, Backwards>(op(hn::BitCast(full<Lane>(), moved), v));
        } else {
            return v;
        }
    }
    template <bool Backwards>
    static HWY_INLINE V join_halves(V v) {
        HWY_ALIGN static constexpr auto index = [] {
            std::array<std::uint8_t, 16> made{};
            for (std::size_t i = 0; i < 16; ++i) {
                const std::size_t last =
                    Backwards ? 8 + i % sizeof(Lane) : 8 - sizeof(Lane) + i % sizeof(Lane);
                made[i] = static_cast<std::uint8_t>((i < 8) == Backwards ? last : 0x80);
            }
            return made;
        }();
        const full<std::uint8_t> bytes;
        const auto total =
            hn::TableLookupBytesOr0(hn::BitCast(bytes, v), hn::LoadDup128(bytes, index.data()));
        return op(hn::BitCast(full<Lane>(), total), v);
    }
    // Lane K of every block, in all lanes of the block.
    template <std::size_t K>
    static HWY_INLINE V broadcast_lane(V v) {
        const full<Lane> d;
        if constexpr (sizeof(Lane) == 4) {
            return hn::Broadcast<static_cast<int>(K)>(v);
        } else if constexpr (sizeof(Lane) == 8) {
            return K == 0 ? hn::InterleaveLower(d, v, v) : hn::InterleaveUpper(d, v, v);
        } else {
            const full<std::uint8_t> bytes;
            const full<std::uint16_t> pairs;
            const auto index =
                sizeof(Lane) == 1
                    ? hn::Set(bytes, static_cast<std::uint8_t>(K))
                    : hn::BitCast(bytes, hn::Set(pairs, static_cast<std::uint16_t>(0x0100 + 0x0202 * K)));
            return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), index));
        }
    }

    // What is before each block, where every lane of a block has the block's fold; *total receives the fold
    // of all blocks.
    template <bool Backwards>
    static HWY_INLINE V before_blocks(V sum, V* total) {
        const full<Lane> d;
        V before = identity();
        if constexpr (blocks >= 2) {
            V neighbours = identity();
            if constexpr (blocks == 4) {
                const V swapped = hn::SwapAdjacentBlocks(sum);
                neighbours = Backwards ? hn::OddEvenBlocks(neighbours, swapped)
                                       : hn::OddEvenBlocks(swapped, neighbours);
                sum = op(sum, swapped);
            }
            before = Backwards ? hn::ConcatUpperUpper(d, before, sum) : hn::ConcatLowerLower(d, sum, before);
            if constexpr (blocks == 4) before = op(before, neighbours);
            sum = op(sum, hn::ConcatLowerUpper(d, sum, sum));
        }
        *total = sum;
        return before;
    }
    // Whether elements can be taken out of results again.
    static constexpr bool undoes = std::is_same_v<Op, plus> || std::is_same_v<Op, bit_xor>;
    static HWY_INLINE V take_out(V results, V elements) {
        if constexpr (std::is_same_v<Op, plus>)
            return hn::Sub(results, elements);
        else
            return hn::Xor(results, elements);
    }
    // Every block's values before those of `within`, its scan of the elements.
    template <bool Backwards>
    static HWY_INLINE V exclude(V within, V elements) {
        if constexpr (undoes)
            return take_out(within, elements);
        else
            return shift<1, Backwards>(within);
    }
    // The results of a vector of elements; `carry` is what is before them, in every lane, and is advanced.
    template <bool Backwards>
    static HWY_INLINE V scan_next(V elements, V& carry, bool exclusive) {
        const full<Lane> d;
        V total, results;
        if constexpr (slides) {
            const V within = scan_lanes<1, Backwards>(elements);
            total = hn::TableLookupLanes(
                within,
                hn::IndicesFromVec(d, hn::Set(hn::RebindToSigned<full<Lane>>(), Backwards ? 0 : width - 1)));
            const V after = op(carry, within);
            if constexpr (undoes)
                results = exclusive ? take_out(after, elements) : after;
            else
                results = exclusive ? slide<1, Backwards>(after, carry) : after;
        } else {
            constexpr std::size_t last = Backwards ? 0 : block_lanes<Lane> - 1;
            const V within = scan_block<Backwards>(elements);
            const V outside = before_blocks<Backwards>(broadcast_lane<last>(within), &total);
            const V start = blocks == 1 ? carry : op(carry, outside);
            results = op(start, exclusive ? exclude<Backwards>(within, elements) : within);
        }
        carry = op(carry, total);
        return results;
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
