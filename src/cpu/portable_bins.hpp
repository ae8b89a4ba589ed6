// Bins of elements in plain C++: the level `portable`, the tails of the vector bodies, and the ranges that
// those do not take.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "upsweep/bin_range.hpp"
#include "upsweep/cpu/bins.hpp"

namespace upsweep::cpu::portable {

__extension__ using wide_integer = unsigned __int128;

// floor(offset * count / width), offset < width, without a division: the rounded quotient is off by one at
// most, for it is below 2^32 and made with three roundings of 2^-53.
inline std::uint32_t exact_bin(std::uint64_t offset, std::uint64_t width, std::uint32_t count, double slope) {
    auto bin = static_cast<std::uint64_t>(static_cast<double>(offset) * slope);
    const wide_integer product = static_cast<wide_integer>(offset) * count;
    const wide_integer floor = static_cast<wide_integer>(bin) * width;
    if (floor > product)
        --bin;
    else if (product - floor >= width)
        ++bin;
    return static_cast<std::uint32_t>(bin);
}

template <class T>
void find_bins(const T* x, std::size_t count, const prepared_range<T>& bins, std::uint32_t* found) {
    const bin_range<T> range = bins.range;
    if constexpr (std::integral<T>) {
        const std::uint64_t width =
            static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo);
        const double slope = bins.slope;
        const std::uint32_t below = range.clamp ? 0 : range.count;
        const std::uint32_t above = range.clamp ? range.count - 1 : range.count;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t offset =
                static_cast<std::uint64_t>(x[i]) - static_cast<std::uint64_t>(range.lo);
            found[i] = x[i] < range.lo      ? below
                       : !(x[i] < range.hi) ? above
                                            : exact_bin(offset, width, range.count, slope);
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t bin = find_bin(range, x[i]);
            found[i] = bin < range.count ? bin : range.count;
        }
    }
}

}  // namespace upsweep::cpu::portable
