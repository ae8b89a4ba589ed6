// Elements repeated, each as often as a count says, of arrays in CUDA device memory: the inverse of
// run_length_encode, and how work that is counted is allocated.
//
//     repeat(executor, in, counts, out, count)        out = in[0] counts[0] times, in[1] counts[1] times, ...
//     repeat_indices(executor, counts, out, count)    out = 0 counts[0] times, 1 counts[1] times, ...
//
// counts are a device span of integers, one an element; or one integer for all elements (of repeat); or
// cuda::by_offsets(offsets), with one offset more than elements: element i is repeated
// offsets[i + 1] - offsets[i] times. So a result of every segment comes to each of its elements, and
// repeat_indices(executor, by_offsets, out, count) is the number of each element's segment.
//
// *count, in device memory, receives how many results there are, the sum of the counts, which may be more
// than `out` has room for: only as many as that are written then, the first ones, and what lies behind them
// is left as it is. Elements are moved bit for bit, or converted where out has another type.
//
// Shapes: in and counts are device spans of n >= 0 elements, in's of any trivially copyable type; out is one
// of any size (repeat_indices: of integers in which n - 1 fits). A negative count is 0. That the sum of the
// counts is less than 2^64, that offsets begin with 0 and do not decrease, is a precondition, as the host
// does not read them; where it is not so, *count and what is in `out` may be anything, but nothing else is
// written. The calls return when the work is in the executor's stream. Aliasing: out and count must overlap
// nothing else. Errors: upsweep::error names the argument; nothing has been enqueued then.
//
// Complexity: O(n + results); counts are read twice, the second time from the cache if it holds them, offsets
// and in once, and results are written once. By counts two kernels, or one of up to 8192 elements; else one.
// Scratch in the executor, by counts: 8 bytes for each 256 elements and 32 for each 8192.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.4 (allocation by an exclusive scan
// of the counts); work is divided over rows of elements and results at once as in Merrill and Garland,
// "Merge-based parallel sparse matrix-vector multiplication", 2016.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/repeat_launch.cuh"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/error.hpp"

namespace upsweep {
namespace cuda {

// Integers of up to 64 bits.
template <class T>
concept repeat_count = core::integer<T> && sizeof(T) <= 8;

// Bytes of scratch that a repetition of up to n elements needs, however many results there are; never
// decreases with n. For executors that use the caller's memory.
[[nodiscard]] inline std::size_t repeat_workspace_bytes(std::uint64_t n) {
    const detail::repeat_scratch layout(n);
    return layout.needs_none() ? 0 : layout.tagged + layout.plain;
}

namespace detail {

template <class Integer>
void check_repeat_offsets(executor& ex, const by_offsets<Integer>& segments, std::uint64_t n) {
    if (segments.offsets().size() != n + 1) {
        throw_error(errc::invalid_argument, "segments: expected " + std::to_string(n + 1) +
                                                " offsets, one more than elements of in, but there are " +
                                                std::to_string(segments.offsets().size()));
    }
    segments.check(ex, n);
}

}  // namespace detail

}  // namespace cuda

// out = in[i] counts[i] times, i ascending.
template <class In, class Count, class Out>
requires(cuda::repeat_count<std::remove_const_t<Count>> &&
         !std::is_const_v<Out>) void repeat(cuda::executor& ex, cuda::device_span<In> in,
                                            cuda::device_span<Count> counts, cuda::device_span<Out> out,
                                            std::uint64_t* count) {
    using cuda::detail::checked_array;
    using element = std::remove_const_t<In>;
    detail::check_as_many("counts", counts.size(), "in", in.size());
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {checked_array::of("in", in), checked_array::of("counts", counts)});
    if (in.size() == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::repeat_by_counts<std::remove_const_t<Count>>(
        ex, counts, cuda::detail::repeated_elements<element, Out>{in.data(), in.size()}, out, count);
}
template <class In, class Integer, class Out>
requires(!std::is_const_v<Out>) void repeat(cuda::executor& ex, cuda::device_span<In> in,
                                            const cuda::by_offsets<Integer>& segments,
                                            cuda::device_span<Out> out, std::uint64_t* count) {
    using cuda::detail::checked_array;
    using element = std::remove_const_t<In>;
    cuda::detail::check_repeat_offsets(ex, segments, in.size());
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {checked_array::of("in", in), segments.array()});
    if (in.size() == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::repeat_by_offsets(ex, segments.offsets(),
                                    cuda::detail::repeated_elements<element, Out>{in.data(), in.size()}, out,
                                    count);
}

// out = each element of in `each` times; *count receives their number as of the others.
template <class In, core::integer Count, class Out>
requires(!std::is_const_v<Out>) void repeat(cuda::executor& ex, cuda::device_span<In> in, Count each,
                                            cuda::device_span<Out> out, std::uint64_t* count) {
    using cuda::detail::checked_array;
    using element = std::remove_const_t<In>;
    if constexpr (std::is_signed_v<Count>) {
        if (each < 0) {
            throw_error(errc::invalid_argument,
                        "count: must not be negative, but it is " + std::to_string(each));
        }
    }
    const auto times = static_cast<std::uint64_t>(each);
    const std::uint64_t n = in.size();
    if (n != 0 && times > std::numeric_limits<std::uint64_t>::max() / n) {
        throw_error(errc::invalid_argument, "counts: their sum must be less than 2^64, but it is not");
    }
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {checked_array::of("in", in)});
    if (n == 0 || times == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::repeat_equally(ex, times, n * times,
                                 cuda::detail::repeated_elements<element, Out>{in.data(), n}, out, count);
}

// out = i counts[i] times, i ascending.
template <class Count, class Out>
requires(cuda::repeat_count<std::remove_const_t<Count>> &&
         !std::is_const_v<Out>) void repeat_indices(cuda::executor& ex, cuda::device_span<Count> counts,
                                                    cuda::device_span<Out> out, std::uint64_t* count) {
    using cuda::detail::checked_array;
    detail::check_indices<Out>(counts.size());
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {checked_array::of("counts", counts)});
    if (counts.size() == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::repeat_by_counts<std::remove_const_t<Count>>(
        ex, counts, cuda::detail::repeated_indices<Out>{counts.size()}, out, count);
}
template <class Integer, class Out>
requires(!std::is_const_v<Out>) void repeat_indices(cuda::executor& ex,
                                                    const cuda::by_offsets<Integer>& segments,
                                                    cuda::device_span<Out> out, std::uint64_t* count) {
    using cuda::detail::checked_array;
    const std::uint64_t offsets = segments.offsets().size(), n = offsets == 0 ? 0 : offsets - 1;
    segments.check(ex, n);
    detail::check_indices<Out>(n);
    cuda::detail::check_outputs(ex, {checked_array::of("out", out), cuda::detail::count_array(count)},
                                {segments.array()});
    if (n == 0) return cuda::detail::clear_count(ex, count);
    cuda::detail::repeat_by_offsets(ex, segments.offsets(), cuda::detail::repeated_indices<Out>{n}, out,
                                    count);
}

}  // namespace upsweep
