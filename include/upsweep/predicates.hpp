// Comparisons with a value, as predicates: compact_if(executor, in, out, less_than(5.0f)).
//
// Numbers compare as mathematics has it, whatever the types of the element and the value are: 0.5 is greater
// than 0, 2^32 + 1 not less than 5, and -1 less than 5u. Others answer as their operators do. A NaN is
// different from everything, and neither less nor greater. Where elements are of the value's type, or the
// value is one of their type as well, as 0 is of every type of numbers, they are evaluated by the executor's
// vectors whatever a program is compiled with.
#pragma once

#include <concepts>
#include <type_traits>

#include "upsweep/core/number_order.hpp"

namespace upsweep {

// How elements are compared with a value.
enum class comparison { less, less_equal, equal, not_equal, greater_equal, greater };

namespace core {

template <class A, class B>
constexpr bool compares(comparison how, const A& a, const B& b) {
    switch (how) {
        case comparison::less:
            return a < b;
        case comparison::less_equal:
            return a <= b;
        case comparison::equal:
            return a == b;
        case comparison::not_equal:
            return a != b;
        case comparison::greater_equal:
            return a >= b;
        case comparison::greater:
            return a > b;
    }
    return false;
}
template <class A, class B>
concept comparable = (real_number<A> && real_number<B>) || requires(const A& a, const B& b) {
    a<b, a <= b, a == b, a != b, a >= b, a> b;
};

}  // namespace core

// The predicate that an element x compares so with the value; the functions below make it.
template <class T>
struct compared_with {
    comparison how;
    T value;

    constexpr bool operator()(const T& x) const { return core::compares(how, x, value); }
    // Elements of another type, which are not converted to the value's.
    template <class X>
    requires core::comparable<X, T>
    constexpr bool operator()(const X& x) const {
        if constexpr (core::real_number<X> && core::real_number<T>) {
            return core::with_comparable(
                x, value, [this](const auto& a, const auto& b) { return core::compares(how, a, b); });
        } else {
            return core::compares(how, x, value);
        }
    }
};

// Whether x < value.
template <class T>
constexpr compared_with<T> less_than(T value) {
    return {comparison::less, value};
}
// Whether x <= value.
template <class T>
constexpr compared_with<T> at_most(T value) {
    return {comparison::less_equal, value};
}
// Whether x == value.
template <class T>
constexpr compared_with<T> equal_to(T value) {
    return {comparison::equal, value};
}
// Whether x != value.
template <class T>
constexpr compared_with<T> not_equal_to(T value) {
    return {comparison::not_equal, value};
}
// Whether x >= value.
template <class T>
constexpr compared_with<T> at_least(T value) {
    return {comparison::greater_equal, value};
}
// Whether x > value.
template <class T>
constexpr compared_with<T> greater_than(T value) {
    return {comparison::greater, value};
}

namespace core {

template <class Keep>
struct value_compared_with {};
template <class T>
struct value_compared_with<compared_with<T>> {
    using type = T;
};
// A comparison of numbers of type E with a number of any type.
template <class Keep, class E>
concept compares_numbers = real_number<E> && real_number<typename value_compared_with<Keep>::type>;

}  // namespace core

}  // namespace upsweep
