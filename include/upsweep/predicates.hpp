// Comparisons with a value, as predicates: compact_if(executor, in, out, less_than(5.0f)).
//
// They answer as the built-in operators do (a NaN is different from everything, and neither less nor
// greater). Where elements are of the value's type, they are evaluated by the executor's vectors whatever a
// program is compiled with.
#pragma once

#include <concepts>
#include <type_traits>

namespace upsweep {

enum class comparison { less, less_equal, equal, not_equal, greater_equal, greater };

template <class T>
struct compared_with {
    comparison how;
    T value;

    constexpr bool operator()(const T& x) const {
        switch (how) {
            case comparison::less:
                return x < value;
            case comparison::less_equal:
                return x <= value;
            case comparison::equal:
                return x == value;
            case comparison::not_equal:
                return x != value;
            case comparison::greater_equal:
                return x >= value;
            case comparison::greater:
                return x > value;
        }
        return false;
    }
};

template <class T>
constexpr compared_with<T> less_than(T value) {
    return {comparison::less, value};
}
template <class T>
constexpr compared_with<T> at_most(T value) {
    return {comparison::less_equal, value};
}
template <class T>
constexpr compared_with<T> equal_to(T value) {
    return {comparison::equal, value};
}
template <class T>
constexpr compared_with<T> not_equal_to(T value) {
    return {comparison::not_equal, value};
}
template <class T>
constexpr compared_with<T> at_least(T value) {
    return {comparison::greater_equal, value};
}
template <class T>
constexpr compared_with<T> greater_than(T value) {
    return {comparison::greater, value};
}

}  // namespace upsweep
