// Bin extraction of OpenGL buffer objects: the elements of every bin, packed, a stable partition into many
// parts.
//
//     bins, bins_by:                  out = the elements of bin 0, in order, then those of bin 1, and so on
//     bin_indices, bin_indices_by:    out = their indices
//
// offsets[b] is where bin b begins and offsets[b + 1] where it ends; what has no bin is left out. Bins are
// those of histogram.hpp: equal intervals, intervals between edges, which lie in host memory and are read
// during the call, or what the user's bin(i) says of an item. offsets' last value is how many elements have a
// bin, which may be more than `out` has room for: only as many as that are written then, and what lies behind
// the written ones in `out` is left as it is.
//
// Shapes: in has n elements, uint32, int32, float, uint64, int64 or double, n >= 0 and below 2^32; bins_by
// takes records, any trivially copyable type whose size is a multiple of 4 bytes. offsets has a word more
// than there are bins; out any size. No feature is needed for 64 bits. Aliasing: out, offsets and workspace
// overlap neither each other nor anything that is read. Errors: as in histogram.hpp. Results are the same on
// every driver. Complexity: for up to 256 bins two reads of in and one write of out, in 4 or more dispatches,
// and scratch of n / 16 words for 256 bins, less for fewer; for more three reads of in, two reads and one
// write of eight bytes an element for each eight bits of a bin's number, and scratch of 4 n words and n / 16.
// Source: Blelloch, Prefix sums and their applications, 1990, section 1.3; Ashkiani, Davidson, Meyer and
// Owens, GPU multisplit, 2016.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/histogram.hpp"

namespace upsweep::gl {

// `workspace`: at least bins_workspace_bytes<T>, or bins_by_workspace_bytes with user_bins, used instead of
// the executor's own; unspecified afterwards.
using bins_options = histogram_options;

// Compiles the programs of extractions from such elements now, into any number of bins.
template <shader::binned_number T>
void prepare_bins(executor& ex) {
    ex.compile_bins(shader::type_of<T>);
}
// For up to n elements.
template <shader::binned_number T>
[[nodiscard]] std::uint64_t bins_workspace_bytes(const executor& ex, std::uint64_t bins, std::uint64_t n) {
    return ex.bins_workspace_bytes(shader::type_of<T>, bins, n);
}
[[nodiscard]] inline std::uint64_t bins_by_workspace_bytes(const executor& ex, std::uint64_t bins,
                                                           std::uint64_t n) {
    return ex.bins_by_workspace_bytes(bins, n);
}

namespace detail {

inline bins_call make_bins(buffer_region out, buffer_span<std::uint32_t> offsets,
                           const bins_options& options) {
    bins_call call;
    call.out = out;
    call.offsets = offsets.region();
    call.length = options.length.region();
    call.workspace = options.workspace;
    call.user = options.user;
    return call;
}
template <class T>
void extract(executor& ex, buffer_span<const T> in, buffer_region out, buffer_span<std::uint32_t> offsets,
             const shader::bin_bounds& bounds, bool indices, const bins_options& options) {
    bins_call call = make_bins(out, offsets, options);
    call.bounds = bounds;
    call.in = in.region();
    call.size = in.size;
    call.bins = bounds.count;
    call.record_words = indices ? 0 : sizeof(T) / 4;
    ex.run(call);
}

}  // namespace detail
}  // namespace upsweep::gl

namespace upsweep {

// By equal bins: bins(executor, in, out, offsets, {.lo = 0, .hi = 1, .count = 8}).
template <class In, shader::binned_number T>
requires std::same_as<std::remove_const_t<In>, T>
void bins(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out,
          gl::buffer_span<std::uint32_t> offsets, const bin_range<std::type_identity_t<T>>& range,
          const gl::bins_options& options = {}) {
    gl::detail::extract<T>(ex, in, out.region(), offsets, shader::bounds_of(range), false, options);
}
template <class In>
requires shader::binned_number<std::remove_const_t<In>>
void bin_indices(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> out,
                 gl::buffer_span<std::uint32_t> offsets, const bin_range<std::remove_const_t<In>>& range,
                 const gl::bins_options& options = {}) {
    gl::detail::extract<std::remove_const_t<In>>(ex, in, out.region(), offsets, shader::bounds_of(range),
                                                 true, options);
}

// By edges in host memory: bins(executor, in, out, offsets, bin_edges<float>{edges}).
template <class In, shader::binned_number T>
requires std::same_as<std::remove_const_t<In>, T>
void bins(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<T> out,
          gl::buffer_span<std::uint32_t> offsets, const bin_edges<std::type_identity_t<T>>& edges,
          const gl::bins_options& options = {}) {
    gl::detail::extract<T>(ex, in, out.region(), offsets, shader::bounds_of(edges), false, options);
}
template <class In>
requires shader::binned_number<std::remove_const_t<In>>
void bin_indices(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> out,
                 gl::buffer_span<std::uint32_t> offsets, const bin_edges<std::remove_const_t<In>>& edges,
                 const gl::bins_options& options = {}) {
    gl::detail::extract<std::remove_const_t<In>>(ex, in, out.region(), offsets, shader::bounds_of(edges),
                                                 true, options);
}

// By what the user's text says of items, into one bin fewer than there are offsets: records of any type, or
// the indices of items 0 to n - 1.
template <class In, gl::record T>
requires std::same_as<std::remove_const_t<In>, T>
void bins_by(gl::executor& ex, const gl::user_bins& by, gl::buffer_span<In> in, gl::buffer_span<T> out,
             gl::buffer_span<std::uint32_t> offsets, const gl::bins_options& options = {}) {
    static_assert(sizeof(T) / 4 <= std::numeric_limits<std::uint32_t>::max());
    gl::bins_call call = gl::detail::make_bins(out.region(), offsets, options);
    call.user_text = by.number();
    call.in = in.region();
    call.size = in.size;
    call.bins = detail::bins_of_offsets(offsets.size);
    call.record_words = static_cast<std::uint32_t>(sizeof(T) / 4);
    ex.run(call);
}
inline void bin_indices_by(gl::executor& ex, const gl::user_bins& by, std::uint64_t n,
                           gl::buffer_span<std::uint32_t> out, gl::buffer_span<std::uint32_t> offsets,
                           const gl::bins_options& options = {}) {
    gl::bins_call call = gl::detail::make_bins(out.region(), offsets, options);
    call.user_text = by.number();
    call.size = n;
    call.bins = detail::bins_of_offsets(offsets.size);
    ex.run(call);
}

}  // namespace upsweep
