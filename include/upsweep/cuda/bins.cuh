// Bin extraction in CUDA device memory: the elements of every bin, packed, a stable partition into many
// parts.
//
//     bins, bins_by:                  out = the elements of bin 0, in order, then those of bin 1, and so on
//     bin_indices, bin_indices_by:    out = their indices
//     bin_values, bin_values_by:      out = the values beside them
//
// offsets[b] is where bin b begins and offsets[b + 1] where it ends; what has no bin is left out. Bins are
// those of histogram.cuh. offsets' last value is how many elements have a bin, which may be more than `out`
// has room for: only as many as that are written then, and what lies behind the written ones in `out` is left
// as it is.
//
// Shapes: in is a device span of n >= 0 elements of any trivially copyable type, values one of as many, of
// any such type too; offsets one of std::uint64_t, one more than there are bins, of which there are fewer
// than 2^32; out one of any size whose elements in's, or values', convert to (indices: integers in which n -
// 1 fits). f is called on the device, by value, twice for an element, and again for every pass; where it does
// not always answer the same, any order may come of it, within out; of values it is asked in the first pass
// alone. The calls return when the work is in the executor's stream. Aliasing: none of in, values, out,
// offsets, edges and options.length overlaps another that is written. Errors: upsweep::error names the
// argument; nothing has been enqueued then. Complexity: a read of in to count, as a histogram's, and for
// every eight bits of a bin's number, one at least, a read and a write of the elements that have a bin
// (indices: of elements by their indices; values: of in and values in the first pass, then of values and four
// bytes each). Scratch in the executor: at most 768 bytes for each tile of elements (8448 of up to four
// bytes, 768 of more than 64) and 256 for each further pass, with two passes n elements (indices, or values
// and four bytes each), with more twice as many. Source: Blelloch, "Prefix sums and their applications",
// 1990, section 1.3 (the split operation, of more than two parts), in a single pass as in Adinets and
// Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/cuda/histogram.cuh"
#include "upsweep/cuda/split_launch.cuh"

namespace upsweep {
namespace cuda {

using bins_options = histogram_options;

namespace detail {

// What is wrong with a call whose bins are found good, of which there are so many.
template <moving What, class In, class Out, class Bins>
void check_split(executor& ex, device_span<const In> in, device_span<Out> out,
                 device_span<std::uint64_t> offsets, const Bins& bins, std::size_t number,
                 const bins_options& options) {
    upsweep::detail::check_counts("offsets", offsets.size(), number + 1);
    if constexpr (What == moving::indices) upsweep::detail::check_indices<Out>(in.size());
    const checked_array source = checked_array::of("in", in), target = checked_array::of("out", out),
                        ends = checked_array::of("offsets", offsets);
    source.check(ex);
    check_written(ex, target, source, bins, options.length);
    check_written(ex, ends, source, bins, options.length);
    upsweep::detail::check_apart("offsets", ends.data, ends.bytes(), target.data, target.bytes());
}
// Values that lie beside the elements of such a call.
template <class In, class V, class Out>
void check_beside(executor& ex, device_span<const In> in, device_span<const V> values, device_span<Out> out,
                  device_span<std::uint64_t> offsets) {
    upsweep::detail::check_as_many("values", values.size(), "in", in.size());
    const checked_array beside = checked_array::of("values", values);
    beside.check(ex);
    for (const checked_array& written :
         {checked_array::of("out", out), checked_array::of("offsets", offsets)})
        upsweep::detail::check_disjoint(written.name, written.data, written.bytes(), beside.name, beside.data,
                                        beside.bytes());
}
// `beside`: of values.
template <moving What, class In, class Beside, class Out, class Classes>
void split(executor& ex, device_span<const In> in, const Beside* beside, device_span<Out> out,
           device_span<std::uint64_t> offsets, const Classes& classes, const bins_options& options) {
    const device_scope current(ex);
    ex.check_before_launch();
    split_launch<What, Out, In, Classes, Beside>(ex, in.data(), beside, in.size(), options.length, out.data(),
                                                 out.size(), offsets.data(), classes)
        .run();
}
template <moving What, class In, class Out, class Bins>
void split_in(executor& ex, device_span<const In> in, device_span<Out> out,
              device_span<std::uint64_t> offsets, const Bins& bins, const bins_options& options) {
    check_bins(ex, bins);
    check_split<What>(ex, in, out, offsets, bins, count_of(bins), options);
    with_classes<In>(ex, bins, in.size(), [&](const auto& classes) {
        split<What, In, In>(ex, in, nullptr, out, offsets, classes, options);
    });
}
template <class In, class V, class Out, class Bins>
void split_values_in(executor& ex, device_span<const In> in, device_span<const V> values,
                     device_span<Out> out, device_span<std::uint64_t> offsets, const Bins& bins,
                     const bins_options& options) {
    check_bins(ex, bins);
    check_split<moving::values>(ex, in, out, offsets, bins, count_of(bins), options);
    check_beside(ex, in, values, out, offsets);
    with_classes<In>(ex, bins, in.size(), [&](const auto& classes) {
        split<moving::values>(ex, in, values.data(), out, offsets, classes, options);
    });
}
// What the caller's function says, of one bin fewer than offsets.
template <class In, class F>
by_function<In, F> function_of_offsets(device_span<std::uint64_t> offsets, const F& f) {
    if (offsets.size() < 2)
        throw_error(errc::invalid_argument, "offsets: expected at least 2, one more than bins");
    if (offsets.size() - 1 > upsweep::detail::most_bins)
        throw_error(errc::invalid_argument, "offsets: expected fewer than 2^32 bins");
    return {f, static_cast<std::uint32_t>(offsets.size() - 1)};
}
template <moving What, class In, class Out, class F>
void split_by(executor& ex, device_span<const In> in, device_span<Out> out,
              device_span<std::uint64_t> offsets, const F& f, const bins_options& options) {
    const auto classes = function_of_offsets<In>(offsets, f);
    check_split<What>(ex, in, out, offsets, 0, classes.count, options);
    split<What, In, In>(ex, in, nullptr, out, offsets, classes, options);
}
template <class In, class V, class Out, class F>
void split_values_by(executor& ex, device_span<const In> in, device_span<const V> values,
                     device_span<Out> out, device_span<std::uint64_t> offsets, const F& f,
                     const bins_options& options) {
    const auto classes = function_of_offsets<In>(offsets, f);
    check_split<moving::values>(ex, in, out, offsets, 0, classes.count, options);
    check_beside(ex, in, values, out, offsets);
    split<moving::values>(ex, in, values.data(), out, offsets, classes, options);
}

}  // namespace detail

// Bytes of scratch that an extraction of up to n elements by so many bins needs, of elements, of indices and
// of values; never decreases with n. For executors that use the caller's memory. `Out` and `Index` are the
// results' types.
template <class In, class Out = In>
[[nodiscard]] std::size_t bins_workspace_bytes(const executor&, std::uint64_t n, std::uint64_t bins) {
    return detail::split_types<moving::elements, Out, In>::scratch(n, bins).bytes;
}
template <class In, class Index>
[[nodiscard]] std::size_t bin_indices_workspace_bytes(const executor&, std::uint64_t n, std::uint64_t bins) {
    return detail::split_types<moving::indices, Index, In>::scratch(n, bins).bytes;
}
template <class In, class V, class Out = V>
[[nodiscard]] std::size_t bin_values_workspace_bytes(const executor&, std::uint64_t n, std::uint64_t bins) {
    return detail::split_types<moving::values, Out, In, V>::scratch(n, bins).bytes;
}

}  // namespace cuda

// By equal bins: bins(executor, in, out, offsets, {.lo = 0, .hi = 1, .count = 8}).
template <cuda::binnable In, class Out>
requires(!std::is_const_v<Out>) void bins(cuda::executor& ex, cuda::device_span<In> in,
                                          cuda::device_span<Out> out,
                                          cuda::device_span<std::uint64_t> offsets,
                                          const bin_range<cuda::binned_type<In>>& range,
                                          const cuda::bins_options& options = {}) {
    cuda::detail::split_in<cuda::moving::elements, std::remove_const_t<In>>(ex, in, out, offsets, range,
                                                                            options);
}
template <cuda::binnable In, class Out>
requires(!std::is_const_v<Out>) void bin_indices(cuda::executor& ex, cuda::device_span<In> in,
                                                 cuda::device_span<Out> out,
                                                 cuda::device_span<std::uint64_t> offsets,
                                                 const bin_range<cuda::binned_type<In>>& range,
                                                 const cuda::bins_options& options = {}) {
    cuda::detail::split_in<cuda::moving::indices, std::remove_const_t<In>>(ex, in, out, offsets, range,
                                                                           options);
}
template <cuda::binnable In, class V, class Out>
requires(!std::is_const_v<Out>) void bin_values(cuda::executor& ex, cuda::device_span<In> in,
                                                cuda::device_span<V> values, cuda::device_span<Out> out,
                                                cuda::device_span<std::uint64_t> offsets,
                                                const bin_range<cuda::binned_type<In>>& range,
                                                const cuda::bins_options& options = {}) {
    cuda::detail::split_values_in<std::remove_const_t<In>, std::remove_const_t<V>>(ex, in, values, out,
                                                                                   offsets, range, options);
}

// By edges: bins(executor, in, out, offsets, cuda::device_edges<float>{edges}).
template <cuda::binnable In, class Out>
requires(!std::is_const_v<Out>) void bins(cuda::executor& ex, cuda::device_span<In> in,
                                          cuda::device_span<Out> out,
                                          cuda::device_span<std::uint64_t> offsets,
                                          const cuda::device_edges<cuda::binned_type<In>>& edges,
                                          const cuda::bins_options& options = {}) {
    cuda::detail::split_in<cuda::moving::elements, std::remove_const_t<In>>(ex, in, out, offsets, edges,
                                                                            options);
}
template <cuda::binnable In, class Out>
requires(!std::is_const_v<Out>) void bin_indices(cuda::executor& ex, cuda::device_span<In> in,
                                                 cuda::device_span<Out> out,
                                                 cuda::device_span<std::uint64_t> offsets,
                                                 const cuda::device_edges<cuda::binned_type<In>>& edges,
                                                 const cuda::bins_options& options = {}) {
    cuda::detail::split_in<cuda::moving::indices, std::remove_const_t<In>>(ex, in, out, offsets, edges,
                                                                           options);
}
template <cuda::binnable In, class V, class Out>
requires(!std::is_const_v<Out>) void bin_values(cuda::executor& ex, cuda::device_span<In> in,
                                                cuda::device_span<V> values, cuda::device_span<Out> out,
                                                cuda::device_span<std::uint64_t> offsets,
                                                const cuda::device_edges<cuda::binned_type<In>>& edges,
                                                const cuda::bins_options& options = {}) {
    cuda::detail::split_values_in<std::remove_const_t<In>, std::remove_const_t<V>>(ex, in, values, out,
                                                                                   offsets, edges, options);
}

// By a function of the caller's own, into one bin fewer than there are offsets.
template <class In, class Out, class F>
requires(!std::is_const_v<Out>) void bins_by(cuda::executor& ex, cuda::device_span<In> in,
                                             cuda::device_span<Out> out,
                                             cuda::device_span<std::uint64_t> offsets, const F& f,
                                             const cuda::bins_options& options = {}) {
    cuda::detail::split_by<cuda::moving::elements, std::remove_const_t<In>>(ex, in, out, offsets, f, options);
}
template <class In, class Out, class F>
requires(!std::is_const_v<Out>) void bin_indices_by(cuda::executor& ex, cuda::device_span<In> in,
                                                    cuda::device_span<Out> out,
                                                    cuda::device_span<std::uint64_t> offsets, const F& f,
                                                    const cuda::bins_options& options = {}) {
    cuda::detail::split_by<cuda::moving::indices, std::remove_const_t<In>>(ex, in, out, offsets, f, options);
}
template <class In, class V, class Out, class F>
requires(!std::is_const_v<Out>) void bin_values_by(cuda::executor& ex, cuda::device_span<In> in,
                                                   cuda::device_span<V> values, cuda::device_span<Out> out,
                                                   cuda::device_span<std::uint64_t> offsets, const F& f,
                                                   const cuda::bins_options& options = {}) {
    cuda::detail::split_values_by<std::remove_const_t<In>, std::remove_const_t<V>>(ex, in, values, out,
                                                                                   offsets, f, options);
}

}  // namespace upsweep
