// Bins: which of `count` equal intervals of [lo, hi) an element belongs to, and the elements of one bin of a
// block, packed in their order.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/collectives/place.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/group.hpp"
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

// Elements of shared memory, 32-bit integers, for a block of `threads` threads in warps of `warp_width`
// lanes.
UPSWEEP_HOST_DEVICE constexpr unsigned block_extract_bin_scratch(unsigned threads, unsigned warp_width = 32) {
    return block_place_scratch(threads, warp_width);
}

// Writes those of the block's elements that belong to bin `bin` to out[0], out[1], ..., in order of threads,
// and returns their number to every thread; nothing behind them is touched. Threads whose `present` is false
// have no element. `out` is a pointer, or a view of shared memory other than `shared`. Collective over the
// block, as block_place is. To append to what is there already, move `out`.
UPSWEEP_EITHER_SIDE
template <block_group Block, shared_array<std::uint32_t> Shared, core::ordered_number T, class Out>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE std::uint32_t block_extract_bin(
    const Block& block, const Shared& shared, const T& x, const bin_range<std::type_identity_t<T>>& range,
    std::uint32_t bin, Out out, bool present = true) {
    const bool mine = present && find_bin(range, x) == bin;
    const auto [place, count] = block_place(block, shared, mine);
    if (mine) {
        if constexpr (shared_array<Out, T>)
            out.store(place, x);
        else
            out[place] = x;
    }
    return count;
}

}  // namespace upsweep
