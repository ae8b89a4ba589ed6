// What no scan can beat, on a whole team: a copy of the same bytes, for scans in place a read-modify-write of
// them, and for totals a read. Each is written in several ways; the fastest one at a size is the limit there.
#pragma once

#include <cstddef>
#include <cstring>

#include "../peers/limits.hpp"
#include "team.hpp"

namespace bench {

inline void copy_non_temporal(team& threads, std::byte* to, const std::byte* from, std::size_t bytes) {
    threads.divide(bytes, 4096, [=](std::size_t first, std::size_t last) {
        copy_non_temporal(to + first, from + first, last - first);
    });
}

inline void copy_plain(team& threads, std::byte* to, const std::byte* from, std::size_t bytes) {
    threads.divide(bytes, 4096, [=](std::size_t first, std::size_t last) {
        std::memcpy(to + first, from + first, last - first);
    });
}

inline void read_words(team& threads, const std::byte* data, std::size_t bytes) {
    threads.divide(bytes, 4096,
                   [=](std::size_t first, std::size_t last) { read_words(data + first, last - first); });
}

inline void read_modify_write(team& threads, std::byte* data, std::size_t bytes) {
    threads.divide(bytes, 4096, [=](std::size_t first, std::size_t last) {
        read_modify_write(data + first, last - first);
    });
}

}  // namespace bench
