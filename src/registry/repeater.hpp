// Repeated elements, of any type and of any length: repeat and repeat_indices of rows of bytes.
//
// Everything is in host memory, and the device must be the CPU. Errors are those of upsweep/repeat.hpp, where
// counts are called `counts` and offsets `segments`; upsweep::error (unsupported) for other devices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/device.hpp"
#include "registry/dtype.hpp"

namespace upsweep::registry {

// How often elements are repeated: integers or bool, one an element, or one for all; or offsets, one more
// than elements, of which each element is repeated as often as the next one is larger.
struct repeat_counts {
    dtype type;
    const void* each;
    std::size_t size;
    bool are_offsets;
};

// Sequences, one behind the other, of n elements of so many bytes, all by the same counts. Elements are where
// they may be: those of 1, 2, 4, 8 and 16 bytes go by words if they are aligned to them.
struct rows_to_repeat {
    const void* in;
    void* out;
    std::size_t sequences;
    std::size_t n;
    std::size_t bytes;
    std::size_t room;  // in `out`, for results of each sequence
};

// How many results n elements have. Throws for numbers of counts that do not fit, too.
std::uint64_t count_repeats(const device& where, const repeat_counts& counts, std::size_t n);
// Returns how many results each sequence has. Of one sequence `room` are written at most, of several none
// unless there are `room`.
std::uint64_t repeat_rows(const device& where, const repeat_counts& counts, const rows_to_repeat& call);
// out = 0 counts[0] times, 1 counts[1] times, ..., `room` of these at most; returns how many there are.
std::uint64_t repeat_indices(const device& where, const repeat_counts& counts, std::int64_t* out,
                             std::size_t room);

}  // namespace upsweep::registry
