// From the value that names a type and an operator back to both.
#pragma once

#include <cstdint>

#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

template <class T, class Body>
void with_operator(const shader::operation& asked, const Body& body) {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    if constexpr (shader::supported<upsweep::name, T>) {             \
        if (asked == shader::operation_of<upsweep::name, T>()) {     \
            return body.template operator()<T>(upsweep::name{});     \
        }                                                            \
    }
#include "upsweep/operators.def"
    throw_error(errc::unsupported, "op: expected one that combines the element");
}

// Calls body<T>(op) with the type and the operator of `asked`.
template <class Body>
void with_pair(const shader::operation& asked, const Body& body) {
    switch (asked.type) {
        case shader::element_type::uint32:
            return with_operator<std::uint32_t>(asked, body);
        case shader::element_type::int32:
            return with_operator<std::int32_t>(asked, body);
        case shader::element_type::float32:
            return with_operator<float>(asked, body);
        case shader::element_type::uint64:
            return with_operator<std::uint64_t>(asked, body);
        case shader::element_type::int64:
            return with_operator<std::int64_t>(asked, body);
        case shader::element_type::float64:
            return with_operator<double>(asked, body);
        case shader::element_type::affine32:
            return body.template operator()<affine_map<float>>(affine{});
    }
}

}  // namespace upsweep::test
