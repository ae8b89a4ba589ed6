// A bin function of the tests' own, in C++; its GLSL is in the tests and in
// shaders/residues.glsl. Residues of words; multiples of 7 have no bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace upsweep::test {

inline std::uint32_t residue_bin(std::uint32_t value, std::uint32_t divisor) {
    return value % 7 == 0 ? 0xffffffffu : value % divisor;
}
inline std::vector<std::uint32_t> words_for_residues(std::size_t n) {
    random_bits random(n);
    std::vector<std::uint32_t> made(n);
    for (std::uint32_t& each : made) each = static_cast<std::uint32_t>(random());
    return made;
}
// Of the first n words; bins that are not below `bins` do not count.
inline std::vector<std::uint32_t> count_residues(const std::vector<std::uint32_t>& values, std::size_t n,
                                                 std::uint32_t divisor, std::size_t bins) {
    std::vector<std::uint32_t> counts(bins);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bin = residue_bin(values[i], divisor);
        if (bin < bins) ++counts[bin];
    }
    return counts;
}

}  // namespace upsweep::test
