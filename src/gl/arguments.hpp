// Checks of a call's arguments, by the names that the caller knows them by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"
#include "upsweep/gl/buffers.hpp"

namespace upsweep::gl {

inline bool overlap(const buffer_region& a, const buffer_region& b) {
    return a.buffer == b.buffer && a.buffer != 0 && a.offset < b.offset + b.bytes &&
           b.offset < a.offset + a.bytes;
}

struct named_region {
    const char* name;
    buffer_region region;
};

// `written` must not overlap any of the others.
template <std::size_t N>
void forbid_overlap(const named_region& written, const std::array<named_region, N>& others) {
    for (const named_region& other : others) {
        if (overlap(written.region, other.region)) {
            throw_error(errc::invalid_argument,
                        std::string(written.name) + ": expected it to be disjoint from " + other.name +
                            ", but they overlap in buffer " + std::to_string(other.region.buffer));
        }
    }
}

inline void check_bytes(const named_region& given, std::uint64_t expected) {
    if (given.region.bytes < expected) {
        throw_error(errc::invalid_argument, std::string(given.name) + ": expected at least " +
                                                std::to_string(expected) + " bytes, but it has " +
                                                std::to_string(given.region.bytes));
    }
}

// So many elements fit no buffer object, and their bytes no 64-bit number.
inline void check_count(const char* what, std::uint64_t count, std::uint64_t bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (count > most / bytes) {
        throw_error(errc::invalid_argument,
                    std::string(what) + ": expected fewer than 2^62 bytes, but it has " +
                        std::to_string(count) + " elements of " + std::to_string(bytes));
    }
}

inline void check_size(std::uint64_t in, std::uint64_t out) {
    if (in != out) {
        throw_error(errc::invalid_argument, "out: expected " + std::to_string(in) +
                                                " elements, as many as in, but it has " +
                                                std::to_string(out));
    }
}

}  // namespace upsweep::gl
