// Operators under which every grouping gives the same bits: integers, and floating-point minimum and maximum.
//
// A vector is scanned in registers by doubling distances (Hillis and Steele, 1986) within 128-bit blocks,
// then across blocks. What enters from the left is one more operation on every vector, so the chain from
// vector to vector is a single operation long. Floating-point order is mapped to integer order first.
//
// Cost per vector with n lanes: log2(n) + 1 shuffles, log2(n) + 2 operations, one load and one store.

#if defined(UPSWEEP_EXACT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_EXACT_KERNELS_INL_HPP
#undef UPSWEEP_EXACT_KERNELS_INL_HPP
#else
#define UPSWEEP_EXACT_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op, class Codec>
struct register_scan {
    using codec = Codec;
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
            return hn::Or(moved, hn::AndNot(hn::ShiftLeftLanes<k>(d, ones),
                                            identity()));  // all ones where k lanes moved in
        }
    }
    template <std::size_t k = 1>
    static HWY_INLINE V scan_block(V v) {
        if constexpr (k < block_lanes<lane>)
            return scan_block<2 * k>(op(shift<k>(v), v));
        else
            return v;
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
            const auto index =
                sizeof(lane) == 1 ? hn::Set(bytes, std::uint8_t{15})
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

    template <placement Where>
    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start, const void* ahead) {
        constexpr std::size_t together =
            std::max<std::size_t>(1, 64 / (width * sizeof(T)));  // vectors of a cache line
        std::size_t i = 0;
        if constexpr (Where == placement::streamed) {  // up to the first whole vector of y
            for (; i < n && reinterpret_cast<std::uintptr_t>(y + i) % (width * sizeof(T)) != 0; ++i)
                y[i] = start = Op()(start, x[i]);
        }
        if (n - i >= width) {
            T carry_lanes[width];
            std::fill_n(carry_lanes, width, start);
            V carry = codec::load(carry_lanes);
            const auto step = [&] {
                V total;
                const V v = scan_vector(codec::load(x + i), &total);
                codec::template store<Where>(op(carry, v), y + i);
                carry = op(carry, total);
                i += width;
            };
            while (i + together * width <= n) {
                if (ahead != nullptr) prefetch(ahead, i * sizeof(T), together * width * sizeof(T));
                for (std::size_t k = 0; k < together; ++k) step();
            }
            while (i + width <= n) step();
            codec::store(carry, carry_lanes);
            start = carry_lanes[0];
        }
        for (; i < n; ++i) y[i] = start = Op()(start, x[i]);
        return start;
    }
};

template <class T, class Op>
struct exact {
    using body = register_scan<T, Op, lane_codec<T, Op>>;

    static HWY_ATTR T fold(const T* x, std::size_t n, T start) { return body::fold(x, n, start); }
    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start, placement where, const void* ahead) {
        return where == placement::streamed ? body::template scan<placement::streamed>(x, y, n, start, ahead)
                                            : body::template scan<placement::cached>(x, y, n, start, ahead);
    }
    static constexpr exact_kernels<T> table{sizeof(T), &fold, &scan, &exact_lanes<T, Op>::scan,
                                            &exact_lanes<T, Op>::fold};
};

// Floating-point minimum and maximum look at a guarded block first, in the first-level cache: without a NaN
// or a -0 they need no mapping to integers.
template <class T, class Op>
requires std::is_floating_point_v<T>
struct exact<T, Op> {
    using mapped = register_scan<T, Op, lane_codec<T, Op>>;
    using plain = register_scan<T, Op, plain_codec<T>>;
    static constexpr std::size_t guarded = 2048 / sizeof(T);

    static HWY_INLINE bool is_plain(T value) {
        return value == value && !(value == T(0) && std::signbit(value));
    }
    static HWY_ATTR bool are_plain(const T* x, std::size_t n) {
        const full<T> d;
        const hn::RebindToUnsigned<full<T>> bits;
        const auto negative_zero = hn::BitCast(bits, hn::Set(d, T(-0.0)));
        auto special = hn::Zero(bits);
        std::size_t i = 0;
        for (; i + lanes<T> <= n; i += lanes<T>) {
            const auto v = hn::LoadU(d, x + i);
            special = hn::Or(special, hn::VecFromMask(bits, hn::RebindMask(bits, hn::IsNaN(v))));
            special = hn::Or(special, hn::VecFromMask(bits, hn::Eq(hn::BitCast(bits, v), negative_zero)));
        }
        bool fine = hn::AllTrue(bits, hn::Eq(special, hn::Zero(bits)));
        for (; i < n; ++i) fine = fine && is_plain(x[i]);
        return fine;
    }

    static HWY_ATTR T fold(const T* x, std::size_t n, T start) {
        for (std::size_t i = 0; i < n; i += guarded) {
            const std::size_t count = std::min(guarded, n - i);
            start = is_plain(start) && are_plain(x + i, count) ? plain::fold(x + i, count, start)
                                                               : mapped::fold(x + i, count, start);
        }
        return start;
    }
    template <placement Where>
    static HWY_ATTR T scan_as(const T* x, T* y, std::size_t n, T start, const void* ahead) {
        for (std::size_t i = 0; i < n; i += guarded) {
            const std::size_t count = std::min(guarded, n - i);
            const void* next = ahead == nullptr ? nullptr : static_cast<const T*>(ahead) + i;
            start = is_plain(start) && are_plain(x + i, count)
                        ? plain::template scan<Where>(x + i, y + i, count, start, next)
                        : mapped::template scan<Where>(x + i, y + i, count, start, next);
        }
        return start;
    }
    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start, placement where, const void* ahead) {
        return where == placement::streamed ? scan_as<placement::streamed>(x, y, n, start, ahead)
                                            : scan_as<placement::cached>(x, y, n, start, ahead);
    }
    static constexpr exact_kernels<T> table{sizeof(T), &fold, &scan, &exact_lanes<T, Op>::scan,
                                            &exact_lanes<T, Op>::fold};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
