// Histograms of OpenGL buffer objects: how many elements belong to each bin.
//
//     histogram:      counts[b] = the number of i with find_bin(bins, in[i]) == b
//     histogram_by:   counts[b] = the number of items i < n for which the user's bin(i) is b
//
// Bins are the CPU's (upsweep/bin_range.hpp, upsweep/histogram.hpp), in every bit of an edge: equal intervals
// or intervals between edges, which lie in host memory and are read during the call. What lies outside, a
// NaN, and a bin(i) that is not below the number of counts are not counted.
//
// Shapes: in has n elements, uint32, int32, float, uint64, int64 or double, n >= 0 and below 2^32; counts one
// word for each bin. No feature is needed for 64 bits. Aliasing: counts and workspace overlap neither each
// other nor anything that is read. Errors: upsweep::error, before any command is issued: invalid_argument
// names the argument, with the CPU's words; unsupported where counts or edges take more than the device binds
// at once; otherwise as in scan.hpp. Results are the same on every driver. Complexity: O(n log bins + bins)
// comparisons, or O(n + bins) where bins are about equal. One read of in for up to 4096 bins; for up to three
// times as many up to three, of which all but one come from the caches; for more one, and an addition in the
// buffer wherever a neighbour has another bin. The host finds a threshold for each bin, in 20 to 150 ns.
// Scratch: one element for each bin. Source: for counters of a work group's own Podlozhnyuk, Histogram
// calculation in CUDA, 2007.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/user.hpp"
#include "upsweep/shader/bins.hpp"

namespace upsweep::gl {

struct histogram_options {
    // One word; if it is given, only the first min(n, that word) elements are counted.
    buffer_span<const std::uint32_t> length{};
    // Four words that user_bins read as parameters[UPSWEEP_P_USER + 0], ... + 3.
    std::array<std::uint32_t, 4> user{};
    // At least histogram_workspace_bytes<T>, used instead of the executor's own; unspecified
    // afterwards. Not used with user_bins.
    buffer_region workspace{};
};

// Compiles the programs of histograms of such elements now, so that no later one waits for the driver's
// compiler.
template <shader::binned_number T>
void prepare_histogram(executor& ex) {
    ex.compile_histogram(shader::type_of<T>);
}
template <shader::binned_number T>
[[nodiscard]] std::uint64_t histogram_workspace_bytes(const executor& ex, std::uint64_t bins) {
    return ex.histogram_workspace_bytes(shader::type_of<T>, bins);
}

namespace detail {

template <class T>
void count(executor& ex, buffer_span<const T> in, buffer_span<std::uint32_t> counts,
           const shader::bin_bounds& bounds, const histogram_options& options) {
    histogram_call call;
    call.bounds = bounds;
    call.in = in.region();
    call.counts = counts.region();
    call.length = options.length.region();
    call.workspace = options.workspace;
    call.size = in.size;
    call.bins = bounds.count;
    ex.run(call);
}

}  // namespace detail
}  // namespace upsweep::gl

namespace upsweep {

// By equal bins: histogram(executor, in, counts, {.lo = 0, .hi = 1, .count = 8}).
template <class In>
requires shader::binned_number<std::remove_const_t<In>>
void histogram(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> counts,
               const bin_range<std::remove_const_t<In>>& range, const gl::histogram_options& options = {}) {
    gl::detail::count<std::remove_const_t<In>>(ex, in, counts, shader::bounds_of(range), options);
}

// By edges in host memory: histogram(executor, in, counts, bin_edges<float>{edges}) with one count fewer than
// edges.
template <class In>
requires shader::binned_number<std::remove_const_t<In>>
void histogram(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> counts,
               const bin_edges<std::remove_const_t<In>>& edges, const gl::histogram_options& options = {}) {
    gl::detail::count<std::remove_const_t<In>>(ex, in, counts, shader::bounds_of(edges), options);
}

// By what the user's text says of items 0 to n - 1, into as many bins as there are counts.
inline void histogram_by(gl::executor& ex, const gl::user_bins& bins, std::uint64_t n,
                         gl::buffer_span<std::uint32_t> counts, const gl::histogram_options& options = {}) {
    if (counts.size > detail::most_bins)
        throw_error(errc::invalid_argument, "counts: expected fewer than 2^32 bins");
    if (counts.size == 0) return;
    gl::histogram_call call;
    call.user_text = bins.number();
    call.counts = counts.region();
    call.length = options.length.region();
    call.size = n;
    call.bins = counts.size;
    call.user = options.user;
    ex.run(call);
}

}  // namespace upsweep
