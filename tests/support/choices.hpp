// Elements and choices among them, for tests of compaction and partition.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep::test {

// A record without padding, of any size.
template <std::size_t Bytes>
struct record_of {
    std::array<std::uint8_t, Bytes> byte;
    friend bool operator==(const record_of&, const record_of&) = default;
};

// The first byte of an element as a signed number: a key that is negative for half of all.
struct first_byte {
    template <class T>
    UPSWEEP_HOST_DEVICE int operator()(const T& x) const {
        return static_cast<int>(reinterpret_cast<const signed char&>(x));
    }
};

// Elements of random bits, of any trivially copyable type without padding.
template <class T>
std::vector<T> random_elements(std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<T> made(n);
    auto* bytes = reinterpret_cast<unsigned char*>(made.data());
    for (std::size_t left = n * sizeof(T); left != 0;) {
        const std::uint64_t word = random();
        const std::size_t part = std::min(left, sizeof word);
        std::memcpy(bytes, &word, part);
        bytes += part;
        left -= part;
    }
    return made;
}
// Whether two arrays have the same bytes, NaNs included.
template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// How elements are chosen: each with a chance, or in runs.
struct choosing {
    std::string name;
    double share;     // of the chosen ones
    std::size_t run;  // about so many neighbours alike
};
inline const std::vector<choosing>& choosings() {
    static const std::vector<choosing> all{{"none", 0, 1},   {"all", 1, 1},     {"few", 0.02, 1},
                                           {"half", 0.5, 1}, {"most", 0.95, 1}, {"runs", 0.4, 150}};
    return all;
}
// n flags of 0 or any other value.
template <class Flag = std::uint8_t>
std::vector<Flag> flags_of(const choosing& how, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<Flag> made(n);
    bool chosen = false;
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || random.below(how.run) == 0) chosen = random.unit() < how.share;
        made[i] = chosen ? static_cast<Flag>(std::uint64_t{1} << random.below(7)) : Flag(0);
    }
    return made;
}

// The elements whose flag is set, or is not.
template <class T, class Flag>
std::vector<T> those(const std::vector<T>& all, const std::vector<Flag>& flags, bool wanted) {
    std::vector<T> made;
    for (std::size_t i = 0; i < all.size(); ++i)
        if ((flags[i] != Flag(0)) == wanted) made.push_back(all[i]);
    return made;
}
template <class T, class Flag>
std::vector<T> compacted(const std::vector<T>& all, const std::vector<Flag>& flags) {
    return those(all, flags, true);
}
template <class T, class Flag>
std::vector<T> partitioned(const std::vector<T>& all, const std::vector<Flag>& flags) {
    std::vector<T> made = those(all, flags, true);
    const std::vector<T> others = those(all, flags, false);
    made.insert(made.end(), others.begin(), others.end());
    return made;
}

// 0, 1, ..., n - 1
template <class Index>
std::vector<Index> indices_of(std::size_t n) {
    std::vector<Index> made(n);
    for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<Index>(i);
    return made;
}

}  // namespace upsweep::test
