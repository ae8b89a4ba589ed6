// Peers of histograms and bin extraction: `bins` equal bins of [lo, hi), by the formula of find_bin, which
// the peers have to give the same. T is float, double, std::int32_t or std::int8_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// One counter a bin, one element after the other.
template <class T>
void histogram_loop(const T* in, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* counts);
// The same with OpenMP: an array reduction, counters for each thread.
template <class T>
void histogram_openmp(const T* in, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* counts);
// Counts, then goes to the bins' places; offsets has bins + 1 elements.
template <class T>
void bins_loop(const T* in, T* out, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* offsets);

// totals[b] = the sum of the values beside bin b's elements, one after the other. T is float, double,
// std::int32_t or std::int64_t.
template <class T>
void bin_totals_loop(const T* in, const T* values, std::size_t n, T lo, T hi, std::uint32_t bins, T* totals);
// The same with OpenMP: an array reduction, totals for each thread.
template <class T>
void bin_totals_openmp(const T* in, const T* values, std::size_t n, T lo, T hi, std::uint32_t bins,
                       T* totals);

}  // namespace bench
