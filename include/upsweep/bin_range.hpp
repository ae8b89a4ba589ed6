// Bins: which of `count` equal intervals of [lo, hi), or of intervals between given edges, a number belongs
// to. One definition for histograms and extraction of whole arrays, of blocks of a GPU, and of their tests.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep {

// [lo, hi) cut into `count` equal bins. Preconditions: lo < hi, count > 0; for floating point also that
// (hi - lo) * count is finite.
template <core::ordered_number T>
struct bin_range {
    T lo;
    T hi;
    std::uint32_t count;
    bool clamp = false;  // what is below lo belongs to the first bin, what is not below hi to the last
};

// What find_bin gives for a number that belongs to no bin.
inline constexpr std::uint32_t no_bin = 0xffffffff;

namespace core {

// floor(a * b / c) for a < c, without overflow: bit by bit of b where the product does not fit.
UPSWEEP_HOST_DEVICE constexpr std::uint32_t multiply_divide(std::uint64_t a, std::uint32_t b,
                                                            std::uint64_t c) {
    if ((a >> 32) == 0) return static_cast<std::uint32_t>(a * b / c);
    // Invariant: a * (b >> bit) == quotient * c + rest, rest < c.
    std::uint32_t quotient = 0;
    std::uint64_t rest = 0;
    for (int bit = 31; bit >= 0; --bit) {
        quotient *= 2;
        const bool doubles_over = rest >= c - rest;
        rest = doubles_over ? rest - (c - rest) : rest + rest;
        if (doubles_over) ++quotient;
        if ((b >> bit) & 1) {
            const bool adds_over = rest >= c - a;
            rest = adds_over ? rest - (c - a) : rest + a;
            if (adds_over) ++quotient;
        }
    }
    return quotient;
}

}  // namespace core

// The bin of x, in [0, range.count), or no_bin: floor((x - lo) * count / (hi - lo)). Integers: exact.
// Floating point: the difference, product and quotient are each rounded to T, and a result of `count` counts
// as the last bin. That is exact too where lo, hi, x and the product are whole numbers within T's precision.
// A NaN belongs to no bin, clamped or not.
template <core::ordered_number T>
[[nodiscard]] UPSWEEP_HOST_DEVICE constexpr std::uint32_t find_bin(const bin_range<T>& range, T x) {
    if (x != x) return no_bin;
    if (x < range.lo) return range.clamp ? 0 : no_bin;
    if (!(x < range.hi)) return range.clamp ? range.count - 1 : no_bin;
    if constexpr (std::integral<T>) {
        static_assert(sizeof(T) <= 8, "bins are of integers of 64 bits at most");
        // Differences as unsigned numbers are right whatever the signs.
        const std::uint64_t offset = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(range.lo);
        const std::uint64_t width =
            static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo);
        return core::multiply_divide(offset, range.count, width);
    } else {
        const T offset = x - range.lo;
        const T product = offset * static_cast<T>(range.count);
        const T quotient = product / (range.hi - range.lo);
        // Below 2^32: at most count, but for rounding.
        const auto bin = static_cast<std::uint64_t>(quotient);
        return bin < range.count ? static_cast<std::uint32_t>(bin) : range.count - 1;
    }
}

// The bins [edges[0], edges[1]), [edges[1], edges[2]), ..., of which the last one has its upper edge too, as
// numpy.histogram has them. Preconditions: two edges or more, ascending, none of them NaN; equal neighbours
// make an empty bin (but for the last one, which has that value).
template <core::ordered_number T>
struct bin_edges {
    std::span<const T> edges;

    [[nodiscard]] constexpr std::size_t count() const { return edges.size() - 1; }
};
template <std::ranges::contiguous_range Edges>
bin_edges(const Edges&) -> bin_edges<std::ranges::range_value_t<Edges>>;

namespace core {

// find_bin of edges[0], ..., edges[last], wherever they are.
template <ordered_number T>
[[nodiscard]] UPSWEEP_HOST_DEVICE constexpr std::uint32_t find_between(const T* edges, std::size_t last,
                                                                       T x) {
    if (!(x >= edges[0] && x <= edges[last])) return no_bin;
    // The last edge that is not above x is one of edges[first], ..., edges[first + left - 1].
    std::size_t first = 0;
    for (std::size_t left = last + 1; left > 1;) {
        const std::size_t half = left / 2;
        first = edges[first + half] <= x ? first + half : first;
        left -= half;
    }
    return static_cast<std::uint32_t>(first < last ? first : last - 1);
}

}  // namespace core

// The bin of x, or no_bin for what lies outside and for a NaN. Cost: O(log count) steps without a branch.
template <core::ordered_number T>
[[nodiscard]] constexpr std::uint32_t find_bin(const bin_edges<T>& bins, std::type_identity_t<T> x) {
    return core::find_between(bins.edges.data(), bins.edges.size() - 1, x);
}

}  // namespace upsweep
