// Operators under which every grouping gives the same bits: integers, and floating-point minimum and maximum.
//
// A vector is scanned in registers by doubling distances (Hillis and Steele, 1986) within 128-bit blocks, then
// across blocks. What enters from the left is one more operation on every vector, so the chain from vector to
// vector is a single operation long. Floating-point order is mapped to integer order first.
//
// Cost per vector with n lanes: log2(n) + 1 shuffles, log2(n) + 2 operations, one load and one store.

#if defined(UPSWEEP_EXACT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_EXACT_KERNELS_INL_HPP
#undef UPSWEEP_EXACT_KERNELS_INL_HPP
#else
#define UPSWEEP_EXACT_KERNELS_INL_HPP
#endif

#include <cstddef>
#include <type_traits>

#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct exact {
    using codec = lane_codec<T, Op>;
    using lane = typename codec::lane;
    using V = vector<lane>;
    static constexpr std::size_t width = lanes<lane>;
    static constexpr std::size_t blocks = width / block_lanes<lane>;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<lane>(), Op::template identity<lane>()); }

    // Moves every block up by k lanes and fills with the identity.
    template <std::size_t k>
    static HWY_INLINE V shift(V v) {
        const full<lane> d;
        const V moved = hn::ShiftLeftLanes<k>(d, v);
        if constexpr (Op::template identity<lane>() == lane(0)) {
            return moved;
        } else {
            const V ones = hn::BitCast(d, hn::Set(full<std::uint8_t>(), std::uint8_t{0xff}));
            return hn::Or(moved, hn::AndNot(hn::ShiftLeftLanes<k>(d, ones), identity()));
        }
    }
    template <std::size_t k = 1>
    static HWY_INLINE V scan_block(V v) {
        if constexpr (k < block_lanes<lane>) return scan_block<2 * k>(op(shift<k>(v), v));
        else return v;
    }
    // The last lane of every block, in all lanes of the block.
    static HWY_INLINE V broadcast_last(V v) {
        const full<lane> d;
        if constexpr (sizeof(lane) == 4) {
            return hn::Broadcast<3>(v);
        } else if constexpr (sizeof(lane) == 8) {
            return hn::InterleaveUpper(d, v, v);
        } else {
            const full<std::uint8_t> bytes;
            const auto index = sizeof(lane) == 1 ? hn::Set(bytes, std::uint8_t{15})
                                                 : hn::BitCast(bytes, hn::Set(full<std::uint16_t>(), std::uint16_t{0x0f0e}));
            return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), index));
        }
    }

    // Scans v by itself; *total receives the fold of all its lanes, in every lane.
    static HWY_INLINE V scan_vector(V v, V* total) {
        const full<lane> d;
        v = scan_block(v);
        V sum = broadcast_last(v);
        if constexpr (blocks == 2) {
            v = op(hn::ConcatLowerLower(d, sum, identity()), v);
            sum = op(sum, hn::ConcatLowerUpper(d, sum, sum));
        } else if constexpr (blocks == 4) {
            const V swapped = hn::SwapAdjacentBlocks(sum);
            const V before = hn::OddEvenBlocks(swapped, identity());
            sum = op(sum, swapped);
            v = op(op(hn::ConcatLowerLower(d, sum, identity()), before), v);
            sum = op(sum, hn::ConcatLowerUpper(d, sum, sum));
        }
        *total = sum;
        return v;
    }

    static HWY_ATTR T fold(const T* x, std::size_t n, T start) {
        V sums[4] = {identity(), identity(), identity(), identity()};
        std::size_t i = 0;
        for (; i + 4 * width <= n; i += 4 * width) {
            for (std::size_t u = 0; u < 4; ++u) sums[u] = op(sums[u], codec::load(x + i + u * width));
        }
        for (; i + width <= n; i += width) sums[0] = op(sums[0], codec::load(x + i));
        T parts[width];
        codec::store(op(op(sums[0], sums[1]), op(sums[2], sums[3])), parts);
        T folded = start;
        if (n >= width) {
            for (const T& part : parts) folded = Op()(folded, part);
        }
        for (; i < n; ++i) folded = Op()(folded, x[i]);
        return folded;
    }

    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start) {
        std::size_t i = 0;
        T carry_lanes[width];
        if (n >= width) {
            std::fill_n(carry_lanes, width, start);
            V carry = codec::load(carry_lanes);
            for (; i + width <= n; i += width) {
                V total;
                const V v = scan_vector(codec::load(x + i), &total);
                codec::store(op(carry, v), y + i);
                carry = op(carry, total);
            }
            codec::store(carry, carry_lanes);
            start = carry_lanes[0];
        }
        for (; i < n; ++i) y[i] = start = Op()(start, x[i]);
        return start;
    }

    static constexpr exact_kernels<T> table{&fold, &scan, &exact_lanes<T, Op>::scan, &exact_lanes<T, Op>::fold};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
