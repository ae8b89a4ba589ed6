// Every neighbourhood of values that floating-point arithmetic treats specially.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/random.hpp"

namespace upsweep::test {

// Sums and products meet NaN and infinity late, so that what comes before them is compared as well.
template <class T>
std::vector<T> special_values(std::size_t n, bool with_infinities, std::uint64_t seed) {
    using limits = std::numeric_limits<T>;
    const std::vector<T> tame{T(0),          -T(0),          limits::denorm_min(), -limits::denorm_min(),
                              limits::min(), -limits::min(), limits::min() / 2,    -limits::min() / 4,
                              T(1),          T(-1),          limits::epsilon(),    T(1) + limits::epsilon()};
    const std::vector<T> wild{limits::infinity(),   -limits::infinity(), limits::quiet_NaN(),
                              -limits::quiet_NaN(), limits::max(),       limits::lowest()};
    random_bits random(seed);
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i) {
        const bool now = with_infinities && random.below(n) < 3 && i > n / 4;
        values.push_back(now ? wild[random.below(wild.size())] : tame[random.below(tame.size())]);
    }
    return values;
}

}  // namespace upsweep::test
