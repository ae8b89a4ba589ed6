// Stable sorting of every segment of a sequence in VkBuffers by itself.
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
// Cost: what lies within a tile, 2048 words of keys, is read and written once, segments that reach over
// k tiles some log2(k) times more, so that O(n log k) is the most; what describes the segments is read once.
// Where there are indices or values an index moves beside each key; values, and the keys with them, are
// fetched at the end. Dispatches: two or three, one for each doubling from a tile to n, of which those above
// the longest segment find nothing to do, and two for values, four in place. Workspace: n / 8 bytes and 2 n
// keys, with an index each where there are indices or values; n more words for values, and room for a copy of
// those in place, where that is more than all keys and indices.
//
// Sources: Baxter, moderngpu, segmented sort, 2013, for merging only where a segment reaches over the border;
// Green, McColl and Bader, GPU merge path, 2012, for dividing a merge; sort.hpp has those of sorting.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/shader/segments.hpp"
#include "upsweep/shader/sort.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/segmented_scan.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::vulkan {

namespace detail {

workspace_requirements segmented_sort_workspace(const executor& ex, const shader::sort_shape& shape,
                                                std::uint64_t n);
inline commands prepare_segmented_sort(executor& ex, const shader::segments<VkBuffer>& segments,
                                       sort_arguments given) {
    given.segments = &segments;
    return prepare_sort(ex, given);
}

}  // namespace detail

// The workspaces for up to n keys, however segments are given.
template <shader::word_key Key>
[[nodiscard]] workspace_requirements segmented_sort_workspace(const executor& ex, std::uint64_t n) {
    return detail::segmented_sort_workspace(ex, {shader::sort_output::keys, sizeof(Key) / 4}, n);
}
template <shader::word_key Key>
[[nodiscard]] workspace_requirements segmented_sort_indices_workspace(const executor& ex, std::uint64_t n) {
    return detail::segmented_sort_workspace(ex, {shader::sort_output::indices, sizeof(Key) / 4}, n);
}
// in_place: values_out is values.
template <shader::word_key Key, record Value>
[[nodiscard]] workspace_requirements segmented_sort_by_key_workspace(const executor& ex, std::uint64_t n,
                                                                     bool in_place = false) {
    return detail::segmented_sort_workspace(
        ex, {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4, in_place}, n);
}

// The commands of a segmented sort. Makes the pipelines at the first call for a width of keys, which takes
// milliseconds, and descriptor sets; does nothing on the device.
template <shader::describes_segments<VkBuffer> Segments, class In,
          shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_segmented_sort(executor& ex, const Segments& segments,
                                              const buffer_span<In>& in,
                                              const std::type_identity_t<buffer_span<Key>>& out,
                                              const workspace_span& workspace,
                                              const sort_options& options = {}) {
    return detail::prepare_segmented_sort(
        ex, segments.described,
        detail::arguments_of<Key>(shader::sort_output::keys, in, out, workspace, options));
}

template <shader::describes_segments<VkBuffer> Segments, class In,
          shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_segmented_sort_indices(executor& ex, const Segments& segments,
                                                      const buffer_span<In>& in,
                                                      const buffer_span<std::uint32_t>& out,
                                                      const workspace_span& workspace,
                                                      const sort_options& options = {}) {
    return detail::prepare_segmented_sort(
        ex, segments.described,
        detail::arguments_of<Key>(shader::sort_output::indices, in, out, workspace, options));
}

template <shader::describes_segments<VkBuffer> Segments, class Keys, class Values,
          shader::word_key Key = std::remove_const_t<Keys>, record Value = std::remove_const_t<Values>>
[[nodiscard]] commands prepare_segmented_sort_by_key(
    executor& ex, const Segments& segments, const buffer_span<Keys>& keys, const buffer_span<Values>& values,
    const std::type_identity_t<buffer_span<Key>>& keys_out,
    const std::type_identity_t<buffer_span<Value>>& values_out, const workspace_span& workspace,
    const sort_options& options = {}) {
    return detail::prepare_segmented_sort(
        ex, segments.described,
        detail::pairs_of<Key, Value>(keys, values, keys_out, values_out, workspace, options));
}

}  // namespace upsweep::vulkan
