// A bin function of the tests' own, in C++; its GLSL is in
// shader/gl_bins_device.hpp and shaders/residues.glsl. Residues of words; multiples of 7 have no bin.
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

// The indices of those of the first n words that have one of `bins` bins, by bins, and where each bin begins.
struct residue_order {
    std::vector<std::uint32_t> indices, offsets;
};
inline residue_order order_residues(const std::vector<std::uint32_t>& values, std::size_t n,
                                    std::uint32_t divisor, std::size_t bins) {
    residue_order made;
    made.offsets.push_back(0);
    for (const std::uint32_t count : count_residues(values, n, divisor, bins))
        made.offsets.push_back(made.offsets.back() + count);
    std::vector<std::uint32_t> at(made.offsets.begin(), made.offsets.end() - 1);
    made.indices.resize(made.offsets.back());
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bin = residue_bin(values[i], divisor);
        if (bin < bins) made.indices[at[bin]++] = static_cast<std::uint32_t>(i);
    }
    return made;
}

// Records that say where they come from.
struct three_words {
    std::uint32_t words[3];
    friend bool operator==(const three_words&, const three_words&) = default;
};
inline three_words record_at(std::uint32_t i) { return {{i, ~i, i * 3}}; }
inline std::vector<three_words> records_at(const std::vector<std::uint32_t>& indices) {
    std::vector<three_words> made;
    for (const std::uint32_t i : indices) made.push_back(record_at(i));
    return made;
}

}  // namespace upsweep::test
