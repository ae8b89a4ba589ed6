// Comparisons by their signs in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <string>

#include "upsweep/predicates.hpp"

namespace upsweep::python {

// Throws nanobind::value_error for what is none.
inline comparison comparison_of(const std::string& sign) {
    constexpr std::array signs = {"<", "<=", "==", "!=", ">=", ">"};  // in the order of the enumeration
    for (std::size_t k = 0; k < signs.size(); ++k)
        if (sign == signs[k]) return static_cast<comparison>(k);
    throw nanobind::value_error(
        ("condition: expected one of <, <=, ==, !=, >=, >, but it is " + sign).c_str());
}

}  // namespace upsweep::python
