// Operators under which every grouping gives the same bits: integers, and floating-point minimum and maximum.
// Vectors are scanned in registers (register_scan-inl.hpp); floating-point order is mapped to integer order
// first.

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
#include <limits>
#include <type_traits>

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/exact_folds-inl.hpp"
#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/register_scan-inl.hpp"
#include "src/cpu/strip_kernels-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct exact {
    using body = register_scan<T, Op, lane_codec<T, Op>>;

    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        return with_pass(pass, [&]<placement Where, bool Backwards>() HWY_ATTR {
            return body::template scan<Where, Backwards>(x, y, n, start, pass);
        });
    }
    static constexpr exact_kernels<T> table{sizeof(T),
                                            lanes<T>,
                                            &exact_fold<T, Op>::fold,
                                            &scan,
                                            &exact_lanes<T, Op>::scan,
                                            &exact_lanes<T, Op>::fold,
                                            &exact_strips<T, Op>::scan};
};

// Sums, products and bitwise operators wrap around: the bits of signed integers are those of unsigned ones,
// and so are their kernels.
template <class T, class Op>
requires(std::is_signed_v<T>&& std::is_integral_v<T> && !selects<Op>) struct exact<T, Op> {
    using U = std::make_unsigned_t<T>;
    using same = exact<U, Op>;

    static const U* from(const T* x) { return reinterpret_cast<const U*>(x); }
    static U* from(T* x) { return reinterpret_cast<U*>(x); }
    static lane_block<U> from(const lane_block<T>& block) {
        return {from(block.x), block.x_stride,  from(block.y), block.y_stride, block.length,
                block.lanes,   block.exclusive, block.where,   block.lead};
    }

    static T fold(const T* x, std::size_t n, T start) {
        return static_cast<T>(exact_fold<U, Op>::fold(from(x), n, static_cast<U>(start)));
    }
    static T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        return static_cast<T>(same::scan(from(x), from(y), n, static_cast<U>(start), pass));
    }
    static void scan_lanes(const lane_block<T>& block, T* carry) {
        exact_lanes<U, Op>::scan(from(block), from(carry));
    }
    static void fold_lanes(const lane_block<T>& block, T* carry) {
        exact_lanes<U, Op>::fold(from(block), from(carry));
    }
    static void scan_strips(const strip_block<T>& block, T start) {
        exact_strips<U, Op>::scan({from(block.x), block.x_pitch, from(block.y), block.y_pitch, block.length,
                                   block.count, block.exclusive, block.last_alone},
                                  static_cast<U>(start));
    }
    static constexpr exact_kernels<T> table{sizeof(T),   lanes<T>,    &fold,       &scan,
                                            &scan_lanes, &fold_lanes, &scan_strips};
};

// Minimum and maximum: a running value that nothing beats stays, and mostly nothing does. So vectors are
// compared with it first, and only where one beats it are elements scanned: few at first, and twice as many
// each time that the next vectors beat it again.
template <class T, class Op>
requires selects<Op>
struct exact<T, Op> {
    using mapped = register_scan<T, Op, lane_codec<T, Op>>;
    using plain = register_scan<T, Op, plain_codec<T>>;
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t together = 4;  // vectors compared at once
    static constexpr std::size_t largest_block = 2048 / sizeof(T);
    // Records are frequent at the beginning: a sequence no longer than this is scanned at once.
    static constexpr std::size_t short_size = std::min<std::size_t>(1024, 4096 / sizeof(T));
    static constexpr bool is_float = std::is_floating_point_v<T>;

    // Without a NaN or a -0 among them, floating-point numbers need no mapping to integers.
    static HWY_INLINE bool is_plain(T value) {
        if constexpr (is_float)
            return value == value && !(value == T(0) && std::signbit(value));
        else
            return true;
    }
    // Whether all elements of the vectors seen are plain.
    struct plain_test {
        using bits = hn::RebindToUnsigned<full<T>>;
        // Bits as unsigned numbers: a NaN with its sign set lies above -infinity. Less one, as signed
        // numbers: other NaN and -0 lie from +infinity on.
        static constexpr bool by_order = sizeof(T) == 4 || HWY_TARGET <= HWY_AVX3;
        using second = std::conditional_t<by_order, hn::RebindToSigned<full<T>>, bits>;
        hn::Vec<bits> highest;
        hn::Vec<second> highest_less_one;

        static HWY_INLINE plain_test none() { return {hn::Zero(bits()), hn::Zero(second())}; }
        HWY_INLINE void see(vector<T> v) {
            const auto seen = hn::BitCast(bits(), v);
            if constexpr (by_order) {
                highest = hn::Max(highest, seen);
                highest_less_one =
                    hn::Max(highest_less_one, hn::BitCast(second(), hn::Sub(seen, hn::Set(bits(), 1))));
            } else {  // ones where something is not
                const auto negative_zero = hn::BitCast(bits(), hn::Set(full<T>(), T(-0.0)));
                const auto is_nan = hn::RebindMask(bits(), hn::IsNaN(v));
                highest = hn::Or(highest, hn::VecFromMask(bits(), is_nan));
                highest = hn::Or(highest, hn::VecFromMask(bits(), hn::Eq(seen, negative_zero)));
            }
        }
        [[nodiscard]] HWY_INLINE bool passed() const {
            if constexpr (by_order) {
                const auto infinity = hn::Set(full<T>(), std::numeric_limits<T>::infinity());
                const auto lowest = hn::BitCast(bits(), hn::Neg(infinity));
                return hn::AllTrue(bits(), hn::Eq(hn::Max(highest, lowest), lowest)) &&
                       hn::AllTrue(second(), hn::Lt(highest_less_one, hn::BitCast(second(), infinity)));
            } else {
                return hn::AllTrue(bits(), hn::Eq(highest, hn::Zero(bits())));
            }
        }
    };
    static HWY_ATTR bool are_plain(const T* x, std::size_t n) {
        if constexpr (is_float) {
            plain_test test = plain_test::none();
            std::size_t i = 0;
            for (; i + width <= n; i += width) test.see(hn::LoadU(full<T>(), x + i));
            bool fine = test.passed();
            for (; i < n; ++i) fine = fine && is_plain(x[i]);
            return fine;
        } else {
            return true;
        }
    }

    // Whether op(value, x) is `value` for every lane of the vectors. The zero that the other one beats is
    // equal to it, so with that as `value` nothing that equals it passes.
    static HWY_INLINE bool all_stay(const vector<T> (&v)[together], vector<T> value, bool strict) {
        const full<T> d;
        constexpr bool is_maximum = std::is_same_v<Op, maximum>;
        const auto stays = [&](vector<T> x) HWY_ATTR {
            if constexpr (is_float) {  // false for a NaN
                if (strict) return is_maximum ? hn::Lt(x, value) : hn::Gt(x, value);
                return is_maximum ? hn::Le(x, value) : hn::Ge(x, value);
            } else if constexpr (sizeof(T) == 8) {
                return hn::Not(is_maximum ? hn::Gt(x, value) : hn::Lt(x, value));
            } else {
                return hn::Eq(combine(Op(), x, value), value);
            }
        };
        return hn::AllTrue(d, hn::And(hn::And(stays(v[0]), stays(v[1])), hn::And(stays(v[2]), stays(v[3]))));
    }

    // Scans whatever the elements are, by one of the two.
    template <placement Where, bool Backwards>
    static HWY_INLINE T scan_all(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        if constexpr (is_float) {
            const T* lowest = Backwards ? x - static_cast<std::ptrdiff_t>(n - 1) : x;
            if (is_plain(start) && are_plain(lowest, n))
                return plain::template scan<Where, Backwards>(x, y, n, start, pass);
        }
        return mapped::template scan<Where, Backwards>(x, y, n, start, pass);
    }
    template <placement Where, bool Backwards>
    static HWY_NOINLINE T scan_as(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        constexpr std::ptrdiff_t direction = Backwards ? -1 : 1;
        const full<T> d;
        std::size_t i = Where == placement::streamed ? until_aligned<Backwards>(y, width, n) : 0;
        start = mapped::template scan_scalar<Backwards>(x, y, i, start, pass.exclusive);
        const input_ahead ahead = pass.ahead;  // a copy, which no store can change
        scan_pass rest = pass;
        std::size_t block = together * width;
        while (i < n) {
            const std::size_t before = i;
            if (start == start) {  // no NaN
                constexpr T weak_zero = std::is_same_v<Op, maximum> ? T(-0.0) : T(0);
                const bool strict =
                    is_float && start == T(0) && std::signbit(start) == std::signbit(weak_zero);
                const auto value = hn::Set(d, start);
                for (; i + together * width <= n; i += together * width) {
                    const auto lowest =
                        static_cast<std::ptrdiff_t>(Backwards ? i + together * width - 1 : i) * direction;
                    vector<T> v[together];
                    for (std::size_t k = 0; k < together; ++k) v[k] = hn::LoadU(d, x + lowest + k * width);
                    if (!all_stay(v, value, strict)) break;
                    prefetch<Backwards>(ahead, i, together * width, n, sizeof(T));
                    for (std::size_t k = 0; k < together; ++k)
                        store_as<plain_codec<T>, Where>(value, y + lowest + k * width);
                }
            }
            if (i == n) break;
            block = i == before ? std::min(2 * block, largest_block) : together * width;
            const std::size_t count = std::min(block, n - i);
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * direction;
            if (ahead.from != nullptr)
                rest.ahead.from = static_cast<const T*>(ahead.from) + (Backwards ? n - i - count : i);
            start = scan_all<Where, Backwards>(x + at, y + at, count, start, rest);
            i += count;
        }
        return start;
    }
    static HWY_ATTR T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        return with_pass(pass, [&]<placement Where, bool Backwards>() HWY_ATTR {
            if (n <= short_size) return n == 0 ? start : scan_all<Where, Backwards>(x, y, n, start, pass);
            return scan_as<Where, Backwards>(x, y, n, start, pass);
        });
    }
    static constexpr exact_kernels<T> table{sizeof(T),
                                            lanes<T>,
                                            &exact_fold<T, Op>::fold,
                                            &scan,
                                            &exact_lanes<T, Op>::scan,
                                            &exact_lanes<T, Op>::fold,
                                            &exact_strips<T, Op>::scan};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
