// How numbers of two types compare: as the numbers that they are, whatever either type is. The built-in
// operators convert first, so that -1 < 1u is false and 2^53 + 1 == 9007199254740992.0 true.
//
//     order(-1, 1u) < 0,   order(2^53 + 1, 0x1p53) > 0,   order(5, NaN) is a NaN, which compares as a NaN
//     does
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::core {

template <class T>
concept real_number = std::integral<T> || std::floating_point<T> || is_half<T>;

template <class T>
struct exact_form_of {
    using type = T;
};
template <class T>
requires is_half<T>
struct exact_form_of<T> {
    using type = float;
};
template <std::integral T>
struct exact_form_of<T> {
    using type = decltype(+T());
};
// A type of arithmetic in which a T keeps its value: float for halves, int for what is narrower.
template <class T>
using exact_form = typename exact_form_of<T>::type;

// Whether every value of From is one of To.
template <class From, class To>
inline constexpr bool always_fits = [] {
    using from = std::numeric_limits<From>;
    using to = std::numeric_limits<To>;
    if constexpr (std::integral<To>)
        return std::integral<From> && from::digits <= to::digits && (to::is_signed || !from::is_signed);
    else
        return from::digits <= to::digits && (std::integral<From> || from::max_exponent <= to::max_exponent);
}();

// x and y, of types neither of which has all values of the other: an integer and a real, or integers of
// either sign. Less than 0 where x < y, 0 where they are equal, a NaN where y is one.
template <std::integral X, std::floating_point Y>
constexpr float order(X x, Y y) {
    if constexpr (std::same_as<Y, float>) {
        return order(x, static_cast<double>(y));
    } else if constexpr (always_fits<X, Y>) {
        const auto real = static_cast<Y>(x);
        return y != y ? std::numeric_limits<float>::quiet_NaN() : real < y ? -1.0f : real > y ? 1.0f : 0.0f;
    } else {
        constexpr X half = static_cast<X>(X(1) << (std::numeric_limits<X>::digits - 1));
        constexpr Y end = 2 * static_cast<Y>(half);  // the first integer that X lacks
        if (y != y) return std::numeric_limits<float>::quiet_NaN();
        if (y >= end) return -1.0f;
        if (y < (std::is_signed_v<X> ? -end : Y(0))) return 1.0f;
        const auto whole = static_cast<X>(y);  // towards zero, and so between x and y where x is not it
        if (x != whole) return x < whole ? -1.0f : 1.0f;
        const Y rest = y - static_cast<Y>(whole);
        return rest > 0 ? -1.0f : rest < 0 ? 1.0f : 0.0f;
    }
}
template <std::floating_point X, std::integral Y>
constexpr float order(X x, Y y) {
    return -order(y, x);
}
template <std::integral X, std::integral Y>
constexpr float order(X x, Y y) {
    if constexpr (std::is_signed_v<X>) {
        if (x < 0) return -1.0f;
        const auto magnitude = static_cast<std::make_unsigned_t<X>>(x);
        return magnitude < y ? -1.0f : magnitude > y ? 1.0f : 0.0f;
    } else {
        return -order(y, x);
    }
}

// call(a, b), with two of one type that compare as x and y do: x and y themselves, or their order and 0.
template <real_number X, real_number Y, class Call>
constexpr bool with_comparable(const X& x, const Y& y, const Call& call) {
    using left = exact_form<X>;
    using right = exact_form<Y>;
    if constexpr (always_fits<left, right>)
        return call(static_cast<right>(static_cast<left>(x)), static_cast<right>(y));
    else if constexpr (always_fits<right, left>)
        return call(static_cast<left>(x), static_cast<left>(static_cast<right>(y)));
    else
        return call(order(static_cast<left>(x), static_cast<right>(y)), 0.0f);
}

// Whether x is a value of To as well. False where that takes more than a comparison to find out: of reals,
// whether they are integers.
template <real_number To, real_number From>
requires(!is_half<To>) constexpr bool fits(const From& x) {
    if constexpr (std::integral<To> && !std::integral<From>) {
        return false;
    } else if constexpr (std::same_as<From, To> || always_fits<exact_form<From>, To>) {
        return true;
    } else {
        if constexpr (std::floating_point<From>) {
            constexpr From largest = std::numeric_limits<To>::max();
            const bool is_finite = x - x == 0;
            if (is_finite && (x > largest || x < -largest)) return false;
        }
        return with_comparable(static_cast<To>(x), x, [](const auto& a, const auto& b) { return a == b; });
    }
}

}  // namespace upsweep::core
