// Where the parts of a division go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::cpu {

// From how many records of each part a chunk has, a row of `rows` for each chunk, to where those begin: parts
// follow one another, and within a part chunks do. ends[part] is where the part ends.
inline void find_places(std::uint64_t* rows, std::size_t chunks, std::size_t parts, std::uint64_t* ends) {
    std::uint64_t place = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        for (std::size_t chunk = 0; chunk < chunks; ++chunk)
            place += std::exchange(rows[chunk * parts + part], place);
        ends[part] = place;
    }
}

}  // namespace upsweep::cpu
