// Random numbers for tests of the command-line tool.
#pragma once

#include <cstddef>
#include <random>
#include <type_traits>
#include <vector>

#include "upsweep/types.hpp"

namespace upsweep::test {

// Integers have any bits, others up to 100 / divisor on either side of 0.
template <class T>
std::vector<T> small_numbers(std::size_t n, unsigned seed, int divisor) {
    std::mt19937 random(seed);
    std::vector<T> made(n);
    for (T& x : made) {
        const int small = static_cast<int>(random() % 201) - 100;
        if constexpr (std::is_same_v<T, bool>)
            x = small > 0;
        else if constexpr (is_complex<T>)
            x = T(static_cast<typename T::value_type>(small) / static_cast<typename T::value_type>(divisor),
                  static_cast<typename T::value_type>(random() % 9) / 3);
        else if constexpr (std::is_integral_v<T>)
            x = static_cast<T>(random());
        else
            x = T(static_cast<float>(small) / static_cast<float>(divisor));
    }
    return made;
}

}  // namespace upsweep::test
