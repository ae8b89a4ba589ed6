// Which type a scan accumulates in: the one that is named, or else the element's own (float for 16-bit
// floating point, bool for the logical operators).
#pragma once

#include <type_traits>

#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// Stands for "not named": the accumulator follows from element and operator.
struct deduced {};

namespace core {

template <class Named, class Element, class Op>
struct accumulator {
    using type = Named;
};
template <class Element, class Op>
struct accumulator<deduced, Element, Op> {
    using type = accumulator_type<std::remove_cv_t<Element>>;
};
template <class Element>
struct accumulator<deduced, Element, logical_and> {
    using type = bool;
};
template <class Element>
struct accumulator<deduced, Element, logical_or> {
    using type = bool;
};
template <class Named, class Element, class Op>
using accumulator_for = typename accumulator<Named, Element, Op>::type;

}  // namespace core
}  // namespace upsweep
