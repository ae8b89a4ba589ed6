// Checks of what says where bins are, which the histograms and extractions of all back ends share.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>

#include "upsweep/bin_range.hpp"
#include "upsweep/error.hpp"

namespace upsweep::detail {

inline constexpr std::size_t most_bins = no_bin;  // 2^32 - 1: a 32-bit number is left for what has none

[[noreturn]] void throw_range(const std::string& expected, double lo, double hi);
[[noreturn]] void throw_edges(std::size_t index);
void check_counts(const char* name, std::size_t counts, std::size_t expected);

// As many bins as offsets has room for.
inline std::size_t bins_of_offsets(std::size_t offsets) {
    if (offsets < 2) throw_error(errc::invalid_argument, "offsets: expected at least 2, one more than bins");
    if (offsets - 1 > most_bins)
        throw_error(errc::invalid_argument, "offsets: expected fewer than 2^32 bins");
    return offsets - 1;
}

template <class T>
void check_bins(const bin_range<T>& range) {
    const auto lo = static_cast<double>(range.lo), hi = static_cast<double>(range.hi);
    if (range.count == 0)
        throw_error(errc::invalid_argument, "range: expected a count of bins that is not 0");
    if (!(range.lo < range.hi)) throw_range("lo < hi", lo, hi);
    if constexpr (std::floating_point<T>) {
        if (!std::isfinite((range.hi - range.lo) * static_cast<T>(range.count)))
            throw_range("bounds with a finite (hi - lo) * count", lo, hi);
    }
}
template <class T>
void check_bins(const bin_edges<T>& bins) {
    if (bins.edges.size() < 2) throw_error(errc::invalid_argument, "edges: expected at least two");
    if (bins.count() > most_bins) throw_error(errc::invalid_argument, "edges: expected at most 2^32");
    for (std::size_t i = 0; i < bins.count(); ++i)
        if (!(bins.edges[i] <= bins.edges[i + 1])) throw_edges(i + 1);
}

}  // namespace upsweep::detail
