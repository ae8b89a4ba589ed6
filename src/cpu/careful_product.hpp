// Products of floating-point numbers that may be subnormal, without arithmetic on subnormal numbers, for each
// operation on which some processors take 150 cycles.
//
// Coefficients of a recurrence that decays are below 1, and the products of a few hundred of them subnormal.
// With 0.9 they stay so: 0.9 * 5 * 2^-149 rounds to 5 * 2^-149.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::cpu {

// Whether arithmetic on subnormal numbers takes so much longer here. Others take a few cycles for it.
inline bool has_slow_subnormals() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}

template <class T>
struct float_format {
    using limits = std::numeric_limits<T>;
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    __extension__ using wide_bits = std::conditional_t<sizeof(T) == 4, std::uint64_t, unsigned __int128>;
    static constexpr int stored_digits = limits::digits - 1;
    static constexpr int least_exponent = limits::min_exponent - limits::digits;  // of the smallest number
    static constexpr bits sign = bits{1} << (8 * sizeof(T) - 1);

    // Products of two numbers that are not below it are normal.
    static constexpr T small = sizeof(T) == 4 ? T(0x1p-62) : T(0x1p-510);
    // Of numbers, in their order; compared instead of them, as they might be subnormal. NaN is the largest.
    static bits magnitude(T x) { return std::bit_cast<bits>(x) & ~sign; }
    static bool is_small(T x) { return magnitude(x) < magnitude(small); }
};

// The bits of a * b, for a or b that are small: an integer product, rounded to nearest, ties to even, where
// the spacing of subnormal numbers is that of integers.
template <class T>
T product_of_small(T a, T b) {
    using format = float_format<T>;
    using bits = typename format::bits;
    using wide_bits = typename format::wide_bits;
    if (a == T(0) || b == T(0) || !std::isfinite(a) || !std::isfinite(b)) return a * b;
    int exponent = 2 * format::least_exponent;
    const auto digits_of = [&](T x) {  // x == digits * 2^(least_exponent + what is added to `exponent`)
        const bits magnitude = format::magnitude(x);
        const int field = static_cast<int>(magnitude >> format::stored_digits);
        if (field == 0) return magnitude;
        exponent += field - 1;
        return (magnitude & ((bits{1} << format::stored_digits) - 1)) | bits{1} << format::stored_digits;
    };
    const wide_bits product = wide_bits{digits_of(a)} * digits_of(b);
    const int drop = format::least_exponent - exponent;  // digits of the product below the smallest number
    if (drop <= 0) return a * b;
    const bits sign = (std::bit_cast<bits>(a) ^ std::bit_cast<bits>(b)) & format::sign;
    if (drop > 2 * format::stored_digits + 3) return std::bit_cast<T>(sign);  // less than half of it
    wide_bits rounded = product >> drop;
    if (rounded >> format::stored_digits != 0) return a * b;
    const wide_bits rest = product - (rounded << drop);
    const wide_bits half = wide_bits{1} << (drop - 1);
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
    return std::bit_cast<T>(static_cast<bits>(rounded) | sign);
}

// The bits of a * b.
template <class T>
T careful_product(T a, T b) {
    if (float_format<T>::is_small(a) || float_format<T>::is_small(b)) [[unlikely]]
        return product_of_small(a, b);
    return a * b;
}

// The bits of affine()(first, second).
template <class T>
affine_map<T> compose_carefully(const affine_map<T>& first, const affine_map<T>& second) {
    return {careful_product(first.a, second.a), careful_product(second.a, first.b) + second.b};
}

}  // namespace upsweep::cpu
