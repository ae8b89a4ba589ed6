// What the library asks of operators, ranges and executors: the concepts at its door.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include "upsweep/core/arithmetic.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// op(a, b) combines two values of T into one; the earlier operand is on the left. It must be associative in
// exact arithmetic, callable from several threads at once, and depend on its operands alone.
template <class Op, class T>
concept combines = std::copyable<T> && requires(const Op& op, const T& a, const T& b) {
    { op(a, b) } -> std::convertible_to<T>;
};

namespace core {
template <class Op, class T>
concept has_typed_identity = requires(const Op& op) {
    { op.template identity<T>() } -> std::convertible_to<T>;
};
template <class Op, class T>
concept has_plain_identity = requires(const Op& op) {
    { op.identity() } -> std::convertible_to<T>;
};
}  // namespace core

// op has an element e with op(e, x) == op(x, e) == x, given by op.identity() or op.identity<T>().
template <class Op, class T>
concept has_identity = core::has_typed_identity<Op, T> || core::has_plain_identity<Op, T>;

// The identity of an operator, as a value of T.
template <class T, class Op>
requires has_identity<Op, T>
[[nodiscard]] constexpr T identity_of(const Op& op) {
    if constexpr (core::has_typed_identity<Op, T>)
        return op.template identity<T>();
    else
        return op.identity();
}

// Whether op(a, b) == op(b, a). Opt-in: `static constexpr bool commutative = true;` in the operator, or, in a
// local class, which cannot have one, `static constexpr bool commutative() { return true; }`.
template <class Op>
inline constexpr bool is_commutative = [] {
    if constexpr (requires {
                      { Op::commutative() } -> std::convertible_to<bool>;
                  })
        return bool(Op::commutative());
    else if constexpr (requires {
                           { Op::commutative } -> std::convertible_to<bool>;
                       })
        return bool(Op::commutative);
    else
        return false;
}();

// Whether every grouping of the same operands gives the same bits, so that an engine may group as it likes.
// Opt-in: `template <class T> static constexpr bool exact = ...;` or `static constexpr bool exact = true;`,
// or functions of that name that return it.
template <class Op, class T>
inline constexpr bool is_exact = [] {
    // In this order: a function is no answer, but converts to true; and g++ 12 takes a template argument of
    // what is none for an error, not for an unmet requirement.
    if constexpr (requires {
                      { Op::exact() } -> std::convertible_to<bool>;
                  })
        return bool(Op::exact());
    else if constexpr (requires {
                           { Op::exact } -> std::convertible_to<bool>;
                       })
        return bool(Op::exact);
    else if constexpr (requires {
                           { Op::template exact<T>() } -> std::convertible_to<bool>;
                       })
        return bool(Op::template exact<T>());
    else if constexpr (requires {
                           { Op::template exact<T> } -> std::convertible_to<bool>;
                       })
        return bool(Op::template exact<T>);
    else
        return false;
}();

// Contiguous memory of known size: std::span, std::vector, std::array, a C array. Elements are read in any
// order and as often as need be, by vectors too, which volatile ones must not be.
template <class R>
concept input_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    !std::is_volatile_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
// Contiguous memory in which values of Acc can be stored, converted to its elements' type.
template <class R, class Acc>
concept output_range = input_range<R> && std::ranges::borrowed_range<R> &&
                       !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>> &&
                       requires(const Acc& value) {
    static_cast<std::ranges::range_value_t<R>>(value);
};

}  // namespace upsweep
