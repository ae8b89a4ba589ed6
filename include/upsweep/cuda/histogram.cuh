// Histograms of arrays in CUDA device memory: how many elements belong to each bin.
//
//     histogram:      counts[b] = the number of i with find_bin(bins, in[i]) == b
//     histogram_by:   counts[b] = the number of i with f(in[i]) == b
//
// Bins are the CPU's (upsweep/bin_range.hpp, upsweep/histogram.hpp), in every bit of an edge; edges lie in
// device memory. What lies outside, a NaN, and an f(element) that is negative or not below the number of
// counts are not counted.
//
// Shapes: in is a device span of n >= 0 elements, at any alignment that their type allows; counts one of
// std::uint64_t, one for each bin, of which there are fewer than 2^32. Elements are numbers of the range's
// type; float16 and bfloat16 are looked at as the floats that they are. histogram_by takes any trivially
// copyable type; f is called on the device, by value, once for an element, or up to eight times where there
// are more bins than a block has counters for. The calls return when the work is in the executor's stream.
// Aliasing: counts overlaps neither in nor edges nor options.length. Errors: upsweep::error names the
// argument; nothing has been enqueued then. Complexity: one read of in for as many bins as a block has
// counters for (58111 of compute capability 9.0), up to eight for up to eight times as many; one, and an
// addition in global memory for each element, for more. No scratch, but for many elements between edges up to
// 64 bytes an edge, unless the executor has the caller's. Source: Blelloch, "Prefix sums and their
// applications", 1990, and for counters of a block's own Podlozhnyuk, "Histogram calculation in CUDA", 2007.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/cuda/bin_classes.cuh"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/count_launch.cuh"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/edge_cells.cuh"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/error.hpp"

namespace upsweep {
namespace cuda {

struct histogram_options {
    const std::uint64_t* length = nullptr;  // device memory: the first min(*length, n) elements only
};

// The numbers that elements are looked at as.
template <class In>
using binned_type = accumulator_type<std::remove_const_t<In>>;
template <class In>
concept binnable = core::ordered_number<binned_type<In>> && !std::same_as<binned_type<In>, long double>;

namespace detail {

template <class T>
void check_bins(executor&, const bin_range<T>& range) {
    upsweep::detail::check_bins(range);
}
template <class T>
void check_bins(executor& ex, const device_edges<T>& bins) {
    if (bins.edges.size() < 2) throw_error(errc::invalid_argument, "edges: expected at least two");
    if (bins.count() > upsweep::detail::most_bins)
        throw_error(errc::invalid_argument, "edges: expected at most 2^32");
    checked_array::of("edges", bins.edges).check(ex);
}

// That `written` is no part of what is read.
template <class Bins>
void check_written(executor& ex, const checked_array& written, const checked_array& in, const Bins& bins,
                   const std::uint64_t* length) {
    const auto apart = [&](const char* name, const void* p, std::uint64_t bytes) {
        upsweep::detail::check_disjoint(written.name, written.data, written.bytes(), name, p, bytes);
    };
    written.check(ex);
    apart(in.name, in.data, in.bytes());
    if constexpr (requires { bins.edges; })
        apart("edges", bins.edges.data(), bins.edges.size() * sizeof *bins.edges.data());
    if (length == nullptr) return;
    const device_span<const std::uint64_t> one(length, 1);
    checked_array::of("options.length", one).check(ex);
    apart("options.length", length, sizeof *length);
}

template <class T>
std::size_t count_of(const bin_range<T>& range) {
    return range.count;
}
template <class T>
std::size_t count_of(const device_edges<T>& bins) {
    return bins.count();
}

// What is wrong with a call whose bins are found good, of which there are so many.
template <class In, class Bins>
void check_count(executor& ex, device_span<const In> in, device_span<std::uint64_t> counts, const Bins& bins,
                 std::size_t number, const histogram_options& options) {
    upsweep::detail::check_counts("counts", counts.size(), number);
    const checked_array source = checked_array::of("in", in);
    source.check(ex);
    check_written(ex, checked_array::of("counts", counts), source, bins, options.length);
}
template <class In, class Classes>
void count(executor& ex, device_span<const In> in, device_span<std::uint64_t> counts, const Classes& classes,
           const histogram_options& options) {
    const device_scope current(ex);
    ex.check_before_launch();
    count_launch<In, Classes>(ex, in.data(), in.size(), options.length, classes).count(counts.data());
    cuda::check(cudaGetLastError(), "launching a histogram");
}
template <class In, class Bins>
void count_in(executor& ex, device_span<const In> in, device_span<std::uint64_t> counts, const Bins& bins,
              const histogram_options& options) {
    check_bins(ex, bins);
    check_count(ex, in, counts, bins, count_of(bins), options);
    with_classes<In>(ex, bins, in.size(),
                     [&](const auto& classes) { count(ex, in, counts, classes, options); });
}

}  // namespace detail
}  // namespace cuda

// By equal bins: histogram(executor, in, counts, {.lo = 0, .hi = 1, .count = 8}).
template <cuda::binnable In>
void histogram(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
               const bin_range<cuda::binned_type<In>>& range, const cuda::histogram_options& options = {}) {
    cuda::detail::count_in<std::remove_const_t<In>>(ex, in, counts, range, options);
}

// By edges: histogram(executor, in, counts, cuda::device_edges<float>{edges}).
template <cuda::binnable In>
void histogram(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
               const cuda::device_edges<cuda::binned_type<In>>& edges,
               const cuda::histogram_options& options = {}) {
    cuda::detail::count_in<std::remove_const_t<In>>(ex, in, counts, edges, options);
}

// By a function of the caller's own, into as many bins as there are counts.
template <class In, class F>
void histogram_by(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<std::uint64_t> counts,
                  const F& f, const cuda::histogram_options& options = {}) {
    using element = std::remove_const_t<In>;
    if (counts.empty()) return;
    if (counts.size() > detail::most_bins)
        throw_error(errc::invalid_argument, "counts: expected fewer than 2^32 bins");
    const cuda::detail::by_function<element, F> classes{f, static_cast<std::uint32_t>(counts.size())};
    cuda::detail::check_count<element>(ex, in, counts, 0, counts.size(), options);
    cuda::detail::count<element>(ex, in, counts, classes, options);
}

}  // namespace upsweep
