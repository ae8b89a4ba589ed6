// One total a segment: segmented_reduce and reduce_by_key.
//
//     segmented_reduce(executor, segments, in, out, op, options)
//         out[k] = in[b] (+) ... (+) in[e - 1] for every segment k, whose elements are [b, e); of an empty
//         one the initial value, or else the operator's identity
//     reduce_by_key(executor, keys, in, keys_out, out, op, options, equal)
//         the same of runs of equal keys; keys_out[k] = the first key of run k
//
// Segments are given by offsets, head flags or keys (upsweep/segments.hpp); those by flags and keys are never
// empty. Both return how many segments there are. By flags and keys that may be more than an output has room
// for: only as many results as that are written then, the first ones, and what lies behind them is left as
// it is. Keys are compared with their neighbours only: to have one total for each key, sort by it first.
//
// Bits: out[k] is what inclusive_segmented_scan gives for the segment's last element. With `initial`, every
// segment starts from it.
// Shapes: in has n >= 0 elements, keys or flags as many; out of segments by offsets has one for each segment.
// Aliasing: outputs must overlap nothing else.
// Errors: upsweep::error names the argument; nothing has been written then. An exception from op passes
// through; outputs are then unspecified.
// Complexity: O(n) work, one read of in and of what describes the segments and one write of the results.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.5 (segmented scans).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "upsweep/compact.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/segment_results.hpp"
#include "upsweep/cpu/segment_totals.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/options.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segments.hpp"

namespace upsweep {
namespace detail {

// Of a call that takes keys and elements and gives keys and something else.
template <class Keys, class In, class KeysOut, class Out>
void check_keyed(const Keys& keys, const In& in, const KeysOut& keys_out, const Out& out) {
    check_key_count(std::ranges::size(keys), std::ranges::size(in));
    const named_array from_keys = named("keys", keys), from = named("in", in);
    const named_array to_keys = named("keys_out", keys_out), to = named("out", out);
    for (const named_array& target : {to_keys, to}) {
        check_disjoint(target, from_keys);
        check_disjoint(target, from);
    }
    check_disjoint(to, to_keys);
}

// Of n >= 1 elements.
template <class Acc, class In, class Op, class Segments, class Results>
std::size_t reduce_segments(cpu::executor& ex, const Segments& segments, const In* in, std::size_t n,
                            const Results& results, std::size_t written_bytes, const Op& op,
                            const std::optional<Acc>& initial, const cpu::transfer* keys = nullptr,
                            std::size_t room = 0) {
    const cpu::head_marks marks = cpu::marks_of(segments, n, false);
    if constexpr (cpu::has_exact_totals<Acc, Op>) {
        const cpu::exact_totals<Acc, Op, Results> totals(ex, cpu::make_source<Acc>(as_storage(in)), op,
                                                         results, initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::segmented_cost, keys, room);
    } else if constexpr (cpu::has_segmented_kernels<Acc, Op>) {
        const cpu::kernel_totals<Acc, Op, Results> totals(ex, cpu::make_source<Acc>(as_storage(in)), op,
                                                          results, initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::segmented_cost, keys, room);
    } else {
        const std::identity itself;
        using source = cpu::element_source<Acc, In, std::identity>;
        const cpu::generic_totals<Acc, Op, source, Results> totals(ex, source{in, 1, itself}, op, results,
                                                                   initial);
        return cpu::run_segments(ex, totals, marks, written_bytes, cpu::tuning::generic_cost, keys, room);
    }
}

// The result of an empty segment, which must be known if there is one.
template <class Acc, class Integer, class Op>
std::optional<Acc> empty_total(const by_offsets<Integer>& segments, const Op& op,
                               const std::optional<Acc>& initial) {
    if (initial) return initial;
    if constexpr (has_identity<Op, Acc>) {
        return identity_of<Acc>(op);
    } else {
        const auto offsets = segments.offsets();
        const auto empty = std::ranges::adjacent_find(offsets);
        if (empty != offsets.end()) {
            throw_error(errc::invalid_argument,
                        "options.initial: segment " + std::to_string(empty - offsets.begin()) +
                            " is empty, and its total needs an initial value, because the operator has no "
                            "identity");
        }
        return {};
    }
}

// `out` has room for the results of so many segments, the first ones.
template <class Acc, class Segments, class In, class Out, class Op>
std::size_t reduce_packed(cpu::executor& ex, const Segments& segments, const In* in, std::size_t n, Out* out,
                          std::size_t room, const Op& op, const std::optional<Acc>& initial) {
    if (n == 0) return 0;
    const cpu::packed_results<Out> results(out, room);
    return reduce_segments<Acc>(ex, segments, in, n, results, sizeof(Out), op, initial);
}
// `out` has room for the results of all segments.
template <class Acc, class Integer, class In, class Out, class Op>
std::size_t reduce_by_offsets(cpu::executor& ex, const by_offsets<Integer>& segments, const In* in,
                              std::size_t n, Out* out, const Op& op, const std::optional<Acc>& initial) {
    const std::size_t count = segments.offsets().size() - 1;
    const std::optional<Acc> empty = empty_total<Acc>(segments, op, initial);
    if (n == 0) {
        for (std::size_t k = 0; k < count; ++k) out[k] = cpu::convert<Out>(*empty);
    } else {
        const cpu::results_by_offsets<Integer, Acc, Out> results(segments.offsets(), out, empty);
        reduce_segments<Acc>(ex, segments, in, n, results, 0, op, initial);
    }
    return count;
}

}  // namespace detail

// out[k] = the total of segment k.
template <class Acc = deduced, describes_segments Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A> std::size_t segmented_reduce(
    cpu::executor& ex, const Segments& segments, const In& in, Out&& out, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}) {
    const std::size_t n = std::ranges::size(in), room = std::ranges::size(out);
    segments.check(n, ex.simd());
    const detail::named_array target = detail::named("out", out);
    detail::check_disjoint(target, detail::named("in", in));
    detail::check_disjoint(target, detail::described(segments));
    if constexpr (requires { segments.offsets(); }) {
        const std::size_t count = segments.offsets().size() - 1;
        if (room != count) {
            throw_error(errc::invalid_argument, "out: expected " + std::to_string(count) +
                                                    " elements, one for each segment, but it has " +
                                                    std::to_string(room));
        }
        return detail::reduce_by_offsets<A>(ex, segments, std::ranges::data(in), n, std::ranges::data(out),
                                            core::known<A>(op), options.initial);
    } else {
        return detail::reduce_packed<A>(ex, segments, std::ranges::data(in), n, std::ranges::data(out), room,
                                        core::known<A>(op), options.initial);
    }
}

// keys_out[k] = the first key of run k of equal keys; out[k] = the total of the elements beside these.
template <class Acc = deduced, input_range Keys, input_range In, receives<Keys> KeysOut, class Out,
          class Op = plus, class Equal = std::equal_to<>,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A> std::size_t reduce_by_key(
    cpu::executor& ex, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out, const Op& op = {},
    const std::type_identity_t<reduce_options<A>>& options = {}, const Equal& equal = {}) {
    const std::size_t n = std::ranges::size(in);
    detail::check_keyed(keys, in, keys_out, out);
    if (n == 0) return 0;
    using element = std::ranges::range_value_t<Out>;
    const cpu::packed_results<element> results(std::ranges::data(out), std::ranges::size(out));
    const cpu::transfer way = detail::transfer_of(std::ranges::data(keys), std::ranges::data(keys_out));
    return detail::reduce_segments<A>(ex, detail::runs_of(keys, equal), std::ranges::data(in), n, results,
                                      way.out_bytes + sizeof(element), core::known<A>(op), options.initial,
                                      &way, std::ranges::size(keys_out));
}

}  // namespace upsweep
