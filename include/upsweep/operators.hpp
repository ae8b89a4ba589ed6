// The built-in operators as function objects, made from operators.def, and `with_identity`. Over numbers
// those of <functional>, such as std::plus<>, are among them: core/known_operator.hpp.
#pragma once

#include <concepts>
#include <utility>

#include "upsweep/concepts.hpp"
#include "upsweep/core/arithmetic.hpp"

namespace upsweep {

// Integer operations, selections and bitwise operations give the same bits under any grouping. Floating-point
// and complex sums and products do not.
#define UPSWEEP_OPERATOR(name, primitive, identity_function, domain, meaning)                               \
    struct name {                                                                                           \
        static constexpr bool commutative = true;                                                           \
        template <class T>                                                                                  \
        static constexpr bool exact = std::integral<T> || (core::ordered_number<T> && !core::rounds<name>); \
        template <core::domain T>                                                                           \
        UPSWEEP_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const {                          \
            return core::primitive(a, b);                                                                   \
        }                                                                                                   \
        template <core::domain T>                                                                           \
        UPSWEEP_HOST_DEVICE static constexpr T identity() {                                                 \
            return core::identity_function<T>();                                                            \
        }                                                                                                   \
    };
#define UPSWEEP_STRUCT_OPERATOR(name, element, primitive, identity_function, is_commutative, meaning) \
    struct name {                                                                                     \
        static constexpr bool commutative = is_commutative;                                           \
        template <class Element>                                                                      \
        static constexpr bool exact = core::exact_components<name, Element>;                          \
        template <class T>                                                                            \
        UPSWEEP_HOST_DEVICE constexpr element<T> operator()(const element<T>& a,                      \
                                                            const element<T>& b) const {              \
            return core::primitive(a, b);                                                             \
        }                                                                                             \
        template <class Element>                                                                      \
        requires std::same_as<Element, element<core::component<Element>>>                             \
            UPSWEEP_HOST_DEVICE static constexpr Element identity() {                                 \
            return core::identity_function<core::component<Element>>();                               \
        }                                                                                             \
    };

struct plus;
struct multiplies;
struct affine;

namespace core {
template <class Op>
inline constexpr bool rounds = std::same_as<Op, plus> || std::same_as<Op, multiplies>;

template <class Element>
struct component_of {};
template <class T>
struct component_of<affine_map<T>> {
    using type = T;
};
template <class T>
struct component_of<indexed<T>> {
    using type = T;
};
template <class Element>
using component = typename component_of<Element>::type;

// argmin and argmax select; an affine map over integers wraps.
template <class Op, class Element>
inline constexpr bool exact_components = !std::same_as<Op, affine> || std::integral<component<Element>>;
}  // namespace core

#include "upsweep/operators.def"

// A callable together with its identity, as with_identity makes it.
template <class F, class T>
struct monoid {
    F combine;
    T identity_value;

    constexpr T operator()(const T& a, const T& b) const { return T(combine(a, b)); }
    constexpr T identity() const { return identity_value; }
};

// An operator of a callable and its identity: with_identity([](auto a, auto b) { return a * b; }, 1.0f).
template <class F, class T>
requires combines<F, T>
[[nodiscard]] constexpr monoid<F, T> with_identity(F combine, T identity) {
    return {std::move(combine), std::move(identity)};
}

}  // namespace upsweep
