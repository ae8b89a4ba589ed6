// From run-time types and operators to those of C++.
#pragma once

#include <string>
#include <type_traits>

#include "registry/dtype.hpp"
#include "registry/operation.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::registry {

// Calls visitor(std::type_identity<T>{}) for the C++ type T of `type`.
template <class Visitor>
decltype(auto) visit_type(dtype type, Visitor&& visitor) {
    switch (type) {
#define UPSWEEP_CASE(enumerator, text, code, type, result) \
    case dtype::enumerator:                                \
        return visitor(std::type_identity<type>{});
        UPSWEEP_DTYPES(UPSWEEP_CASE)
#undef UPSWEEP_CASE
    }
    return visitor(std::type_identity<double>{});  // every enumerator is listed above
}

// Calls visitor(Op{}) for an operator that is not logical: of bool those are others, on bits (held.hpp).
template <class Visitor>
decltype(auto) visit_operation(operation op, const Visitor& visitor) {
    switch (op) {
        case operation::plus:
            return visitor(plus{});
        case operation::multiplies:
            return visitor(multiplies{});
        case operation::minimum:
            return visitor(minimum{});
        case operation::maximum:
            return visitor(maximum{});
        case operation::bit_and:
            return visitor(bit_and{});
        case operation::bit_or:
            return visitor(bit_or{});
        case operation::bit_xor:
            return visitor(bit_xor{});
        case operation::logical_and:
        case operation::logical_or:
            break;
    }
    throw_error(errc::invalid_argument, "op: " + std::string(name(op)) + " is defined for bool alone");
}

}  // namespace upsweep::registry
