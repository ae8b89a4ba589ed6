// Where the digits of bins' numbers begin, if elements are put in order of one digit alone: compiled once,
// for every extraction of bins that takes several passes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

inline constexpr unsigned most_digit_places = 4;  // digits of a bin's number

// Bytes of the scratch that find_digit_starts needs, which is cleared before.
[[nodiscard]] std::size_t digit_starts_bytes(unsigned places);

// starts[place << bits | d] = how many elements belong to bins whose number has a smaller digit than d at
// this place, for so many places of `bits` bits each, lowest first; counts[bin] says how many belong to each
// bin. `starts` is the beginning of the scratch. Preconditions: bits <= 8, places <= most_digit_places.
void find_digit_starts(executor& ex, const std::uint64_t* counts, std::uint64_t bins, unsigned bits,
                       unsigned places, std::uint64_t* starts);

}  // namespace upsweep::cuda
