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

// Calls body(std::type_identity<In>(), std::type_identity<T>()) with the types of an input and of its
// results. Where elements are converted they are unsigned integers of as many bytes: memory is all that is
// asked of them, and what they are is said by `op` alone.
template <class Body>
void with_types(const shader::operation& op, const Body& body) {
    const auto with_results = [&]<class In>(std::type_identity<In> in) {
        if constexpr (sizeof(In) < 4) {
            if (op.element_words == 1) return body(in, std::type_identity<std::uint32_t>());
        }
        body(in, std::type_identity<std::uint64_t>());
    };
    if (op.input == shader::input_type::same) {
        with_element(op.type, [&]<class T>(std::type_identity<T> element) { body(element, element); });
    } else if (shader::input_bytes(op) == 1) {
        with_results(std::type_identity<std::uint8_t>());
    } else if (shader::input_bytes(op) == 2) {
        with_results(std::type_identity<std::uint16_t>());
    } else {
        with_results(std::type_identity<std::uint32_t>());
    }
}

}  // namespace upsweep::test
