// Scans that start afresh at every segment: inclusive_segmented_scan, exclusive_segmented_scan,
// inclusive_scan_by_key and exclusive_scan_by_key.
//
//     inclusive: out[i] = in[b] (+) ... (+) in[i]    for i in a segment that begins at b
//     exclusive: out[i] = in[b] (+) ... (+) in[i-1]
//                out[b] = the initial value, or else the operator's identity
//
// The segments of n elements are given by offsets, head flags or keys: upsweep/segments.hpp. With
// `initial`, every segment starts from it. With `reverse`, scans go from every segment's last element to
// its first.
//
// Shapes: in and out are contiguous ranges of equal size n >= 0; accumulators are chosen as in scan.hpp.
// Bits: the scan of the pairs (head, value) under (h1, v1) (+) (h2, v2) = (h1 or h2, h2 ? v2 : v1 (+) v2)
// by the tree of docs/numerics.md over the whole array; an initial value is combined with the first element
// of every segment.
// Aliasing: out may be in; it must not overlap offsets, flags or keys.
// Errors: as in scan.hpp; what describes the segments must be of n elements.
// Complexity: O(n) work; for offsets also O(m) to check them and O(log m) a chunk.
// Source: Blelloch, "Prefix sums and their applications", 1990, section 1.5 (segmented scans).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/segmented.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segments.hpp"

namespace upsweep {
namespace detail {

template <class Acc, class In, class Out, class Op, class Segments>
void segmented_scan(cpu::executor& ex, const Segments& segments, const In* in, std::size_t in_size, Out* out,
                    std::size_t out_size, bool exclusive, const Op& op, const batch_options<Acc>& options) {
    check_sizes(in_size, out_size);
    segments.check(in_size, ex.simd());
    const bool in_place = check_overlap(in, sizeof(In), out, sizeof(Out), in_size);
    check_disjoint({"out", out, in_size * sizeof(Out)}, described(segments));
    const std::optional<Acc> before =
        options.initial || !exclusive ? options.initial : exclusive_start<Acc>(op, true);
    if (in_size == 0) return;
    const std::size_t n = in_size;
    const std::ptrdiff_t stride = options.reverse ? -1 : 1;
    const std::size_t first = options.reverse ? n - 1 : 0;
    const cpu::head_marks marks = cpu::marks_of(segments, n, options.reverse);
    const cpu::scan_shape shape{n, exclusive, in_place, n * (sizeof(In) + sizeof(Out))};
    if constexpr (cpu::has_segmented_kernels<Acc, Op>) {
        core::tree_carry<Acc> carry;
        cpu::run_segmented_scan<Acc, Op>(ex, cpu::make_source<Acc>(as_storage(in) + first, stride),
                                         cpu::make_sink<Acc>(as_storage(out) + first, stride), shape, marks,
                                         {options.initial, before}, carry);
    } else {
        const std::identity itself;
        const cpu::element_source<Acc, In, std::identity> source{in + first, stride, itself};
        const cpu::element_sink<Acc, Out> sink{out + first, stride, before};
        const cpu::marked_heads<Acc> heads{marks, cpu::memory_kernels_for(ex.simd()), options.initial};
        core::tree_carry<Acc> carry;
        if (options.reverse)
            cpu::run_generic_scan<Acc>(ex, source, sink, core::swapped<Op>{op}, shape, carry, heads);
        else
            cpu::run_generic_scan<Acc>(ex, source, sink, op, shape, carry, heads);
    }
}

}  // namespace detail

// out[i] = the elements of i's segment up to i, combined.
template <class Acc = deduced, describes_segments Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_segmented_scan(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::segmented_scan<A>(ex, segments, std::ranges::data(in), std::ranges::size(in),
                              std::ranges::data(out), std::ranges::size(out), false, core::known<A>(op),
                              options);
}

// out[i] = the elements of i's segment before i, combined; of its first one options.initial, or else the
// operator's identity.
template <class Acc = deduced, describes_segments Segments, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_segmented_scan(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                              const Op& op = {}, const std::type_identity_t<batch_options<A>>& options = {}) {
    detail::segmented_scan<A>(ex, segments, std::ranges::data(in), std::ranges::size(in),
                              std::ranges::data(out), std::ranges::size(out), true, core::known<A>(op),
                              options);
}

// inclusive_segmented_scan with by_keys(keys), under the name that other libraries use.
template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void inclusive_scan_by_key(cpu::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    inclusive_segmented_scan<A>(ex, by_keys(keys), in, std::forward<Out>(out), op, options);
}

// exclusive_segmented_scan with by_keys(keys).
template <class Acc = deduced, input_range Keys, input_range In, class Out, class Op = plus,
          class A = core::accumulator_for<Acc, std::ranges::range_value_t<In>, Op>>
requires output_range<Out, A> && combines<Op, A>
void exclusive_scan_by_key(cpu::executor& ex, const Keys& keys, const In& in, Out&& out, const Op& op = {},
                           const std::type_identity_t<batch_options<A>>& options = {}) {
    exclusive_segmented_scan<A>(ex, by_keys(keys), in, std::forward<Out>(out), op, options);
}

}  // namespace upsweep
