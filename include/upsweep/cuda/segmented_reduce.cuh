// One total a segment, of arrays in CUDA device memory: segmented_reduce and reduce_by_key.
//
//     segmented_reduce(executor, by_offsets, in, out, op, options)
//     segmented_reduce(executor, by_head_flags or by_keys, in, out, count, op, options)
//         out[k] = in[b] (+) ... (+) in[e - 1] for every segment k, whose elements are [b, e); of an empty
//         one the initial value, or else the operator's identity
//     reduce_by_key(executor, keys, in, keys_out, out, count, op, options, equal)
//         the same of runs of equal keys; keys_out[k] = the first key of run k
//
// Segments are described by cuda::by_offsets, by_head_flags or by_keys (segment_heads.cuh), of device spans;
// those by flags and keys are never empty. *count, in device memory, receives how many there are, which may
// be more than an output has room for: only as many results as that are written then, the first ones, and
// what lies behind them is left as it is. Keys are compared with their neighbours only: to have one total for
// each key, sort by it first.
//
// Shapes: in, keys and flags have n >= 0 elements of trivially copyable types; out of m segments by offsets
// has m. That offsets are what they should be is a precondition, as the host does not read them; where there
// may be empty ones an operator without an identity needs an initial value. Operators and equal are called on
// the device and passed by value. Types, bits and source are those of the CPU's
// (upsweep/segmented_reduce.hpp): out[k] is what inclusive_segmented_scan gives for the segment's last
// element. The calls return when the work is in the executor's stream. Aliasing: outputs and count must
// overlap nothing else. Errors: upsweep::error names the argument; nothing has been enqueued then.
// Complexity: O(n + segments). in and what describes the segments are read once through memory, keys that are
// wanted a second time where runs begin. There is one way, whatever the executor's algorithm: one
// launch for elements of one tile, two to five for more. Scratch: 16 bytes and three accumulators for each
// tile of the tree, by flags and keys a bit for each element and 8 bytes for each 1024 more, and that of a
// scan of the tiles' counts; segmented_reduce_workspace_bytes() is enough for all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segment_totals_launch.cuh"
#include "upsweep/cuda/segmented_scan.cuh"
#include "upsweep/options.hpp"

namespace upsweep {
namespace cuda {

namespace detail {

// Outputs, and the inputs that they must not overlap.
inline void check_outputs(executor& ex, std::initializer_list<checked_array> outputs,
                          std::initializer_list<checked_array> inputs) {
    for (const checked_array& input : inputs) input.check(ex);
    for (const checked_array* out = outputs.begin(); out != outputs.end(); ++out) {
        out->check(ex);
        const auto apart = [&](const checked_array& other) {
            upsweep::detail::check_disjoint(out->name, out->data, out->bytes(), other.name, other.data,
                                            other.bytes());
        };
        for (const checked_array& input : inputs) apart(input);
        for (const checked_array* earlier = outputs.begin(); earlier != out; ++earlier) apart(*earlier);
    }
}
inline checked_array count_array(std::uint64_t* count) {
    return checked_array::of("count", device_span<std::uint64_t>(count, 1));
}
inline void clear_count(const executor& ex, std::uint64_t* count) {
    const device_scope current(ex);
    cuda::check(cudaMemsetAsync(count, 0, sizeof *count, ex.stream()), "clearing the count");
}

// Elements as values, an initial value in front of each segment's first one.
template <class Value, class Acc, class Op>
load_in_segment<Acc, Value, Op> load_from(const Op& op, const std::optional<Acc>& initial) {
    load_in_segment<Acc, Value, Op> load{op, false, initial.has_value(), {}};
    if (initial) load.initial = static_cast<Value>(*initial);
    return load;
}

// The total of no values, where some of `things` may have none.
template <class Acc, class Op>
Acc total_of_no_values(const Op& op, const std::optional<Acc>& initial, const char* things) {
    if (initial) return *initial;
    if constexpr (has_identity<Op, Acc>) {
        return identity_of<Acc>(op);
    } else {
        throw_error(errc::invalid_argument, "options.initial: " + std::string(things) +
                                                " may be empty, and need an initial value, because the "
                                                "operator has no identity");
    }
}

template <class Acc, class In, class Out, class Op, class Heads, class Firsts>
using head_totals_types =
    segment_totals_types<Acc, register_type<Acc, Op>, In, Out, Op, head_ends<Heads, Firsts>>;

// A call whose arguments are found good, by flags or keys.
template <class Acc, class In, class Segments, class Out, class Op, class Firsts>
void reduce_packed(executor& ex, const Segments& segments, device_span<const In> in, device_span<Out> out,
                   std::uint64_t* count, const Op& op, const std::optional<Acc>& initial,
                   const Firsts& firsts) {
    if (in.size() == 0) return clear_count(ex, count);
    using types = head_totals_types<Acc, In, Out, Op, decltype(segments.heads()), Firsts>;
    const segment_totals_arguments<types> given{in.data(),  in.size(),
                                                out.data(), {segments.heads(), out.size(), count, firsts},
                                                op,         load_from<typename types::Value>(op, initial)};
    enqueue_head_totals(ex, given);
}
template <class Acc, class In, class Segments, class Out, class Op>
void check_and_reduce(executor& ex, const Segments& segments, device_span<const In> in, device_span<Out> out,
                      std::uint64_t* count, const Op& op, const std::optional<Acc>& initial) {
    segments.check(ex, in.size());
    check_outputs(ex, {checked_array::of("out", out), count_array(count)},
                  {checked_array::of("in", in), segments.array()});
    reduce_packed<Acc, In>(ex, segments, in, out, count, op, initial, keeps_no_firsts{});
}

}  // namespace detail

// Bytes of scratch that a reduction of segments of up to n elements needs, whatever describes them; never
// decreases with n. For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t segmented_reduce_workspace_bytes(std::uint64_t n, const Op& = {}) {
    using Known = core::known_operator_t<Op, Acc>;
    using value = register_type<Acc, Known>;
    const auto bytes = [&]<class Ends>(std::type_identity<Ends>) {
        using launch =
            detail::segment_totals_launch<detail::segment_totals_types<Acc, value, In, Out, Known, Ends>>;
        return launch::other_bytes(n) + launch::plain_bytes(n);
    };
    using flags = decltype(by_head_flags(device_span<const std::uint8_t>()).heads());
    return std::max(bytes(std::type_identity<detail::head_ends<flags, detail::keeps_no_firsts>>{}),
                    bytes(std::type_identity<detail::offset_ends<std::uint64_t, Out>>{}));
}

}  // namespace cuda

template <class Acc = deduced, class Integer, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void segmented_reduce(
    cuda::executor& ex, const cuda::by_offsets<Integer>& segments, cuda::device_span<In> in,
    cuda::device_span<Out> out, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    using cuda::detail::checked_array;
    segments.check(ex, in.size());
    const cuda::device_span<const Integer> offsets = segments.offsets();
    detail::check_as_many("out", out.size(), "segments", offsets.size() - 1);
    cuda::detail::check_outputs(ex, {checked_array::of("out", out)},
                                {checked_array::of("in", in), segments.array()});
    const auto& known = core::known<A>(op);
    const A empty = cuda::detail::total_of_no_values<A>(known, options.initial, "segments by offsets");
    using known_op = core::known_operator_t<Op, A>;
    using value = cuda::register_type<A, known_op>;
    using ends = cuda::detail::offset_ends<Integer, Out>;
    using types = cuda::detail::segment_totals_types<A, value, std::remove_const_t<In>, Out, known_op, ends>;
    const cuda::detail::segment_totals_arguments<types> given{
        in.data(),  in.size(),
        out.data(), {offsets.data(), out.size(), static_cast<Out>(empty)},
        known,      cuda::detail::load_from<value>(known, options.initial)};
    cuda::detail::enqueue_offset_totals(ex, given);
}

template <class Acc = deduced, class Flag, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void segmented_reduce(
    cuda::executor& ex, const cuda::by_head_flags<Flag>& segments, cuda::device_span<In> in,
    cuda::device_span<Out> out, std::uint64_t* count, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    cuda::detail::check_and_reduce<A, std::remove_const_t<In>>(ex, segments, in, out, count,
                                                               core::known<A>(op), options.initial);
}
template <class Acc = deduced, class Key, class Equal, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void segmented_reduce(
    cuda::executor& ex, const cuda::by_keys<Key, Equal>& segments, cuda::device_span<In> in,
    cuda::device_span<Out> out, std::uint64_t* count, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    cuda::detail::check_and_reduce<A, std::remove_const_t<In>>(ex, segments, in, out, count,
                                                               core::known<A>(op), options.initial);
}

template <class Acc = deduced, class Key, class In, class KeyOut, class Out, class Op = plus,
          class Equal = std::equal_to<>, class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void reduce_by_key(
    cuda::executor& ex, cuda::device_span<Key> keys, cuda::device_span<In> in,
    cuda::device_span<KeyOut> keys_out, cuda::device_span<Out> out, std::uint64_t* count, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}, const Equal& equal = {}) {
    using cuda::detail::checked_array;
    using key = std::remove_const_t<Key>;
    detail::check_key_count(keys.size(), in.size());
    cuda::detail::check_outputs(ex,
                                {checked_array::of("keys_out", keys_out), checked_array::of("out", out),
                                 cuda::detail::count_array(count)},
                                {checked_array::of("keys", keys), checked_array::of("in", in)});
    const cuda::by_keys<key, Equal> runs(keys, equal);
    cuda::detail::reduce_packed<A, std::remove_const_t<In>>(
        ex, runs, in, out, count, core::known<A>(op), options.initial,
        cuda::detail::keeps_firsts<key, KeyOut>{keys.data(), keys_out.data(), keys_out.size()});
}

}  // namespace upsweep
