// Thresholds of bins.
#include "shader/bin_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>

#include "upsweep/error.hpp"

namespace upsweep::shader {
namespace {

// Numbers of one type and their keys.
template <class T>
struct number_keys {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    static constexpr word sign = word{1} << (8 * sizeof(T) - 1);

    static std::uint64_t key(T x) {
        const auto bits = std::bit_cast<word>(x);
        if constexpr (std::unsigned_integral<T>) return bits;
        if constexpr (std::signed_integral<T>) return bits ^ sign;
        if (x == 0) return sign;
        return (bits & sign) != 0 ? static_cast<word>(~bits) : bits | sign;
    }
    static T number(std::uint64_t key) {
        auto bits = static_cast<word>(key);
        if constexpr (std::signed_integral<T>)
            bits ^= sign;
        else if constexpr (std::floating_point<T>)
            bits = (bits & sign) != 0 ? bits ^ sign : static_cast<word>(~bits);
        return std::bit_cast<T>(bits);
    }
    static void put(std::vector<std::uint32_t>& words, std::uint64_t key) {
        words.push_back(static_cast<std::uint32_t>(key));
        if constexpr (sizeof(T) == 8) words.push_back(static_cast<std::uint32_t>(key >> 32));
    }
};

std::array<std::uint32_t, 2> two_words(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

// The least key in [low, high] for which `reached` holds, which is so from there on, and at `high` is taken
// for granted. It is looked for from `near` on in steps that double, then by halves.
template <class Reached>
std::uint64_t least_key(std::uint64_t low, std::uint64_t high, std::uint64_t near, const Reached& reached) {
    bool seen = false, unseen = false;
    std::uint64_t step = 1;
    while (low < high) {
        near = std::clamp(near, low, high - 1);
        if (reached(near)) {
            high = near;
            seen = true;
        } else {
            low = near + 1;
            unseen = true;
        }
        if (seen && unseen)
            near = low + (high - low) / 2;
        else if (seen)
            near = high - std::min(step, high - low);
        else
            near = low + std::min(step, high - low) - 1;
        step *= 2;
    }
    return low;
}

template <class T>
void put_equal_bins(bin_table& made, const bin_range<T>& range) {
    using keys = number_keys<T>;
    // What is not below hi has none of these bins, whatever `clamp` makes of it.
    const bin_range<T> inside{range.lo, range.hi, range.count};
    const std::uint64_t end = keys::key(range.hi);
    std::uint64_t threshold = keys::key(range.lo);
    made.bottom = two_words(threshold);
    made.top = two_words(end - 1);
    const auto lo = static_cast<long double>(range.lo), width = static_cast<long double>(range.hi) - lo;
    for (std::uint32_t bin = 0; bin < range.count; ++bin) {
        const long double edge = lo + width * static_cast<long double>(bin) / range.count;
        const T near = edge < static_cast<long double>(range.hi) ? static_cast<T>(edge) : range.hi;
        threshold = least_key(threshold, end, keys::key(near),
                              [&](std::uint64_t key) { return find_bin(inside, keys::number(key)) >= bin; });
        keys::put(made.words, threshold);
    }
}

template <class T>
void put_edges(bin_table& made, std::span<const T> edges) {
    using keys = number_keys<T>;
    made.bottom = two_words(keys::key(edges.front()));
    made.top = two_words(keys::key(edges.back()));
    for (const T edge : edges.first(edges.size() - 1)) keys::put(made.words, keys::key(edge));
}

// The stages' guess for a number that is not below the first edge.
template <class T>
float guessed_quotient(const bin_table& made, T lo, T x) {
    float distance = 0;
    if constexpr (std::integral<T>)
        distance = static_cast<float>(number_keys<T>::key(x) - number_keys<T>::key(lo));
    else
        distance = static_cast<float>(x) - made.guess_from;
    return distance * made.guess_scale;
}

// A guess pays where it is right, or next to it, for the least numbers of most bins; some thousand of them
// are asked.
template <class T>
void try_guess(bin_table& made, T lo, T hi) {
    using keys = number_keys<T>;
    const long double width = static_cast<long double>(hi) - static_cast<long double>(lo);
    made.guess_scale = static_cast<float>(static_cast<long double>(made.bins) / width);
    made.guess_from = std::integral<T> ? 0 : static_cast<float>(lo);
    if (!std::isfinite(made.guess_scale) || !std::isfinite(made.guess_from) || !(made.guess_scale > 0))
        return;
    const std::uint64_t top = made.top[0] | std::uint64_t{made.top[1]} << 32;
    const std::size_t step = made.bins / 4096 + 1;
    std::size_t asked = 0, near = 0;
    for (std::size_t bin = 0; bin < made.bins; bin += step) {
        std::uint64_t key = made.words[bin * made.element_words];
        if (made.element_words == 2) key |= std::uint64_t{made.words[2 * bin + 1]} << 32;
        if (key > top) break;
        const float quotient = guessed_quotient(made, lo, keys::number(key));
        ++asked;
        if (std::abs(quotient - static_cast<float>(bin)) < 1.5f) ++near;
    }
    made.guesses = 8 * near >= 7 * asked;
}

template <class T>
T number_of(const std::array<std::uint32_t, 4>& words) {
    std::array<std::uint32_t, sizeof(T) / 4> own{};
    std::copy_n(words.begin(), own.size(), own.begin());
    return std::bit_cast<T>(own);
}

template <class T>
bin_table make_table(const bin_bounds& bounds) {
    bin_table made;
    made.bins = bounds.count;
    made.element_words = sizeof(T) / 4;
    made.clamp = bounds.clamp;
    made.words.reserve(std::size_t{made.bins} * made.element_words);
    if (bounds.edges == nullptr) {
        const bin_range<T> range{number_of<T>(bounds.lo), number_of<T>(bounds.hi), bounds.count};
        put_equal_bins(made, range);
        try_guess(made, range.lo, range.hi);
    } else {
        const std::span edges(static_cast<const T*>(bounds.edges), std::size_t{bounds.count} + 1);
        put_edges(made, edges);
        try_guess(made, edges.front(), edges.back());
    }
    return made;
}

}  // namespace

std::uint32_t element_words_of(element_type type) {
    return type == element_type::uint32 || type == element_type::int32 || type == element_type::float32 ? 1
                                                                                                        : 2;
}

bin_table make_bin_table(const bin_bounds& bounds) {
    switch (bounds.type) {
        case element_type::uint32:
            return make_table<std::uint32_t>(bounds);
        case element_type::int32:
            return make_table<std::int32_t>(bounds);
        case element_type::float32:
            return make_table<float>(bounds);
        case element_type::uint64:
            return make_table<std::uint64_t>(bounds);
        case element_type::int64:
            return make_table<std::int64_t>(bounds);
        case element_type::float64:
            return make_table<double>(bounds);
        case element_type::affine32:
            break;
    }
    throw_error(errc::invalid_argument, "T: expected numbers that have bins");
}

}  // namespace upsweep::shader
