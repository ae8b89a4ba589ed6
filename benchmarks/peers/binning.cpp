#include "binning.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace bench {
namespace {

// `bins` for what is outside.
template <class T>
std::uint32_t bin_of(T x, T lo, T hi, std::uint32_t bins) {
    if (!(x >= lo && x < hi)) return bins;
    if constexpr (std::is_floating_point_v<T>) {
        const auto bin = static_cast<std::uint32_t>((x - lo) * static_cast<T>(bins) / (hi - lo));
        return std::min(bin, bins - 1);
    } else {
        const std::int64_t offset = std::int64_t{x} - lo;
        return static_cast<std::uint32_t>(offset * bins / (std::int64_t{hi} - lo));
    }
}

}  // namespace

template <class T>
void histogram_loop(const T* in, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* counts) {
    std::fill_n(counts, bins, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bin = bin_of(in[i], lo, hi, bins);
        if (bin < bins) ++counts[bin];
    }
}
template <class T>
void histogram_openmp(const T* in, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* counts) {
    std::fill_n(counts, bins, 0);
#pragma omp parallel
    {
        std::vector<std::uint64_t> own(std::size_t{bins} + 1);
#pragma omp for nowait
        for (std::size_t i = 0; i < n; ++i) ++own[bin_of(in[i], lo, hi, bins)];
#pragma omp critical
        for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += own[bin];
    }
}
template <class T>
void bins_loop(const T* in, T* out, std::size_t n, T lo, T hi, std::uint32_t bins, std::uint64_t* offsets) {
    histogram_loop(in, n, lo, hi, bins, offsets);
    std::uint64_t begin = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const std::uint64_t count = offsets[bin];
        offsets[bin] = begin;
        begin += count;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bin = bin_of(in[i], lo, hi, bins);
        if (bin < bins) out[offsets[bin]++] = in[i];
    }
    std::copy_backward(offsets, offsets + bins, offsets + bins + 1);
    offsets[0] = 0;
}

template <class T>
void bin_totals_loop(const T* in, const T* values, std::size_t n, T lo, T hi, std::uint32_t bins, T* totals) {
    std::fill_n(totals, bins, T(0));
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t bin = bin_of(in[i], lo, hi, bins);
        if (bin < bins) totals[bin] += values[i];
    }
}
template <class T>
void bin_totals_openmp(const T* in, const T* values, std::size_t n, T lo, T hi, std::uint32_t bins,
                       T* totals) {
    std::fill_n(totals, bins, T(0));
#pragma omp parallel
    {
        std::vector<T> own(std::size_t{bins} + 1);
#pragma omp for nowait
        for (std::size_t i = 0; i < n; ++i) own[bin_of(in[i], lo, hi, bins)] += values[i];
#pragma omp critical
        for (std::size_t bin = 0; bin < bins; ++bin) totals[bin] += own[bin];
    }
}

#define UPSWEEP_BINNING_PEERS(T)                                                                   \
    template void histogram_loop<T>(const T*, std::size_t, T, T, std::uint32_t, std::uint64_t*);   \
    template void histogram_openmp<T>(const T*, std::size_t, T, T, std::uint32_t, std::uint64_t*); \
    template void bins_loop<T>(const T*, T*, std::size_t, T, T, std::uint32_t, std::uint64_t*);
UPSWEEP_BINNING_PEERS(std::int8_t)
UPSWEEP_BINNING_PEERS(std::int32_t)
UPSWEEP_BINNING_PEERS(float)
UPSWEEP_BINNING_PEERS(double)
#define UPSWEEP_TOTALS_PEERS(T)                                                                 \
    template void bin_totals_loop<T>(const T*, const T*, std::size_t, T, T, std::uint32_t, T*); \
    template void bin_totals_openmp<T>(const T*, const T*, std::size_t, T, T, std::uint32_t, T*);
UPSWEEP_TOTALS_PEERS(std::int32_t)
UPSWEEP_TOTALS_PEERS(std::int64_t)
UPSWEEP_TOTALS_PEERS(float)
UPSWEEP_TOTALS_PEERS(double)

}  // namespace bench
