// From the value that names a type back to the type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/shader/operation.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

// Calls body(std::type_identity<T>()) with the element of the stages that `type` names.
template <class Body>
void with_element(shader::element_type type, const Body& body) {
    switch (type) {
        case shader::element_type::uint32:
            return body(std::type_identity<std::uint32_t>());
        case shader::element_type::int32:
            return body(std::type_identity<std::int32_t>());
        case shader::element_type::float32:
            return body(std::type_identity<float>());
        case shader::element_type::uint64:
            return body(std::type_identity<std::uint64_t>());
        case shader::element_type::int64:
            return body(std::type_identity<std::int64_t>());
        case shader::element_type::float64:
            return body(std::type_identity<double>());
        case shader::element_type::affine32:
            return body(std::type_identity<affine_map<float>>());
    }
}

}  // namespace upsweep::test
