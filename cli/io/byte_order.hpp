// Reversal of byte order, in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "registry/dtype.hpp"

namespace upsweep::cli {

template <class Word>
void swap_words(std::byte* data, std::size_t words, Word (*swap)(Word)) {
    for (std::size_t i = 0; i < words; ++i, data += sizeof(Word)) {
        Word word;
        std::memcpy(&word, data, sizeof word);
        word = swap(word);
        std::memcpy(data, &word, sizeof word);
    }
}

// The real and the imaginary part of a complex number are reversed each by itself.
inline void reverse_byte_order(void* buffer, std::size_t elements, registry::dtype type) {
    const std::size_t parts = registry::is_complex_type(type) ? 2 : 1;
    auto* data = static_cast<std::byte*>(buffer);
    switch (registry::size_of(type) / parts) {
        case 2:
            return swap_words<std::uint16_t>(data, elements,
                                             [](std::uint16_t w) { return __builtin_bswap16(w); });
        case 4:
            return swap_words<std::uint32_t>(data, elements * parts,
                                             [](std::uint32_t w) { return __builtin_bswap32(w); });
        case 8:
            return swap_words<std::uint64_t>(data, elements * parts,
                                             [](std::uint64_t w) { return __builtin_bswap64(w); });
        default:
            return;
    }
}

}  // namespace upsweep::cli
