// Scans in CUDA device memory that start afresh at every segment: inclusive_segmented_scan,
// exclusive_segmented_scan, and ..._scan_by_key.
//
// Segments are described by cuda::by_offsets, by_head_flags or by_keys (segment_heads.cuh), of device spans.
// out[i] combines the elements of i's segment up to i (inclusive) or before i (exclusive; the first of a
// segment then receives the initial value, or else the operator's identity). With `initial`, every segment
// starts from it.
//
// Shapes: in and out are device spans of equal size n >= 0. Types, bits and source are those of the CPU's
// (upsweep/segmented_scan.hpp): the scan of the pairs (head, value) by the tree of docs/numerics.md over the
// whole array. The calls return when the work is in the executor's stream. Aliasing: out may be in (equal
// pointers, elements of equal size); any other overlap, also with what describes the segments, is an error.
// Errors: upsweep::error names the argument; nothing has been enqueued then. Complexity: O(n + segments);
// what describes the segments is read once, in once, out written once. Scratch is the scan's, about n / 256
// bytes for floats; by offsets also a bit for each element, which is written, read and cleared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segment_values.cuh"
#include "upsweep/options.hpp"

namespace upsweep {
namespace cuda {

namespace detail {

inline std::size_t heads_at(std::size_t scan_bytes) { return (scan_bytes + 255) / 256 * 256; }

// The arguments of a scan of pairs, checked, of which `heads` are what its kernels ask. `may_lack_start`: an
// exclusive scan needs no initial value under an operator without identity, as others may have one.
template <bool Exclusive, class Acc, class In, class Out, class Op, class Segments, class Heads>
auto segmented_arguments(executor& ex, const Segments& segments, const Heads& heads, device_span<const In> in,
                         device_span<Out> out, const Op& op, const batch_options<Acc>& options,
                         bool may_lack_start) {
    using types = segmented_types<Acc, In, Out, Op, Heads>;
    using value = register_type<Acc, Op>;
    const std::uint64_t n = in.size();
    upsweep::detail::check_sizes(n, out.size());
    segments.check(ex, n);
    const checked_array described = segments.array();
    upsweep::detail::check_apart("segments", described.data, described.bytes(), out.data(), n * sizeof(Out));
    scan_arguments<types> arguments{{in.data()},
                                    out.data(),
                                    n,
                                    nullptr,
                                    options.reverse,
                                    false,
                                    nullptr,
                                    {},
                                    {},
                                    nullptr,
                                    {op},
                                    {op, options.reverse, false, {}},
                                    {},
                                    heads};
    if (options.initial) {
        arguments.load.has_initial = true;
        arguments.load.initial = static_cast<value>(*options.initial);
        arguments.start = {arguments.load.initial, 1};
    } else if constexpr (has_identity<Op, Acc>) {
        arguments.start = {static_cast<value>(identity_of<Acc>(op)), 1};
    } else if (Exclusive && n != 0 && !may_lack_start) {
        throw_error(errc::invalid_argument,
                    "options.initial: an exclusive scan needs an initial value, because the operator has no "
                    "identity");
    }
    const checked_array source = checked_array::of("in", in), target = checked_array::of("out", out);
    source.check(ex);
    target.check(ex);
    upsweep::detail::check_overlap(in.data(), sizeof(In), out.data(), sizeof(Out), n);
    return arguments;
}

template <bool Exclusive, class Acc, class In, class Out, class Op, class Segments>
void segmented_scan(executor& ex, const Segments& segments, device_span<const In> in, device_span<Out> out,
                    const Op& op, const batch_options<Acc>& options) {
    using types = segmented_types<Acc, In, Out, Op, decltype(segments.heads())>;
    const std::uint64_t n = in.size();
    scan_arguments<types> arguments =
        segmented_arguments<Exclusive, Acc, In>(ex, segments, segments.heads(), in, out, op, options, false);
    if (n == 0) return;

    const device_scope current(ex);
    ex.check_before_launch();
    const scan_launch<types, Exclusive> scan(ex, arguments);
    const algorithm chosen = scan.choose();
    const std::size_t at = heads_at(scan.bytes(chosen));
    held_scratch taken(ex, ex.take_scratch(at + segments.scratch_bytes(n)));
    segments.prepare(ex, arguments.heads, taken.data() + at, n, options.reverse);
    scan.enqueue(chosen, taken.data());
    segments.clear(ex, arguments.heads, n);
    taken.release();
    cuda::check(cudaGetLastError(), "launching a segmented scan");
    ex.set_latest(chosen);
}

}  // namespace detail

// Bytes of scratch that a segmented scan of up to n elements needs, whichever algorithm runs; never decreases
// with n. For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t segmented_scan_workspace_bytes(std::uint64_t n, const Op& = {}) {
    using types =
        detail::segmented_types<Acc, In, Out, core::known_operator_t<Op, Acc>, detail::marked_heads>;
    return detail::heads_at(workspace_bytes_of<types>(n)) + by_offsets<int>::scratch_bytes(n);
}

}  // namespace cuda

template <class Acc = deduced, class Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_segmented_scan(
    cuda::executor& ex, const Segments& segments, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    cuda::detail::segmented_scan<false, A, std::remove_const_t<In>>(ex, segments, in, out, core::known<A>(op),
                                                                    options);
}

template <class Acc = deduced, class Segments, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_segmented_scan(
    cuda::executor& ex, const Segments& segments, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    cuda::detail::segmented_scan<true, A, std::remove_const_t<In>>(ex, segments, in, out, core::known<A>(op),
                                                                   options);
}

// The segmented scans by keys under the names that other libraries use.
template <class Acc = deduced, class Key, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void inclusive_scan_by_key(
    cuda::executor& ex, cuda::device_span<Key> keys, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    inclusive_segmented_scan<A>(ex, cuda::by_keys(keys), in, out, op, options);
}

template <class Acc = deduced, class Key, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void exclusive_scan_by_key(
    cuda::executor& ex, cuda::device_span<Key> keys, cuda::device_span<In> in, cuda::device_span<Out> out,
    const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    exclusive_segmented_scan<A>(ex, cuda::by_keys(keys), in, out, op, options);
}

}  // namespace upsweep
