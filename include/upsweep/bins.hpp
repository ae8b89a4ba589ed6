// Bin extraction: the elements of every bin, packed, a stable partition into many parts.
//
//     bins, bins_by:                  out = the elements of bin 0, in order, then those of bin 1, and so on
//     bin_indices, bin_indices_by:    out = their indices
//     bin_values, bin_values_by:      out = the values beside them
//
// offsets[b] is where bin b begins and offsets[b + 1] where it ends; what has no bin is left out. Bins are
// those of histogram.hpp: equal intervals, intervals between edges, or what f(element) says. f may be
// called from several threads, twice for an element, and must answer the same both times. All return how
// many elements have a bin, offsets' last value, which may be more than `out` has room for: only as many as
// that are written then, and what lies behind the written ones in `out` is left as it is.
//
// Shapes: in is a contiguous range of n >= 0 elements, values one of as many; offsets one of std::uint64_t,
// one more than there are bins, of which there are fewer than 2^32; out one of any size whose elements can be
// made of in's, or of values' (indices: integers in which n - 1 fits).
// Bits: the same for any number of threads and every instruction set.
// Aliasing: none of in, values, out, offsets and edges overlaps another that is written.
// Errors: upsweep::error names the argument; nothing has been written then. An exception of f or of an
// element's assignment passes through; out and offsets are then unspecified.
// Complexity: O(n + bins) work, with edges O(n log bins + bins); two reads of in and one write of out.
// Scratch: none but 60 KiB of stack on one thread; on several 8 bytes of heap for each bin in each of up to
// four chunks a thread, at most 256 MiB (fewer chunks are made then); for edges as histograms.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.3 (the split operation, of more
// than two parts).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>

#include "upsweep/compact.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep {

namespace detail {

// The bodies of cpu::placement_of_bins::move.
template <class In, class Out>
void move_to_bins(const cpu::placement_of_bins& way, std::size_t first, std::size_t count,
                  const std::uint32_t* found, std::uint64_t* at, std::size_t room) {
    const In* const in = static_cast<const In*>(way.in) + first;
    Out* const out = static_cast<Out*>(way.out);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t place = at[found[i]]++;
        if (place < room) out[place] = static_cast<Out>(in[i]);
    }
}
template <class Index>
void move_indices_to_bins(const cpu::placement_of_bins& way, std::size_t first, std::size_t count,
                          const std::uint32_t* found, std::uint64_t* at, std::size_t room) {
    Index* const out = static_cast<Index*>(way.out);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t place = at[found[i]]++;
        if (place < room) out[place] = static_cast<Index>(first + i);
    }
}
template <class Out, class In>
cpu::placement_of_bins elements_to(Out* out, const In* in) {
    return {in, out, sizeof(Out), &move_to_bins<In, Out>, std::is_trivially_copyable_v<Out>};
}
template <class Index>
cpu::placement_of_bins indices_to(Index* out, std::size_t n) {
    check_indices<Index>(n);
    return {nullptr, out, sizeof(Index), &move_indices_to_bins<Index>, true};
}

// `values` are what goes to `out`, beside or instead of `in`.
template <class In, class Values, class Out, class Offsets>
void check_bin_values(const In& in, const Values& values, const Out& out, const Offsets& offsets) {
    const std::size_t bytes = std::ranges::size(values) * sizeof(std::ranges::range_value_t<Values>);
    check_as_many("values", std::ranges::size(values), "in", std::ranges::size(in));
    check_apart("values", std::ranges::data(values), bytes, std::ranges::data(out),
                std::ranges::size(out) * sizeof(std::ranges::range_value_t<Out>));
    if (overlap(std::ranges::data(values), bytes, std::ranges::data(offsets),
                std::ranges::size(offsets) * sizeof(std::uint64_t)))
        throw_error(errc::invalid_argument, "offsets: overlaps values; it must be disjoint from it");
}
// Arrays of a call with so many bins.
template <class In, class Out, class Offsets>
void check_bin_arrays(const In& in, const Out& out, const Offsets& offsets, std::size_t number_of_bins) {
    const std::size_t in_bytes = std::ranges::size(in) * sizeof(std::ranges::range_value_t<In>);
    const std::size_t out_bytes = std::ranges::size(out) * sizeof(std::ranges::range_value_t<Out>);
    const std::size_t offset_bytes = std::ranges::size(offsets) * sizeof(std::uint64_t);
    check_counts("offsets", std::ranges::size(offsets), number_of_bins + 1);
    check_apart("in", std::ranges::data(in), in_bytes, std::ranges::data(out), out_bytes);
    check_apart("offsets", std::ranges::data(offsets), offset_bytes, std::ranges::data(out), out_bytes);
    if (overlap(std::ranges::data(in), in_bytes, std::ranges::data(offsets), offset_bytes))
        throw_error(errc::invalid_argument, "offsets: overlaps in; it must be disjoint from it");
}
template <class T, class Out, class Offsets>
void check_apart_from_bins(const bin_edges<T>& bins, const Out& out, const Offsets& offsets) {
    check_apart("edges", bins.edges.data(), bins.edges.size_bytes(), std::ranges::data(out),
                std::ranges::size(out) * sizeof(std::ranges::range_value_t<Out>));
    if (overlap(bins.edges.data(), bins.edges.size_bytes(), std::ranges::data(offsets),
                std::ranges::size(offsets) * sizeof(std::uint64_t)))
        throw_error(errc::invalid_argument, "offsets: overlaps edges; it must be disjoint from it");
}
template <class T, class Out, class Offsets>
void check_apart_from_bins(const bin_range<T>&, const Out&, const Offsets&) {}

template <class T>
std::size_t count_of(const bin_range<T>& range) {
    return range.count;
}
template <class T>
std::size_t count_of(const bin_edges<T>& bins) {
    return bins.count();
}
template <class Element, class T>
in_range<Element> classes_of(const cpu::executor& ex, const Element* in, std::size_t,
                             const bin_range<T>& range) {
    return {ex, in, range};
}
template <class Element, class T>
between_edges<Element> classes_of(const cpu::executor& ex, const Element* in, std::size_t n,
                                  const bin_edges<T>& bins) {
    return {ex, in, n, bins};
}
template <class In, class Out, class Offsets, class Bins>
std::size_t extract(cpu::executor& ex, const In& in, Out& out, Offsets& offsets, const Bins& by) {
    check_bins(by);
    check_bin_arrays(in, out, offsets, count_of(by));
    check_apart_from_bins(by, out, offsets);
    const auto classes = classes_of(ex, std::ranges::data(in), std::ranges::size(in), by);
    return cpu::run_bins(ex, classes.classifier(), elements_to(std::ranges::data(out), std::ranges::data(in)),
                         std::ranges::size(in), std::ranges::size(out), std::ranges::data(offsets));
}
template <class In, class Values, class Out, class Offsets, class Bins>
std::size_t extract_values(cpu::executor& ex, const In& in, const Values& values, Out& out, Offsets& offsets,
                           const Bins& by) {
    check_bins(by);
    check_bin_arrays(in, out, offsets, count_of(by));
    check_bin_values(in, values, out, offsets);
    check_apart_from_bins(by, out, offsets);
    const auto way = elements_to(std::ranges::data(out), std::ranges::data(values));
    const auto classes = classes_of(ex, std::ranges::data(in), std::ranges::size(in), by);
    return cpu::run_bins(ex, classes.classifier(), way, std::ranges::size(in), std::ranges::size(out),
                         std::ranges::data(offsets));
}
template <class In, class Out, class Offsets, class Bins>
std::size_t extract_indices(cpu::executor& ex, const In& in, Out& out, Offsets& offsets, const Bins& by) {
    check_bins(by);
    check_bin_arrays(in, out, offsets, count_of(by));
    check_apart_from_bins(by, out, offsets);
    const auto way = indices_to(std::ranges::data(out), std::ranges::size(in));
    const auto classes = classes_of(ex, std::ranges::data(in), std::ranges::size(in), by);
    return cpu::run_bins(ex, classes.classifier(), way, std::ranges::size(in), std::ranges::size(out),
                         std::ranges::data(offsets));
}

}  // namespace detail

// By equal bins: bins(executor, in, out, offsets, {.lo = 0, .hi = 1, .count = 8}).
template <number_range In, receives<In> Out, counter_range Offsets>
std::size_t bins(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                 const bin_range<binned_type<In>>& range) {
    return detail::extract(ex, in, out, offsets, range);
}
// By equal bins: out = the elements' indices.
template <number_range In, index_range Out, counter_range Offsets>
std::size_t bin_indices(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const bin_range<binned_type<In>>& range) {
    return detail::extract_indices(ex, in, out, offsets, range);
}
// By equal bins: out = the values beside the elements.
template <number_range In, input_range Values, receives<Values> Out, counter_range Offsets>
std::size_t bin_values(cpu::executor& ex, const In& in, const Values& values, Out&& out, Offsets&& offsets,
                       const bin_range<binned_type<In>>& range) {
    return detail::extract_values(ex, in, values, out, offsets, range);
}

// By edges: bins(executor, in, out, offsets, bin_edges<float>{edges}).
template <number_range In, receives<In> Out, counter_range Offsets>
std::size_t bins(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                 const bin_edges<binned_type<In>>& edges) {
    return detail::extract(ex, in, out, offsets, edges);
}
// By edges: out = the elements' indices.
template <number_range In, index_range Out, counter_range Offsets>
std::size_t bin_indices(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets,
                        const bin_edges<binned_type<In>>& edges) {
    return detail::extract_indices(ex, in, out, offsets, edges);
}
// By edges: out = the values beside the elements.
template <number_range In, input_range Values, receives<Values> Out, counter_range Offsets>
std::size_t bin_values(cpu::executor& ex, const In& in, const Values& values, Out&& out, Offsets&& offsets,
                       const bin_edges<binned_type<In>>& edges) {
    return detail::extract_values(ex, in, values, out, offsets, edges);
}

// By a function: f(element) is the element's bin, of one fewer than there are offsets.
template <input_range In, receives<In> Out, counter_range Offsets, bin_function<In> F>
std::size_t bins_by(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    const std::size_t number = detail::bins_of_offsets(std::ranges::size(offsets));
    detail::check_bin_arrays(in, out, offsets, number);
    const detail::by_function by(number, std::ranges::data(in), f);
    return cpu::run_bins(ex, by.classifier(),
                         detail::elements_to(std::ranges::data(out), std::ranges::data(in)),
                         std::ranges::size(in), std::ranges::size(out), std::ranges::data(offsets));
}
// By a function: out = the elements' indices.
template <input_range In, index_range Out, counter_range Offsets, bin_function<In> F>
std::size_t bin_indices_by(cpu::executor& ex, const In& in, Out&& out, Offsets&& offsets, const F& f) {
    const std::size_t number = detail::bins_of_offsets(std::ranges::size(offsets));
    detail::check_bin_arrays(in, out, offsets, number);
    const auto way = detail::indices_to(std::ranges::data(out), std::ranges::size(in));
    const detail::by_function by(number, std::ranges::data(in), f);
    return cpu::run_bins(ex, by.classifier(), way, std::ranges::size(in), std::ranges::size(out),
                         std::ranges::data(offsets));
}
// By a function: out = the values beside the elements.
template <input_range In, input_range Values, receives<Values> Out, counter_range Offsets, bin_function<In> F>
std::size_t bin_values_by(cpu::executor& ex, const In& in, const Values& values, Out&& out, Offsets&& offsets,
                          const F& f) {
    const std::size_t number = detail::bins_of_offsets(std::ranges::size(offsets));
    detail::check_bin_arrays(in, out, offsets, number);
    detail::check_bin_values(in, values, out, offsets);
    const auto way = detail::elements_to(std::ranges::data(out), std::ranges::data(values));
    const detail::by_function by(number, std::ranges::data(in), f);
    return cpu::run_bins(ex, by.classifier(), way, std::ranges::size(in), std::ranges::size(out),
                         std::ranges::data(offsets));
}

}  // namespace upsweep
