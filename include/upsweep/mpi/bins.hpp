// Bin extraction of one sequence that lies on many ranks: bins, bins_by and their indices, with an
// mpi::executor.
//
// Formula: that of upsweep/bins.hpp over all ranks' elements: those of bin 0, in order, then those of bin 1,
// and so on; what has no bin is left out. The ranks' `out` one after the other receive them, each as many as
// it has room for: outs as long as the ins cut the result as the input is cut. offsets are those of the
// whole, on every rank. Indices are of the whole. Results do not depend on how elements are distributed.
// Shapes: as there, for each rank's arrays, of which in and out may be empty and of any sizes; as many
// offsets on every rank, and the same bins. Elements of out are trivially copyable, because ranks exchange
// their bytes. Aliasing: as there. Errors: every rank throws upsweep::error, with nothing written, if one
// refuses its arguments; with offsets unspecified, if one lacks memory, or if f or an element's assignment
// throws on one. Complexity: that of the rank's own extraction, to scratch of n elements; each element is
// sent at most once. Scratch beside that: 16 bytes a bin, 32 for each in which the rank has elements, and
// 16 for each bin of each rank from which this one gets elements of it. Messages: docs/mpi.md. Source:
// Blelloch, "Prefix sums and their applications", 1990, section 1.3, whose scans of counts are those over
// ranks here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "upsweep/bins.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/redistribute.hpp"
#include "upsweep/mpi/scratch.hpp"

namespace upsweep {
namespace mpi {

struct extraction {
    std::uint64_t total;  // elements of all ranks that have a bin
    std::uint64_t first;  // which of those this rank's out begins with
    std::size_t written;  // how many it has, out.size() unless the total is reached
};

// The counts of a rank's bins, and where they go.
class bin_places {
  public:
    // Memory for so many bins and elements.
    bin_places(std::size_t bins, std::size_t elements);

    // Collective: `offsets` are those of this rank's bins, and become those of the whole.
    void find(const executor& ex, std::uint64_t* offsets);
    // Where this rank's elements belong.
    [[nodiscard]] std::span<const stretch> own() const { return own_; }

  private:
    std::vector<std::uint64_t> before_, total_;  // in each bin: elements of earlier ranks, of all
    std::vector<stretch> own_;
};

// `check` throws what is wrong with the arguments; extract(all, out) extracts the bins of the rank's n
// elements and fills its offsets.
template <class Out, class Check, class Extract>
extraction extract_on_ranks(const executor& ex, std::size_t n, std::span<Out> out,
                            std::span<std::uint64_t> offsets, const Check& check, const Extract& extract) {
    const std::size_t bins = offsets.empty() ? 0 : offsets.size() - 1;
    constexpr std::uint64_t most_told = 0xffffff;  // beside 32 bits of bins
    const std::uint64_t operation =
        operation_of(collective::bins, (sizeof(Out) & most_told) << 32 | (bins & no_bin));
    const agreement all = agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    std::optional<redistribution> ways;
    std::optional<bin_places> places;
    std::optional<scratch<Out>> held;
    std::size_t kept = 0;
    const auto trouble = refusal_of([&] {
        ways.emplace(ex);
        places.emplace(bins, n);
        held.emplace(n);
        kept = extract(all, held->span());
    });
    const agreement found = agree(ex, {.count = kept, .operation = operation, .refusal = trouble});
    ways->cut(out.size());
    places->find(ex, offsets.data());
    ways->plan(places->own(), sizeof(Out));
    ways->move(held->data(), out.data(), sizeof(Out));
    const std::uint64_t first = ways->first();
    const std::uint64_t left = found.count - std::min(found.count, first);
    return {found.count, first, static_cast<std::size_t>(std::min<std::uint64_t>(left, out.size()))};
}
// The same of indices of the whole.
template <class Index, class Check, class Extract>
extraction extract_indices_on_ranks(const executor& ex, std::size_t n, std::span<Index> out,
                                    std::span<std::uint64_t> offsets, const Check& check,
                                    const Extract& extract) {
    return extract_on_ranks(ex, n, out, offsets, check, [&](const agreement& all, std::span<Index> held) {
        upsweep::detail::check_indices<Index>(all.count);
        const std::size_t kept = extract(held);
        for (Index& index : held.first(kept)) index = static_cast<Index>(index + all.first);
        return kept;
    });
}

// Equal bins or edges.
template <class Bins, class In, class Out, class Offsets>
void check_extraction(const Bins& by, const In& in, const Out& out, const Offsets& offsets) {
    upsweep::detail::check_bins(by);
    upsweep::detail::check_bin_arrays(in, out, offsets, upsweep::detail::count_of(by));
    upsweep::detail::check_apart_from_bins(by, out, offsets);
}
template <class Bins, class In, class Out, class Offsets>
extraction extract(executor& ex, const In& in, Out& out, Offsets& offsets, const Bins& by) {
    using element = std::ranges::range_value_t<Out>;
    return extract_on_ranks<element>(
        ex, std::ranges::size(in), out, offsets, [&] { check_extraction(by, in, out, offsets); },
        [&](const agreement&, std::span<element> held) { return bins(ex.local(), in, held, offsets, by); });
}
template <class Bins, class In, class Out, class Offsets>
extraction extract_indices(executor& ex, const In& in, Out& out, Offsets& offsets, const Bins& by) {
    using index = std::ranges::range_value_t<Out>;
    return extract_indices_on_ranks<index>(
        ex, std::ranges::size(in), out, offsets, [&] { check_extraction(by, in, out, offsets); },
        [&](std::span<index> held) { return bin_indices(ex.local(), in, held, offsets, by); });
}
template <class In, class Out, class Offsets>
void check_extraction_by(const In& in, const Out& out, const Offsets& offsets) {
    const std::size_t number = upsweep::detail::bins_of_offsets(std::ranges::size(offsets));
    upsweep::detail::check_bin_arrays(in, out, offsets, number);
}

}  // namespace mpi

// By equal bins: bins(executor, in, out, offsets, {.lo = 0, .hi = 1, .count = 8}).
template <number_range In, receives<In> Out, counter_range Offsets>
mpi::extraction bins(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                     const bin_range<binned_type<In>>& range) {
    return mpi::extract(ex, in, out, offsets, range);
}
template <number_range In, index_range Out, counter_range Offsets>
mpi::extraction bin_indices(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                            const bin_range<binned_type<In>>& range) {
    return mpi::extract_indices(ex, in, out, offsets, range);
}

// By edges: bins(executor, in, out, offsets, bin_edges<float>{edges}).
template <number_range In, receives<In> Out, counter_range Offsets>
mpi::extraction bins(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                     const bin_edges<binned_type<In>>& edges) {
    return mpi::extract(ex, in, out, offsets, edges);
}
template <number_range In, index_range Out, counter_range Offsets>
mpi::extraction bin_indices(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                            const bin_edges<binned_type<In>>& edges) {
    return mpi::extract_indices(ex, in, out, offsets, edges);
}

// By a function of the caller's own, into one bin fewer than there are offsets. f may be called from several
// threads, twice for an element, and must answer the same both times.
template <input_range In, receives<In> Out, counter_range Offsets, bin_function<In> F>
mpi::extraction bins_by(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    using element = std::ranges::range_value_t<Out>;
    return mpi::extract_on_ranks<element>(
        ex, std::ranges::size(in), out, offsets, [&] { mpi::check_extraction_by(in, out, offsets); },
        [&](const mpi::agreement&, std::span<element> held) {
            return bins_by(ex.local(), in, held, offsets, f);
        });
}
template <input_range In, index_range Out, counter_range Offsets, bin_function<In> F>
mpi::extraction bin_indices_by(mpi::executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    using index = std::ranges::range_value_t<Out>;
    return mpi::extract_indices_on_ranks<index>(
        ex, std::ranges::size(in), out, offsets, [&] { mpi::check_extraction_by(in, out, offsets); },
        [&](std::span<index> held) { return bin_indices_by(ex.local(), in, held, offsets, f); });
}

}  // namespace upsweep
