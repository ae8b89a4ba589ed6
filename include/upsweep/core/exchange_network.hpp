// Batcher's merge exchange: which of so many elements are compared, and put in order, one pair after the
// other, so that all of them end up in order.
//
// Complexity: about count * log2(count)^2 / 4 pairs, whatever the elements are.
//
// Source: Batcher, "Sorting networks and their applications", 1968; Knuth, The Art of Computer Programming,
// volume 3, algorithm 5.2.2M.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace upsweep::core {

struct comparator {
    unsigned low, high;
};

template <unsigned Count>
struct exchange_network {
    static constexpr unsigned most = Count * Count / 2;
    static constexpr auto made = [] {
        std::pair<std::array<comparator, most>, unsigned> all{};
        for (unsigned p = 1; p < Count; p *= 2)
            for (unsigned k = p; k >= 1; k /= 2)
                for (unsigned j = k % p; j + k < Count; j += 2 * k)
                    for (unsigned i = j; i < j + k && i + k < Count; ++i)
                        if (i / (2 * p) == (i + k) / (2 * p)) all.first[all.second++] = {i, i + k};
        return all;
    }();
    static constexpr unsigned size = made.second;
    // Pair c of them.
    static constexpr comparator pair(std::size_t c) { return made.first[c]; }
};

}  // namespace upsweep::core
