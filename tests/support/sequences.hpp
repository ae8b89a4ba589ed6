// Random elements under which an operator keeps revealing something however long the sequence: sums that
// round, products that neither overflow nor vanish, minima and maxima with new records throughout.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <valarray>

#include "support/monoids.hpp"
#include "support/random.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {

// Bits that come up in element i: often at first, ever more rarely later, so that an `and` or `or` of n
// elements is saturated neither soon nor at once.
inline std::uint64_t rare_bit(std::size_t i, random_bits& random) {
    const bool now = random.unit() * static_cast<double>(i + 8) < 8.0;
    return now ? std::uint64_t{1} << random.below(64) : 0;
}

// Element i of n of a sequence in scan order, for operator Op.
template <class T, class Op>
T element(std::size_t i, std::size_t n, random_bits& random) {
    constexpr bool lowest_wins = std::same_as<Op, minimum> || std::same_as<Op, argmin>;
    constexpr bool highest_wins = std::same_as<Op, maximum> || std::same_as<Op, argmax>;
    // From 0 to 1 over the sequence, with noise: a trend that sets records.
    const double trend = (static_cast<double>(i) + 0.02 * static_cast<double>(n) * random.unit()) /
                         (1.02 * static_cast<double>(n) + 1);
    if constexpr (std::same_as<T, bool>) {
        return std::same_as<Op, logical_and> ? rare_bit(4 * i, random) == 0 : rare_bit(4 * i, random) != 0;
    } else if constexpr (std::integral<T>) {
        if constexpr (std::same_as<Op, bit_and>)
            return static_cast<T>(~rare_bit(i, random));
        else if constexpr (std::same_as<Op, bit_or>)
            return static_cast<T>(rare_bit(i, random));
        else if constexpr (std::same_as<Op, multiplies>)
            return static_cast<T>(random() | 1u);
        else if constexpr (lowest_wins || highest_wins) {
            const double low = static_cast<double>(std::numeric_limits<T>::min());
            const double high = static_cast<double>(std::numeric_limits<T>::max());
            const double at = 0.01 + 0.98 * (lowest_wins ? 1 - trend : trend);
            return static_cast<T>(low + (high - low) * at);
        } else {
            return static_cast<T>(random());
        }
    } else if constexpr (std::floating_point<T> || is_half<T>) {
        if constexpr (lowest_wins)
            return static_cast<T>(static_cast<float>(0.5 - trend));
        else if constexpr (highest_wins)
            return static_cast<T>(static_cast<float>(trend - 0.5));
        else if constexpr (std::same_as<Op, multiplies>)
            return static_cast<T>((random() & 1u) != 0 ? random.between(0.95, 1.05)
                                                       : -random.between(0.95, 1.05));
        else
            return static_cast<T>(random.between(-1, 1) *
                                  std::ldexp(1.0, -static_cast<int>(random.below(12))));
    } else if constexpr (is_complex<T>) {
        using component = typename T::value_type;
        const double angle = random.between(0, 6.25);
        const double modulus = std::same_as<Op, multiplies> ? random.between(0.98, 1.02) : random.unit();
        return {static_cast<component>(modulus * std::cos(angle)),
                static_cast<component>(modulus * std::sin(angle))};
    } else if constexpr (requires(T x) {
                             x.value;
                             x.index;
                         }) {
        // Halved, so that equal values occur and the index decides.
        return {element<decltype(T::value), Op>(i / 2 * 2, n, random), static_cast<std::int64_t>(i)};
    } else if constexpr (std::same_as<Op, affine>) {
        using component = decltype(T::a);
        if constexpr (std::integral<component>)
            return {static_cast<component>(random() | 1u), static_cast<component>(random())};
        else
            return {static_cast<component>(random.between(-1.02, 1.02)),
                    static_cast<component>(random.between(-1, 1))};
    } else if constexpr (std::same_as<T, brackets>) {
        return (random() & 1u) != 0 ? brackets{static_cast<std::uint32_t>(random.below(3)), 0}
                                    : brackets{0, static_cast<std::uint32_t>(random.below(3))};
    } else if constexpr (std::same_as<T, matrix>) {
        const auto entry = [&] { return static_cast<std::uint32_t>(random()); };
        return {
            {entry() | 1u, entry() & ~1u, entry() & ~1u, entry() | 1u}};  // odd determinant: nothing vanishes
    } else {
        static_assert(std::same_as<T, word>);
        return word::letter(static_cast<char>('a' + random.below(26)));
    }
}

// Of length n, in scan order.
template <class T, class Op>
std::valarray<T> sequence(std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    std::valarray<T> made(n);
    for (std::size_t i = 0; i < n; ++i) made[i] = element<T, Op>(i, n, random);
    return made;
}

}  // namespace upsweep::test
