// .npy files made by hand, for tests of their reader.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>

#include "cli/io/npy.hpp"
#include "support/dtypes.hpp"

namespace upsweep::test {

inline std::string frame(const std::string& dictionary, int major = 1, int minor = 0) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(major);
    text += static_cast<char>(minor);
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
        text += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    return text + dictionary;
}

inline std::string dictionary(const std::string& descr, const std::string& shape,
                              const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

inline cli::array_reader from(const std::string& bytes) {
    return cli::read_npy(cli::byte_source::from_memory(std::as_bytes(std::span(bytes)), "x.npy"));
}

// Bytes that differ from their neighbours.
inline std::string pattern(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 37 + 11);
    return text;
}

}  // namespace upsweep::test
