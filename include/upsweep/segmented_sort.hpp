// Stable sorting of every segment of an array by itself.
//
//     segmented_sort(executor, segments, in, out)
//         out[b], ..., out[e - 1] = the elements of in[b], ..., in[e - 1] in ascending order, for every
//         segment [b, e)
//     segmented_sort_indices(executor, segments, in, out)
//         the indices of in's elements in that order: in[out[b]], ..., in[out[e - 1]] is sorted; they are the
//         numbers from b to e - 1
//     segmented_sort_by_key(executor, segments, keys, values, keys_out, values_out)
//         keys_out = the keys of every segment in order; values_out = the value of each
//     segmented_sort_by(executor, segments, in, out, key)
//         out = the elements of every segment in the order of key(element)
//
// Segments are given by offsets, head flags or keys (upsweep/segments.hpp): of [3 1 2 9 8] by the offsets
// [0 3 3 5] it makes [1 2 3 8 9].
//
// The order is that of upsweep/sort.hpp, stable, NaNs last, and so are keys, descending order, shapes,
// bits, aliasing, errors and scratch. What describes the segments has to be of n elements, and outputs must
// not overlap it. An exception of a comparison of by_keys passes through as one of key does. Complexity: O(n)
// moves for segments of up to 32 elements, which are sorted at once, and for longer ones those of sort; what
// describes the segments is read twice at most. Scratch: that of sort, and a word for every 512 elements or
// more.
//
// Source: sort.hpp has those of sorting; a segment is as a bucket of a radix sort that has been divided
// already, which takes no pass over segments' numbers.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>

#include "upsweep/compact.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/segments.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace detail {

// Calls body(call) for the segments of n elements; outputs must not overlap what describes those.
template <class Segments, class Body>
void sort_segments(cpu::executor& ex, const Segments& segments, std::size_t n, const sort_options& options,
                   std::initializer_list<named_array> outputs, const Body& body) {
    segments.check(n, ex.simd());
    for (const named_array& out : outputs) check_disjoint(out, described(segments));
    const cpu::head_marks marks = cpu::marks_of(segments, n, false);
    body(sort_call{ex, options.descending, &marks});
}

}  // namespace detail

// out = the elements of every segment, in order.
template <describes_segments Segments, key_range In, sorted_range<In> Out>
void segmented_sort(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                    const sort_options& options = {}) {
    detail::sort_segments(ex, segments, std::ranges::size(in), options, {detail::named("out", out)},
                          [&](const detail::sort_call& call) { detail::sort_keys(call, in, out); });
}

// out = the indices of every segment's elements, in the order of these.
template <describes_segments Segments, key_range In, index_range Out>
void segmented_sort_indices(cpu::executor& ex, const Segments& segments, const In& in, Out&& out,
                            const sort_options& options = {}) {
    detail::sort_segments(ex, segments, std::ranges::size(in), options, {detail::named("out", out)},
                          [&](const detail::sort_call& call) { detail::sort_places(call, in, out); });
}

// keys_out = the keys of every segment in order; values_out = the value of each.
template <describes_segments Segments, key_range Keys, input_range Values, sorted_range<Keys> KeysOut,
          sorted_range<Values> ValuesOut>
void segmented_sort_by_key(cpu::executor& ex, const Segments& segments, const Keys& keys,
                           const Values& values, KeysOut&& keys_out, ValuesOut&& values_out,
                           const sort_options& options = {}) {
    detail::sort_segments(
        ex, segments, std::ranges::size(keys), options,
        {detail::named("keys_out", keys_out), detail::named("values_out", values_out)},
        [&](const detail::sort_call& call) { detail::sort_pairs(call, keys, values, keys_out, values_out); });
}

// out = the elements of every segment in the order of key(element).
template <describes_segments Segments, input_range In, sorted_range<In> Out, key_function<In> F>
void segmented_sort_by(cpu::executor& ex, const Segments& segments, const In& in, Out&& out, const F& key,
                       const sort_options& options = {}) {
    detail::sort_segments(ex, segments, std::ranges::size(in), options, {detail::named("out", out)},
                          [&](const detail::sort_call& call) { detail::sort_elements(call, in, out, key); });
}

}  // namespace upsweep
