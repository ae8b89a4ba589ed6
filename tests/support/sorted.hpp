// Keys that are hard to sort, and their stable order by definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

// Types of keys: all, and one of each kind.
using every_key =
    testing::Types<char, std::int8_t, std::uint8_t, char16_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
using some_keys =
    testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float16, float, double>;

// a goes before b in ascending order: a NaN goes after everything else.
template <class T>
bool goes_before(const T& a, const T& b) {
    if constexpr (std::integral<T>) {
        return a < b;
    } else {
        const accumulator_type<T> x = a, y = b;
        return std::isnan(x) ? false : std::isnan(y) || x < y;
    }
}

// Where the elements of the sorted array stand in x.
template <class T>
std::vector<std::size_t> sorted_indices(const std::vector<T>& x, bool descending) {
    std::vector<std::size_t> made(x.size());
    std::iota(made.begin(), made.end(), std::size_t{0});
    std::stable_sort(made.begin(), made.end(), [&](std::size_t a, std::size_t b) {
        return descending ? goes_before<T>(x[b], x[a]) : goes_before<T>(x[a], x[b]);
    });
    return made;
}
template <class T>
std::vector<T> taken(const std::vector<T>& x, const std::vector<std::size_t>& indices) {
    std::vector<T> made;
    made.reserve(indices.size());
    for (const std::size_t i : indices) made.push_back(x[i]);
    return made;
}

inline constexpr std::array<std::string_view, 10> key_kinds{
    "any bits",    "few values", "equal",  "ascending", "descending",
    "one outlier", "few bits",   "halves", "special",   "numbers"};

template <class T>
T key_of_bits(std::uint64_t bits) {
    if constexpr (std::same_as<T, bool>) {
        return bits % 2 != 0;
    } else if constexpr (sizeof(T) == 1) {
        return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
    } else if constexpr (sizeof(T) == 2) {
        return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
    } else {
        return std::bit_cast<T>(bits);
    }
}
// The least and the greatest, zeros of both signs, infinities, subnormals and NaNs of different bits.
template <class T>
T special_key(random_bits& random) {
    constexpr int digits = 8 * sizeof(T);
    const std::uint64_t top = std::uint64_t{1} << (digits - 1), sign = random.below(2) * top;
    if constexpr (std::integral<T>) {
        const std::array<std::uint64_t, 6> some{0, 1, top - 1, top, top + 1, ~std::uint64_t{0}};
        return key_of_bits<T>(some[random.below(some.size())]);
    } else {
        using limits = std::numeric_limits<accumulator_type<T>>;
        switch (random.below(7)) {
            case 0:
                return key_of_bits<T>(sign);
            case 1:
                return T(random.below(2) == 0 ? limits::infinity() : -limits::infinity());
            case 2:
                return key_of_bits<T>(sign | (1 + random.below(3)));
            case 3:
            case 4:  // a NaN: of an infinity with some more bits
                return key_of_bits<T>(sign | (top - 1 - random.below(3)));
            case 5:
                return T(1);
            default:
                return T(static_cast<float>(random.between(-2, 2)));
        }
    }
}

template <class T>
std::vector<T> keys_of(std::string_view kind, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<T> made(n);
    const T one = key_of_bits<T>(random());
    const std::array<T, 5> few{one, key_of_bits<T>(random()), key_of_bits<T>(random()), T(0), T(1)};
    // Words are compared once: in a sanitized build that takes longer than to make a key.
    const bool few_values = kind == "few values", equal = kind == "equal", outlier = kind == "one outlier",
               few_bits = kind == "few bits", halves = kind == "halves", special = kind == "special",
               ordinary = kind == "numbers";
    for (std::size_t i = 0; i < n; ++i) {
        if (few_values)
            made[i] = few[random.below(few.size())];
        else if (equal)
            made[i] = one;
        else if (outlier)
            made[i] = i == n / 3 ? key_of_bits<T>(~std::uint64_t{0} >> 1) : T(random.below(90));
        else if (few_bits)
            made[i] = key_of_bits<T>(random() & random() & random() & random() & random());
        else if (halves)  // each bucket has most of its elements in one that is smaller
            made[i] = key_of_bits<T>(random() >> (1 + random.below(63)));
        else if (special)
            made[i] = special_key<T>(random);
        else if (ordinary)  // no zeros and no NaNs: those that are equal have the same bits
            do made[i] = key_of_bits<T>(random());
            while (made[i] != made[i] || made[i] == T(0));
        else
            made[i] = key_of_bits<T>(random());
    }
    const auto before = [](const T& a, const T& b) { return goes_before<T>(a, b); };
    if (kind == "ascending" || kind == "descending") std::stable_sort(made.begin(), made.end(), before);
    if (kind == "descending") std::reverse(made.begin(), made.end());
    return made;
}

// The same within each segment, of which offsets tell where they begin and end.
template <class T>
std::vector<std::size_t> sorted_indices(const std::vector<T>& x, const std::vector<std::int64_t>& offsets,
                                        bool descending) {
    std::vector<std::size_t> made;
    made.reserve(x.size());
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
        const std::vector<T> part(x.begin() + offsets[k], x.begin() + offsets[k + 1]);
        for (const std::size_t i : sorted_indices(part, descending))
            made.push_back(static_cast<std::size_t>(offsets[k]) + i);
    }
    return made;
}

// The result of a sort, bit for bit, and nothing beside it.
template <class T>
void expect_same(const std::vector<T>& expected, const guarded<T>& found) {
    EXPECT_TRUE(same_bytes<T>(expected, found.span()));
    EXPECT_TRUE(found.sentinels_intact());
}
template <class T, class From>
std::vector<T> converted(const std::vector<From>& from) {
    std::vector<T> made(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) made[i] = static_cast<T>(from[i]);
    return made;
}

}  // namespace upsweep::test
