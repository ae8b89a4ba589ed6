// The operators of <functional> that are among the library's own: std::plus<> is plus, and has its kernels
// and its identity.
#pragma once

#include <concepts>
#include <functional>

#include "upsweep/core/arithmetic.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::core {

template <class Op, class Acc>
struct known_operator {
    using type = Op;
};
// Over numbers alone, where both mean the same: a product of std::complex is another where it overflows, and
// what a class or bool makes of + is its own affair. Those named for another type convert to it and back.
#define UPSWEEP_KNOWN_OPERATOR(standard, own, domain) \
    template <domain Acc>                             \
    struct known_operator<std::standard<>, Acc> {     \
        using type = upsweep::own;                    \
    };                                                \
    template <domain Acc>                             \
    struct known_operator<std::standard<Acc>, Acc> {  \
        using type = upsweep::own;                    \
    };
UPSWEEP_KNOWN_OPERATOR(plus, plus, ordered_number)
UPSWEEP_KNOWN_OPERATOR(multiplies, multiplies, ordered_number)
UPSWEEP_KNOWN_OPERATOR(bit_and, bit_and, integer)
UPSWEEP_KNOWN_OPERATOR(bit_or, bit_or, integer)
UPSWEEP_KNOWN_OPERATOR(bit_xor, bit_xor, integer)
#undef UPSWEEP_KNOWN_OPERATOR

template <class Op, class Acc>
using known_operator_t = typename known_operator<Op, Acc>::type;

// op, or the library's own operator that it is over Acc.
template <class Acc, class Op>
constexpr decltype(auto) known(const Op& op) {
    if constexpr (std::same_as<known_operator_t<Op, Acc>, Op>)
        return (op);
    else
        return known_operator_t<Op, Acc>{};
}

}  // namespace upsweep::core
