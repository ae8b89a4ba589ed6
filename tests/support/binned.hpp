// Numbers in, at the edges of, and outside bins, and what belongs where by find_bin.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "support/random.hpp"
#include "upsweep/bin_range.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {

// The number that `step` representable ones away from x.
template <class T>
T near(T x, int step) {
    if constexpr (std::integral<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(std::int64_t{step}));
    } else {
        for (int k = 0; k < std::abs(step); ++k)
            x = std::nextafter(
                x, step < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity());
        return x;
    }
}

// n numbers: most in the range or a little outside, many of them at the edges of bins, some of any bits.
template <class T>
std::vector<T> numbers_about(const bin_range<T>& range, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::vector<T> made(n);
    const auto lo = static_cast<long double>(range.lo), hi = static_cast<long double>(range.hi);
    for (T& x : made) {
        const long double share = static_cast<long double>(random.unit());
        const auto among = static_cast<T>(lo + share * (hi - lo));
        switch (random.below(8)) {
            case 0: {  // of any bits
                const std::uint64_t bits[2] = {random(), random() & 0x7fff};
                if constexpr (sizeof(T) <= 8)
                    std::memcpy(static_cast<void*>(&x), bits, sizeof(T));
                else
                    x = among;
                break;
            }
            case 1:
                x = near(range.lo, static_cast<int>(random.below(5)) - 2);
                break;
            case 2:
                x = near(range.hi, static_cast<int>(random.below(5)) - 2);
                break;
            case 3:
            case 4: {
                const std::uint64_t edge = random.below(std::uint64_t{range.count} + 1);
                const long double at = lo + (hi - lo) * static_cast<long double>(edge) / range.count;
                x = near(at < hi ? static_cast<T>(at) : range.hi, static_cast<int>(random.below(5)) - 2);
                break;
            }
            default:
                x = among < range.hi ? among : range.lo;
        }
        if constexpr (std::floating_point<T>) {
            if (random.below(100) == 0) x = std::numeric_limits<T>::quiet_NaN();
            if (random.below(100) == 0) x = std::numeric_limits<T>::infinity();
            if (random.below(100) == 0) x = -std::numeric_limits<T>::infinity();
        }
    }
    return made;
}

// Every integer type has ranges that one 53-bit product decides, and ranges that take 128 bits.
template <class T>
std::vector<bin_range<T>> ranges_of(std::uint32_t count) {
    using limits = std::numeric_limits<T>;
    std::vector<bin_range<T>> made;
    made.reserve(16);
    const auto add = [&](T lo, T hi) {
        made.push_back({lo, hi, count, false});
        made.push_back({lo, hi, count, true});
    };
    add(T(0), T(1));
    add(T(3), T(100));
    if constexpr (std::integral<T>) {
        add(limits::min(), limits::max());
        add(static_cast<T>(limits::max() - 1), limits::max());
        add(static_cast<T>(limits::min() / 2 + 1), static_cast<T>(limits::max() / 3));
    } else {
        add(T(-1.1), T(0.7));
        add(T(0.1), near(T(0.1), 3));
        add(-limits::max() / T(4) / static_cast<T>(count), limits::max() / T(4) / static_cast<T>(count));
        add(-limits::denorm_min(), limits::min());
    }
    return made;
}

template <class Bins, class T>
std::vector<std::uint32_t> bins_of(const Bins& bins, const std::vector<T>& x) {
    std::vector<std::uint32_t> made;
    for (const T& e : x) {
        if constexpr (is_half<T>)
            made.push_back(find_bin(bins, static_cast<float>(e)));
        else
            made.push_back(find_bin(bins, e));
    }
    return made;
}

struct counted {
    std::vector<std::uint64_t> counts;
    std::size_t sum = 0;
};
// Numbers that are no bin are not counted.
inline counted count_all(const std::vector<std::uint32_t>& found, std::size_t bins) {
    counted made{std::vector<std::uint64_t>(bins), 0};
    for (const std::uint32_t bin : found) {
        if (bin >= bins) continue;
        ++made.counts[bin];
        ++made.sum;
    }
    return made;
}

}  // namespace upsweep::test
