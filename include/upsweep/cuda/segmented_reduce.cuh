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
// Complexity: O(n + segments); in and what describes the segments are read once through memory
// (reduce-then-scan: twice). Scratch is that of a segmented scan.
#pragma once

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

// A call whose arguments are found good, of n >= 1 elements, in[i]...
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
    const std::size_t at = heads_at(scan.bytes(chosen));
    held_scratch taken(ex, ex.take_scratch(at + segments.scratch_bytes(n)));
    arguments.total =
        reinterpret_cast<typename types::Total*>(taken.data());  // wanted, see segment_totals.cuh
    segments.prepare(ex, arguments.heads, taken.data() + at, n, false);
    if constexpr (requires { segments.has_empty(arguments.heads, n); })
        arguments.store.places.has_empty = segments.has_empty(arguments.heads, n);
    scan.enqueue(chosen, taken.data());
    segments.clear(ex, arguments.heads, n);
    taken.release();
    cuda::check(cudaGetLastError(), "launching a reduction of segments");
    ex.set_latest(chosen);
}
// `beside`: what lies beside the elements, if first ones of that are wanted.
template <class Acc, class Out, class In, class Op, class Segments, class Places, class First,
          class... Beside>
void reduce_segments(executor& ex, const Segments& segments, device_span<const In> in, const Op& op,
                     const std::optional<Acc>& initial, const Places& places, const First& first,
                     std::uint64_t* count, const Beside*... beside) {
    using value = register_type<Acc, Op>;
    load_in_segment<Acc, value, Op> load{op, false, initial.has_value(), {}};
    if (initial) load.initial = static_cast<value>(*initial);
    const store_segments<Acc, Places, First> store{places, first, count};
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

// Of segments that are never empty.
template <class Acc, class In, class Segments, class Out, class Op, class First, class... Beside>
void reduce_packed(executor& ex, const Segments& segments, device_span<const In> in, device_span<Out> out,
                   std::uint64_t* count, const Op& op, const std::optional<Acc>& initial, const First& first,
                   const Beside*... beside) {
    segments.check(ex, in.size());
    check_outputs(ex, {checked_array::of("out", out), count_array(count)},
                  {checked_array::of("in", in), segments.array()});
    if (in.size() == 0) return clear_count(ex, count);
    reduce_segments<Acc, Out>(ex, segments, in, op, initial, packed_places<Out>{out.data(), out.size()},
                              first, count, beside...);
}

// As mark_offsets_kernel; besides, out[k] = Out(empty) for each segment k without elements, *has_empty is set
// to 1 if there are any, and *bad if offsets are not what they should be. What is null is not wanted.
template <class Integer, class Out, class Acc>
__global__ void fill_and_mark_kernel(marked_heads heads, std::uint64_t n, const Integer* offsets,
                                     std::uint64_t count, Out* out, const Acc empty, std::uint32_t* has_empty,
                                     std::uint64_t* bad) {
    bool found = false, is_bad = false;
    mark_offsets(
        heads, n, false, offsets, count, [&](std::uint64_t k, std::uint64_t begin, std::uint64_t end) {
            // A negative one is a very large one.
            is_bad =
                is_bad || (k == 0 && begin != 0) || begin > end || end > n || (k + 1 == count && begin != n);
            if (k + 1 == count || begin != end) return;
            out[k] = convert<Out>(empty);
            found = true;
        });
    if (found && has_empty != nullptr) *has_empty = 1;
    if (is_bad && bad != nullptr) *bad = 1;
}
// By offsets, where segments without elements get their results when the others are marked.
template <class Integer, class Out, class Acc>
class filled_by_offsets {
  public:
    // *bad, in device memory, unless null: receives 1 if the offsets are not what they should be, and stays
    // as it is if they are. Those that are not leave anything in the segments' places. marked(), unless
    // empty, is called once what tells is in the stream, and nothing behind it yet.
    filled_by_offsets(const by_offsets<Integer>& segments, Out* out, const Acc& empty,
                      std::uint64_t* bad = nullptr, std::function<void()> marked = {})
        : offsets_(segments.offsets()), out_(out), empty_(empty), bad_(bad), marked_(std::move(marked)) {}

    [[nodiscard]] static marked_heads heads() { return {nullptr}; }
    [[nodiscard]] static std::size_t scratch_bytes(std::uint64_t n) {
        return by_offsets<Integer>::scratch_bytes(n) + sizeof(std::uint32_t);
    }
    // In that scratch, behind the bits.
    [[nodiscard]] static std::uint32_t* has_empty(const marked_heads& heads, std::uint64_t n) {
        return heads.words + marked_heads::count(n);
    }
    void prepare(const executor& ex, marked_heads& heads, void* scratch, std::uint64_t n, bool) const {
        heads.words = static_cast<std::uint32_t*>(scratch);
        clear(ex, heads, n);
        launch(ex, heads, n, has_empty(heads, n));
    }
    // As it was found, because tagged words of a longer scan may come to lie there.
    void clear(const executor& ex, const marked_heads& heads, std::uint64_t n) const {
        cuda::check(cudaMemsetAsync(heads.words, 0, scratch_bytes(n), ex.stream()), "clearing scratch");
    }
    // Of no elements at all.
    void fill(const executor& ex) const {
        const device_scope current(ex);
        launch(ex, heads(), 0, nullptr);
        cuda::check(cudaGetLastError(), "filling in empty segments");
    }

  private:
    void launch(const executor& ex, const marked_heads& heads, std::uint64_t n,
                std::uint32_t* has_empty) const {
        fill_and_mark_kernel<<<blocks_for_offsets(ex, offsets_.size()), threads_for_offsets, 0,
                               ex.stream()>>>(heads, n, offsets_.data(), offsets_.size(), out_, empty_,
                                              has_empty, bad_);
        if (marked_) marked_();
    }

    device_span<const Integer> offsets_;
    Out* out_;
    Acc empty_;
    std::uint64_t* bad_;
    std::function<void()> marked_;
};

}  // namespace detail

// Bytes of scratch that a reduction of segments of up to n elements needs, whichever algorithm runs; never
// decreases with n. For executors that use the caller's memory.
template <class In, class Out = In, class Op = plus, class Acc = core::accumulator_for<deduced, In, Op>>
[[nodiscard]] std::size_t segmented_reduce_workspace_bytes(std::uint64_t n, const Op& = {}) {
    using Known = core::known_operator_t<Op, Acc>;
    using value = register_type<Acc, Known>;
    using types = detail::segment_total_types<
        true, value, Out, Known, detail::marked_heads, detail::load_counted<Acc, value, true, Known>,
        detail::store_segments<Acc, detail::packed_places<Out>, detail::no_first>, In>;
    return detail::heads_at(workspace_bytes_of<types>(n)) +
           detail::filled_by_offsets<int, Out, Acc>::scratch_bytes(n);
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
    const cuda::detail::filled_by_offsets<Integer, Out, A> filled(segments, out.data(), *empty);
    if (in.size() == 0) return filled.fill(ex);
    const cuda::detail::places_by_offsets<Integer, Out> places{offsets.data(), offsets.size() - 1, out.data(),
                                                               nullptr};
    cuda::detail::reduce_segments<A, Out, std::remove_const_t<In>>(ex, filled, in, known, options.initial,
                                                                   places, cuda::detail::no_first{}, nullptr);
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
