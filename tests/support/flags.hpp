// Flags of every kind for compaction and partition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace upsweep::test {

// Which items stay.
enum class pattern { none, all, few, half, runs, last };
inline constexpr std::array patterns{pattern::none, pattern::all,  pattern::few,
                                     pattern::half, pattern::runs, pattern::last};

inline std::vector<std::uint32_t> make_flags(pattern which, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<std::uint32_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) {
        bool chosen = false;
        switch (which) {
            case pattern::none:
                break;
            case pattern::all:
                chosen = true;
                break;
            case pattern::few:
                chosen = random.below(100) == 0;
                break;
            case pattern::half:
                chosen = random.below(2) == 0;
                break;
            case pattern::runs:
                chosen = i / 1000 % 2 == 1;
                break;
            case pattern::last:
                chosen = i + 1 == n;
                break;
        }
        // Any value but zero counts.
        flags[i] = chosen ? static_cast<std::uint32_t>(random()) | 1u << random.below(32) : 0;
    }
    return flags;
}

}  // namespace upsweep::test
