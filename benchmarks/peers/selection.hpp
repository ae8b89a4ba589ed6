// The k greatest elements, the greatest first, as the standard library has it.
#pragma once

#include <cstddef>

namespace bench {

struct selection_peer {
    const char* name;
    // `room` has room for n elements.
    void (*select)(const float* in, float* out, float* room, std::size_t n, std::size_t k);
};
inline constexpr std::size_t selection_peers = 3;
// std::partial_sort_copy; std::nth_element of a copy, then std::sort of k; and std::sort of a copy, which
// par_unseq does in parallel.
extern const selection_peer selections[selection_peers];

// The first of each of so many rows of n, in parallel.
void select_of_rows(const float* in, float* out, std::size_t rows, std::size_t n, std::size_t k);

}  // namespace bench
