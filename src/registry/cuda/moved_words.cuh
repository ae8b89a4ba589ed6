// Elements that are moved bit for bit, as words of their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {

struct alignas(16) word_pair {
    std::uint64_t low, high;
};

// Calls body(std::type_identity<Word>{}) with the word of 1, 2, 4, 8 or 16 bytes.
template <class Body>
void visit_word(std::size_t bytes, const Body& body) {
    switch (bytes) {
        case 4:
            return body(std::type_identity<std::uint32_t>{});
#ifndef UPSWEEP_CUDA_FEW_TYPES
        case 1:
            return body(std::type_identity<std::uint8_t>{});
        case 2:
            return body(std::type_identity<std::uint16_t>{});
        case 8:
            return body(std::type_identity<std::uint64_t>{});
        case 16:
            return body(std::type_identity<word_pair>{});
#endif
        default:
            throw_error(errc::invalid_argument, "a: no elements of " + std::to_string(bytes) +
                                                    " bytes are moved on a GPU in this build");
    }
}

}  // namespace upsweep::registry::gpu
