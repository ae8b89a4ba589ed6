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
// Complexity: O(n + segments); in and what describes the segments are read once through memory (by flags and
// keys in reduce-then-scan: twice). By offsets there is one way, whatever the executor's algorithm, of two to
// four launches, or one for elements of one tile. Scratch by flags and keys is that of a segmented scan, by
// offsets 16 bytes and three accumulators for each tile of the tree; segmented_reduce_workspace_bytes() is
// enough for both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/held_scratch.hpp"
#include "upsweep/cuda/offset_totals_launch.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segment_heads.cuh"
#include "upsweep/cuda/segment_totals.cuh"
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

// A call whose arguments are found good, by flags or keys, of n >= 1 elements, in[i]...
template <bool Wide, class Value, class Out, class Op, class Segments, class Load, class Store, class... In>
void enqueue_segments(executor& ex, const Segments& segments, std::uint64_t n, const Op& op, const Load& load,
                      const Store& store, const In*... in) {
    using types = segment_total_types<Wide, Value, Out, Op, decltype(segments.heads()), Load, Store, In...>;
    scan_arguments<types> arguments{{in...}, nullptr, n,       nullptr, false, false, nullptr,
                                    {},      {},      nullptr, {op},    load,  store, segments.heads()};
    if (Wide && ex.choice() == algorithm::look_ahead) {
        throw_error(
            errc::unsupported,
            "algorithm: look-ahead counts fewer than 2^31 segments of such values, of which there may be "
            "more; choose another");
    }
    const device_scope current(ex);
    ex.check_before_launch();
    const scan_launch<types, true> scan(ex, arguments);
    const algorithm chosen = scan.choose();
    held_scratch taken(ex, ex.take_scratch(scan.bytes(chosen)));
    arguments.total =
        reinterpret_cast<typename types::Total*>(taken.data());  // wanted, see segment_totals.cuh
    scan.enqueue(chosen, taken.data());
    taken.release();
    cuda::check(cudaGetLastError(), "launching a reduction of segments");
    ex.set_latest(chosen);
}
// `beside`: what lies beside the elements, if first ones of that are wanted.
template <class Acc, class In, class Segments, class Out, class Op, class First, class... Beside>
void reduce_packed(executor& ex, const Segments& segments, device_span<const In> in, device_span<Out> out,
                   std::uint64_t* count, const Op& op, const std::optional<Acc>& initial, const First& first,
                   const Beside*... beside) {
    segments.check(ex, in.size());
    check_outputs(ex, {checked_array::of("out", out), count_array(count)},
                  {checked_array::of("in", in), segments.array()});
    if (in.size() == 0) return clear_count(ex, count);
    using value = register_type<Acc, Op>;
    const load_in_segment<Acc, value, Op> load = load_from<value>(op, initial);
    const store_segments<Acc, packed_places<Out>, First> store{{out.data(), out.size()}, first, count};
    constexpr bool counts_anyway = sizeof(value) % 8 == 0;  // to 2^63
    if (counts_anyway || in.size() < std::uint64_t{1} << 31) {
        const load_counted<Acc, value, false, Op> counted{load};
        enqueue_segments<false, value, Out>(ex, segments, in.size(), op, counted, store, in.data(),
                                            beside...);
    } else if constexpr (!counts_anyway) {
        const load_counted<Acc, value, true, Op> counted{load};
        enqueue_segments<true, value, Out>(ex, segments, in.size(), op, counted, store, in.data(), beside...);
    }
}

}  // namespace detail

// Bytes of scratch that a reduction of segments of up to n elements needs, whatever describes them and
// whichever algorithm runs; never decreases with n. For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t segmented_reduce_workspace_bytes(std::uint64_t n, const Op& = {}) {
    using Known = core::known_operator_t<Op, Acc>;
    using value = register_type<Acc, Known>;
    using types = detail::segment_total_types<
        true, value, Out, Known, detail::marked_heads, detail::load_counted<Acc, value, true, Known>,
        detail::store_segments<Acc, detail::packed_places<Out>, detail::no_first>, In>;
    using by_tiles = detail::offset_totals_types<Acc, value, In, Out, Known, std::uint64_t>;
    return std::max(workspace_bytes_of<types>(n),
                    launch_state_bytes + detail::offset_totals_launch<by_tiles>::scratch_bytes(n));
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
    std::optional<A> empty = options.initial;
    if constexpr (has_identity<core::known_operator_t<Op, A>, A>) {
        if (!empty) empty = identity_of<A>(known);
    }
    if (!empty) {
        throw_error(
            errc::invalid_argument,
            "options.initial: segments by offsets may be empty, and need an initial value, because the "
            "operator has no identity");
    }
    using known_op = core::known_operator_t<Op, A>;
    using value = cuda::register_type<A, known_op>;
    using types =
        cuda::detail::offset_totals_types<A, value, std::remove_const_t<In>, Out, known_op, Integer>;
    const cuda::detail::offset_totals_arguments<types> given{
        in.data(),  in.size(),
        out.data(), offsets.data(),
        out.size(), static_cast<Out>(*empty),
        known,      cuda::detail::load_from<value>(known, options.initial)};
    cuda::detail::offset_totals_launch<types>(ex, given).run();
}

template <class Acc = deduced, class Flag, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void segmented_reduce(
    cuda::executor& ex, const cuda::by_head_flags<Flag>& segments, cuda::device_span<In> in,
    cuda::device_span<Out> out, std::uint64_t* count, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    cuda::detail::reduce_packed<A, std::remove_const_t<In>>(ex, segments, in, out, count, core::known<A>(op),
                                                            options.initial, cuda::detail::no_first{});
}
template <class Acc = deduced, class Key, class Equal, class In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::remove_const_t<In>, Op>>
requires combines<Op, A> &&(!std::is_const_v<Out>)void segmented_reduce(
    cuda::executor& ex, const cuda::by_keys<Key, Equal>& segments, cuda::device_span<In> in,
    cuda::device_span<Out> out, std::uint64_t* count, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    // No kernels of its own: as reduce_by_key without room for a key.
    cuda::detail::reduce_packed<A, std::remove_const_t<In>>(
        ex, segments, in, out, count, core::known<A>(op), options.initial,
        cuda::detail::first_elements<Key>{nullptr, 0}, segments.elements().data());
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
    cuda::detail::reduce_packed<A, std::remove_const_t<In>>(
        ex, cuda::by_keys<key, Equal>(keys, equal), in, out, count, core::known<A>(op), options.initial,
        cuda::detail::first_elements<KeyOut>{keys_out.data(), keys_out.size()},
        static_cast<const key*>(keys.data()));
}

}  // namespace upsweep
