// The scalar primitives behind operators.def: what op(a, b) and its identity are, bit for bit, for every
// element type. Integers wrap modulo 2^k; a complex product is the textbook four multiplications; each
// floating-point product and sum is rounded by itself (compile with -ffp-contract=off).
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/portability.hpp"
#include "upsweep/types.hpp"

namespace upsweep::core {

template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept ordered_number = integer<T> || std::floating_point<T>;
template <class T>
concept number = ordered_number<T> || is_complex<T>;
template <class T>
concept bit_pattern = std::integral<T>;
template <class T>
concept truth_value = std::same_as<T, bool>;

// Unsigned and at least as wide as unsigned int, so that neither overflow nor promotion to int is undefined.
template <integer T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <number T>
UPSWEEP_HOST_DEVICE constexpr T add(const T& a, const T& b) {
    if constexpr (integer<T>) {
        return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
    } else if constexpr (is_complex<T>) {
        return {a.real() + b.real(), a.imag() + b.imag()};
    } else {
        return a + b;
    }
}

template <number T>
UPSWEEP_HOST_DEVICE constexpr T multiply(const T& a, const T& b) {
    if constexpr (integer<T>) {
        return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
    } else if constexpr (is_complex<T>) {
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
        return a * b;
    }
}

// IEEE 754-2019 minimum and maximum: a NaN wins, and -0 is below +0.
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr T smaller(T a, T b) {
    if constexpr (std::floating_point<T>) {
        if (a != a) return a;
        if (b != b) return b;
        if (a == b) return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
}

template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr T larger(T a, T b) {
    if constexpr (std::floating_point<T>) {
        if (a != a) return a;
        if (b != b) return b;
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}

template <bit_pattern T>
UPSWEEP_HOST_DEVICE constexpr T and_bits(T a, T b) {
    return static_cast<T>(a & b);
}
template <bit_pattern T>
UPSWEEP_HOST_DEVICE constexpr T or_bits(T a, T b) {
    return static_cast<T>(a | b);
}
template <bit_pattern T>
UPSWEEP_HOST_DEVICE constexpr T xor_bits(T a, T b) {
    return static_cast<T>(a ^ b);
}
template <truth_value T>
UPSWEEP_HOST_DEVICE constexpr T both(T a, T b) {
    return a && b;
}
template <truth_value T>
UPSWEEP_HOST_DEVICE constexpr T either(T a, T b) {
    return a || b;
}

// -0.0 for floating point: x + -0.0 is x in every bit, where -0.0 + +0.0 is not -0.0.
template <number T>
UPSWEEP_HOST_DEVICE constexpr T additive_identity() {
    if constexpr (is_complex<T>)
        return {-typename T::value_type(0), -typename T::value_type(0)};
    else
        return std::floating_point<T> ? -T(0) : T(0);
}
template <class T>
UPSWEEP_HOST_DEVICE constexpr T zero() {
    return T(0);
}
template <class T>
UPSWEEP_HOST_DEVICE constexpr T one() {
    return T(1);
}
template <bit_pattern T>
UPSWEEP_HOST_DEVICE constexpr T all_ones() {
    if constexpr (std::same_as<T, bool>)
        return true;
    else
        return static_cast<T>(~T(0));
}
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr T largest() {
    return std::floating_point<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr T smallest() {
    return std::floating_point<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();
}

template <class T>
UPSWEEP_HOST_DEVICE constexpr affine_map<T> compose(const affine_map<T>& first, const affine_map<T>& second) {
    return {multiply(first.a, second.a), add(multiply(second.a, first.b), second.b)};
}
template <class T>
UPSWEEP_HOST_DEVICE constexpr affine_map<T> identity_map() {
    return {T(1), additive_identity<T>()};
}

// Of two equal values (two NaNs count as equal, -0 and +0 do not) the one with the smaller index.
template <class T>
UPSWEEP_HOST_DEVICE constexpr indexed<T> first_by(const indexed<T>& a, const indexed<T>& b, bool b_wins,
                                                  bool equal) {
    if (equal) return b.index < a.index ? b : a;
    return b_wins ? b : a;
}
template <class T>
UPSWEEP_HOST_DEVICE constexpr bool same_value(T a, T b) {
    if constexpr (std::floating_point<T>) {
        if (a != a || b != b) return a != a && b != b;
        return a == b && std::signbit(a) == std::signbit(b);
    } else {
        return a == b;
    }
}
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr indexed<T> first_smallest(const indexed<T>& a, const indexed<T>& b) {
    return first_by(a, b, !same_value(smaller(a.value, b.value), a.value), same_value(a.value, b.value));
}
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr indexed<T> first_largest(const indexed<T>& a, const indexed<T>& b) {
    return first_by(a, b, !same_value(larger(a.value, b.value), a.value), same_value(a.value, b.value));
}
// The index past every other, so that any element of equal value wins.
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr indexed<T> no_smallest() {
    return {largest<T>(), std::numeric_limits<std::int64_t>::max()};
}
template <ordered_number T>
UPSWEEP_HOST_DEVICE constexpr indexed<T> no_largest() {
    return {smallest<T>(), std::numeric_limits<std::int64_t>::max()};
}

}  // namespace upsweep::core
