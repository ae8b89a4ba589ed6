// Histograms of one sequence that lies on many ranks: histogram and histogram_by with an mpi::executor.
//
// Formula: that of upsweep/histogram.hpp over all ranks' elements. Shapes: as there, for each rank's `in`,
// which may be empty; every rank has all `counts` and receives the sums over all ranks, and the number of
// elements that were counted anywhere. The bins must be the same on every rank. Bits: counts are integers, so
// how elements are distributed changes nothing.
// Aliasing: as upsweep/histogram.hpp. Errors: every rank throws upsweep::error, before anything is written,
// if one refuses its arguments; and, with counts unspecified, if f throws on one. Complexity: that of each
// rank's histogram; messages: four small collectives and an MPI_Allreduce of counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>

#include "upsweep/bin_range.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/counts.hpp"
#include "upsweep/mpi/executor.hpp"

namespace upsweep {
namespace mpi {

// `check` throws what is wrong with the arguments; `count` is the histogram of the rank's own n elements.
template <class Check, class Count>
std::uint64_t histogram_of_ranks(const executor& ex, std::uint64_t* counts, std::size_t bins, std::size_t n,
                                 const Check& check, const Count& count) {
    const std::uint64_t operation = operation_of(collective::histogram, bins);
    (void)agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    std::size_t counted = 0;
    const auto trouble = refusal_of([&] { counted = count(); });
    const agreement found = agree(ex, {.count = counted, .operation = operation, .refusal = trouble});
    sum_over_ranks(ex, counts, bins);
    return found.count;
}

}  // namespace mpi

template <number_range In, counter_range Counts>
std::uint64_t histogram(mpi::executor& ex, const In& in, Counts&& counts,
                        const bin_range<binned_type<In>>& range) {
    return mpi::histogram_of_ranks(
        ex, std::ranges::data(counts), range.count, std::ranges::size(in),
        [&] {
            detail::check_bins(range);
            detail::check_histogram(in, counts, range.count);
        },
        [&] { return histogram(ex.local(), in, counts, range); });
}
template <number_range In, counter_range Counts>
std::uint64_t histogram(mpi::executor& ex, const In& in, Counts&& counts,
                        const bin_edges<binned_type<In>>& bins) {
    return mpi::histogram_of_ranks(
        ex, std::ranges::data(counts), bins.edges.empty() ? 0 : bins.count(), std::ranges::size(in),
        [&] { detail::check_histogram(in, counts, bins); },
        [&] { return histogram(ex.local(), in, counts, bins); });
}
// f may be called from several threads, once for an element.
template <input_range In, counter_range Counts, bin_function<In> F>
std::uint64_t histogram_by(mpi::executor& ex, const In& in, Counts&& counts, const F& f) {
    return mpi::histogram_of_ranks(
        ex, std::ranges::data(counts), std::ranges::size(counts), std::ranges::size(in),
        [&] { detail::check_histogram_by(in, counts); },
        [&] { return histogram_by(ex.local(), in, counts, f); });
}

}  // namespace upsweep
