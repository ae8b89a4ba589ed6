// Stable sorting of every segment of a sequence in OpenGL buffer objects by itself.
//
//     segmented_sort:         out = the keys of every segment of in, in ascending order
//     segmented_sort_indices: out = the indices of in's keys in that order: in[out[b]], ..., in[out[e - 1]]
//                             is sorted for every segment [b, e); they are the numbers from b to e - 1
//     segmented_sort_by_key:  keys_out = the keys of every segment in order; values_out = the value of each
//
// Segments are those of segmented_scan.hpp: by a word an element, by offsets, by keys. The order is that of
// sort.hpp, stable, NaNs last, and so are keys, values, shapes, options, aliasing and errors; the bits are
// those of segmented_sort.hpp on the CPU. What describes the segments has to be of n elements and overlaps
// nothing that is written; with offsets there can be no length in a buffer. Unsupported besides if n indices,
// each with its key but where keys alone are sorted, are more bytes than the device binds at once.
//
// Complexity: what lies within a tile, 2048 words of keys, is read and written once, segments that reach over
// k tiles some log2(k) times more, so that O(n log k) is the most; what describes the segments is read once.
// Where there are indices or values an index moves beside each key; values, and the keys with them, are
// fetched at the end. Dispatches: two or three, one for each doubling from a tile to n, of which those above
// the longest segment find nothing to do, and two for values, four in place. Scratch: n / 8 bytes and 2 n
// keys, with an index each where there are indices or values; n more words for values, and room for a copy of
// those in place, where that is more than all keys and indices.
//
// Sources: Baxter, moderngpu, segmented sort, 2013, for merging only where a segment reaches over the border;
// Green, McColl and Bader, GPU merge path, 2012, for dividing a merge; sort.hpp has those of sorting.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/segmented_scan.hpp"
#include "upsweep/gl/sort.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::gl {

// What options.workspace must have for up to n keys, however segments are given; it never decreases with n.
template <shader::word_key Key>
[[nodiscard]] std::uint64_t segmented_sort_workspace_bytes(const executor& ex, std::uint64_t n) {
    return ex.segmented_sort_workspace_bytes({shader::sort_output::keys, sizeof(Key) / 4}, n);
}
template <shader::word_key Key>
[[nodiscard]] std::uint64_t segmented_sort_indices_workspace_bytes(const executor& ex, std::uint64_t n) {
    return ex.segmented_sort_workspace_bytes({shader::sort_output::indices, sizeof(Key) / 4}, n);
}
// in_place: values_out is values.
template <shader::word_key Key, record Value>
[[nodiscard]] std::uint64_t segmented_sort_by_key_workspace_bytes(const executor& ex, std::uint64_t n,
                                                                  bool in_place = false) {
    return ex.segmented_sort_workspace_bytes(
        {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4, in_place}, n);
}

namespace detail {

inline sort_call in_segments(sort_call call, const shader::segments<std::uint32_t>& segments) {
    call.segments = segments;
    return call;
}

}  // namespace detail

// Compiles the programs of segmented sorts of such keys now, in any direction and with any values, so that no
// later one waits for the driver's compiler. Keys of one width share theirs.
template <shader::word_key Key>
void prepare_segmented_sort(executor& ex) {
    ex.compile(detail::in_segments(detail::make_sort<Key>(shader::sort_output::keys, {}, {}, {}), {}));
}

}  // namespace upsweep::gl

namespace upsweep {

template <shader::describes_segments<std::uint32_t> Segments, class In, shader::word_key Key>
requires std::same_as<std::remove_const_t<In>, Key>
void segmented_sort(gl::executor& ex, const Segments& segments, gl::buffer_span<In> in,
                    gl::buffer_span<Key> out, const gl::sort_options& options = {}) {
    ex.run(gl::detail::in_segments(
        gl::detail::make_sort<Key>(shader::sort_output::keys, in, out.region(), options),
        segments.described));
}

template <shader::describes_segments<std::uint32_t> Segments, class In>
requires shader::word_key<std::remove_const_t<In>>
void segmented_sort_indices(gl::executor& ex, const Segments& segments, gl::buffer_span<In> in,
                            gl::buffer_span<std::uint32_t> out, const gl::sort_options& options = {}) {
    ex.run(gl::detail::in_segments(gl::detail::make_sort<std::remove_const_t<In>>(
                                       shader::sort_output::indices, in, out.region(), options),
                                   segments.described));
}

template <shader::describes_segments<std::uint32_t> Segments, class Keys, class Values, shader::word_key Key,
          gl::record Value>
requires std::same_as<std::remove_const_t<Keys>, Key> && std::same_as<std::remove_const_t<Values>, Value>
void segmented_sort_by_key(gl::executor& ex, const Segments& segments, gl::buffer_span<Keys> keys,
                           gl::buffer_span<Values> values, gl::buffer_span<Key> keys_out,
                           gl::buffer_span<Value> values_out, const gl::sort_options& options = {}) {
    ex.run(gl::detail::in_segments(
        gl::detail::make_sort_by_key<Key, Value>(keys, values, keys_out, values_out, options),
        segments.described));
}

}  // namespace upsweep
