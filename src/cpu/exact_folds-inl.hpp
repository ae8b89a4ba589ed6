// Folds under operators for which every grouping gives the same bits: four vectors of folds side by side, and
// what is left of a vector behind a mask, so that short sequences cost little more than their loads.
//
// Floating-point minimum and maximum are those of integers (IEEE 754-2019: a NaN wins, -0 < +0). As signed
// numbers of 32 or 64 bits, floats that are not negative are in order, and above negative ones; as unsigned
// numbers, negative floats are in the opposite order, and above the others. NaN lie beyond the infinities
// in either half. So the highest of both kinds tell whether there is a NaN, and which is the maximum unless
// all are negative, or the minimum if any is. Only otherwise the lowest unsigned one is needed.

#if defined(UPSWEEP_EXACT_FOLDS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_EXACT_FOLDS_INL_HPP
#undef UPSWEEP_EXACT_FOLDS_INL_HPP
#else
#define UPSWEEP_EXACT_FOLDS_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/cpu/vector-inl.hpp"
#include "upsweep/operators.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class Op>
inline constexpr bool selects = std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;
template <class Op>
inline constexpr bool is_idempotent =
    selects<Op> || std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or>;

template <int bytes, class Op, class D>
HWY_INLINE void fold_upper(Op op, D d, hn::Vec<D>& v) {
    const hn::Repartition<std::uint8_t, D> as_bytes;
    v = combine(op, v, hn::BitCast(d, hn::ShiftRightBytes<bytes>(as_bytes, hn::BitCast(as_bytes, v))));
}
// All lanes of a vector, by halves.
template <class Op, class D>
HWY_INLINE hn::TFromD<D> fold_lanes(Op op, D d, hn::Vec<D> v) {
    using T = hn::TFromD<D>;
    if constexpr (hn::MaxLanes(D()) * sizeof(T) > 16) {
        const hn::Half<D> half;
        return fold_lanes(op, half, combine(op, hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    } else {
        fold_upper<8>(op, d, v);
        if constexpr (sizeof(T) <= 4) fold_upper<4>(op, d, v);
        if constexpr (sizeof(T) <= 2) fold_upper<2>(op, d, v);
        if constexpr (sizeof(T) == 1) fold_upper<1>(op, d, v);
        return hn::GetLane(v);
    }
}
// Bytes are summed eight at a time.
template <class D>
requires(sizeof(hn::TFromD<D>) == 1) HWY_INLINE hn::TFromD<D> fold_lanes(plus op, D /*d*/, hn::Vec<D> v) {
    const hn::RepartitionToWide<hn::RepartitionToWide<hn::RepartitionToWide<D>>> sums;
    return static_cast<hn::TFromD<D>>(fold_lanes(op, sums, hn::SumsOf8(v)));
}

template <class Op, class V>
HWY_INLINE V fold_four(Op op, const V (&v)[4]) {
    return combine(op, combine(op, v[0], v[1]), combine(op, v[2], v[3]));
}

// each(u, p) for where every vector of n >= lanes<T> elements lies, u < 4 being which of some folds it is
// for; what is left are lanes [from, lanes<T>) of the last vector, of which last(p, from) is called if there
// are any.
template <class T, class Each, class Last>
HWY_INLINE void for_each_vector(const T* x, std::size_t n, const Each& each, const Last& last) {
    constexpr std::size_t width = lanes<T>, together = 4;
    std::size_t i = 0;
    for (; i + together * width <= n; i += together * width) {
        for (std::size_t u = 0; u < together; ++u) each(u, x + i + u * width);
    }
    for (std::size_t u = 0; u < together - 1; ++u) {
        if (i + width > n) break;
        each(u, x + i);
        i += width;
    }
    if (i != n) last(x + n - width, width - (n - i));
}
// As many as a vector has lanes, or fewer, and `rest` in place of the others.
template <class T>
HWY_INLINE vector<T> load_first(const T* x, std::size_t n, T rest) {
    const full<T> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    const auto there = hn::FirstN(d, n);
    return hn::IfThenElse(there, hn::MaskedLoad(there, d, x), hn::Set(d, rest));
#else
    HWY_ALIGN T padded[lanes<T>];
    hn::Store(hn::Set(d, rest), d, padded);
    for (std::size_t i = 0; i < n; ++i) {
        padded[i] = x[i];
        asm volatile("" ::: "memory");  // keeps the loop a loop
    }
    return hn::Load(d, padded);
#endif
}

template <class T, class Op>
struct exact_fold {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_ATTR T fold(const T* x, std::size_t n, T start) {
        constexpr std::size_t few = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 ? 8 : 16;  // sooner one by one
        const full<T> d;
        if (n < width) {
            if (n <= few) {
                for (std::size_t i = 0; i < n; ++i) start = Op()(start, x[i]);
                return start;
            }
            return Op()(start, fold_lanes(Op(), d, load_first(x, n, Op::template identity<T>())));
        }
        const V identity = hn::Set(d, Op::template identity<T>());
        V folds[4] = {identity, identity, identity, identity};
        for_each_vector(
            x, n, [&](std::size_t u, const T* p) HWY_ATTR { folds[u] = op(folds[u], hn::LoadU(d, p)); },
            [&](const T* p, std::size_t from) HWY_ATTR {
                V v = hn::LoadU(d, p);
                if constexpr (!is_idempotent<Op>) v = hn::IfThenElse(hn::FirstN(d, from), identity, v);
                folds[3] = op(folds[3], v);
            });
        return Op()(start, fold_lanes(Op(), d, fold_four(Op(), folds)));
    }
};

// Floating-point minimum and maximum.
template <class T, class Op>
requires std::is_floating_point_v<T>
struct exact_fold<T, Op> {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;
    static constexpr bool is_maximum = std::is_same_v<Op, maximum>;
    static constexpr std::size_t block_size = 16384 / sizeof(T);  // what is looked through twice at most
    // Whether vectors have the minimum and maximum of integers of this size.
    static constexpr bool by_order = sizeof(T) == 4 || HWY_TARGET <= HWY_AVX3;

    static HWY_ATTR T fold(const T* x, std::size_t n, T start) {
        if (n < width) {
            if (n <= 4) {
                for (std::size_t i = 0; i < n; ++i) start = Op()(start, x[i]);
                return start;
            }
            HWY_ALIGN T padded[width];
            hn::Store(load_first(x, n, Op::template identity<T>()), full<T>(), padded);
            return fold_blocks(padded, width, start);
        }
        return fold_blocks(x, n, start);
    }
    static HWY_ATTR T fold_blocks(const T* x, std::size_t n, T start) {
        bool one_sided = false;
        for (std::size_t done = 0; done < n;) {
            // The last block is at least a vector.
            const std::size_t count = n - done < block_size + width ? n - done : block_size;
            T value;
            if constexpr (by_order)
                value = fold_ordered(x + done, count, one_sided);
            else
                value = fold_compared(x + done, count);
            if (value != value) return value;
            start = Op()(start, value);
            done += count;
        }
        return start;
    }

    using Signed = hn::RebindToSigned<full<T>>;
    using Unsigned = hn::RebindToUnsigned<full<T>>;
    using number = hn::TFromD<Signed>;
    using bits = hn::TFromD<Unsigned>;
    static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    static HWY_INLINE T from_bits(bits value) {
        T result;
        std::memcpy(&result, &value, sizeof(T));
        return result;
    }
    static HWY_INLINE bits to_bits(T value) {
        bits result;
        std::memcpy(&result, &value, sizeof(T));
        return result;
    }
    // Of a block. `one_sided` is whether the one before was all negative, or without a negative one, of which
    // the lowest unsigned number is wanted.
    static HWY_INLINE T fold_ordered(const T* x, std::size_t n, bool& one_sided) {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        constexpr bits sign = bits{1} << (sizeof(T) * 8 - 1);
        const bits positive_infinity = to_bits(infinity), negative_infinity = to_bits(-infinity);
        while (true) {
            if (one_sided) {
                const auto [least, most] = extremes<true>(x, n);
                if (is_maximum ? least >= sign : most < sign)
                    return most > (is_maximum ? negative_infinity : positive_infinity) ? nan
                                                                                       : from_bits(least);
                one_sided = false;
            }
            const auto [above, most] = extremes<false>(x, n);
            if (above > static_cast<number>(positive_infinity) || most > negative_infinity) return nan;
            if (is_maximum ? above >= 0 : most >= sign)
                return from_bits(is_maximum ? static_cast<bits>(above) : most);
            one_sided = true;
        }
    }
    // The highest signed or lowest unsigned number, and the highest unsigned one.
    template <bool Lowest>
    static HWY_INLINE auto extremes(const T* x, std::size_t n) {
        const std::conditional_t<Lowest, Unsigned, Signed> d;
        const Unsigned du;
        using lane = hn::TFromD<std::conditional_t<Lowest, Unsigned, Signed>>;
        using first_operator = std::conditional_t<Lowest, minimum, maximum>;
        const auto first_identity = hn::Set(d, first_operator::template identity<lane>());
        hn::Vec<decltype(d)> first[4] = {first_identity, first_identity, first_identity, first_identity};
        hn::Vec<Unsigned> highest[4] = {hn::Zero(du), hn::Zero(du), hn::Zero(du), hn::Zero(du)};
        const auto see = [&](std::size_t u, const T* p) HWY_ATTR {
            const V v = load_once<T>(p);
            first[u] = combine(first_operator(), first[u], hn::BitCast(d, v));
            highest[u] = hn::Max(highest[u], hn::BitCast(du, v));
        };
        for_each_vector(x, n, see, [&](const T* p, std::size_t) HWY_ATTR { see(3, p); });
        struct {
            lane first;
            bits highest;
        } found{fold_lanes(first_operator(), d, fold_four(first_operator(), first)),
                fold_lanes(maximum(), du, fold_four(maximum(), highest))};
        return found;
    }

    // The same by the floating-point operator, which is right but for NaN and for zeros of both signs.
    static HWY_INLINE T fold_compared(const T* x, std::size_t n) {
        const full<T> d;
        const Unsigned du;
        const V identity = hn::Set(d, Op::template identity<T>());
        V folds[4] = {identity, identity, identity, identity};
        V is_nan[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        const auto see = [&](std::size_t u, const T* p) HWY_ATTR {
            const V v = load_once<T>(p);
            folds[u] = combine(Op(), folds[u], v);
            is_nan[u] = hn::Or(is_nan[u], hn::VecFromMask(d, hn::IsNaN(v)));
        };
        for_each_vector(x, n, see, [&](const T* p, std::size_t) HWY_ATTR { see(3, p); });
        const auto all_nan = hn::BitCast(du, fold_four(bit_or(), is_nan));
        if (!hn::AllTrue(du, hn::Eq(all_nan, hn::Zero(du)))) return nan;
        const T value = fold_lanes(Op(), d, fold_four(Op(), folds));
        if (value != T(0)) return value;
        // A maximum is -0 if all have a sign, a minimum if any has one.
        auto signs = hn::Set(du, is_maximum ? ~bits{0} : bits{0});
        const auto look = [&](std::size_t, const T* p) HWY_ATTR {
            const auto v = hn::BitCast(du, hn::LoadU(d, p));
            signs = is_maximum ? hn::And(signs, v) : hn::Or(signs, v);
        };
        for_each_vector(x, n, look, [&](const T* p, std::size_t) HWY_ATTR { look(3, p); });
        using combined = std::conditional_t<is_maximum, bit_and, bit_or>;
        return fold_lanes(combined(), du, signs) >> (sizeof(T) * 8 - 1) != 0 ? T(-0.0) : T(0);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
