// Stable sorting in VkBuffers.
//
//     sort:         out = the keys of in, in ascending order
//     sort_indices: out = the indices of in's keys in that order: in[out[0]], in[out[1]], ... is sorted
//     sort_by_key:  keys_out = the keys in order; values_out = the value of each
//
// The order is that of sort.hpp on the CPU, and so are the bits: keys that are equal keep their order,
// ascending or descending; -0 is equal to +0, a NaN to every NaN, and a NaN is greater than everything else.
// Keys: integers of 4 and 8 bytes, characters of 4, float, double; they are sorted as words, for which no
// device needs a feature. Values: any trivially copyable type whose size is a multiple of 4 bytes.
//
// Shapes: n < 2^32 elements, all arguments of one call as many. Aliasing: out may be in, keys_out keys and
// values_out values (same buffer, same offset); any other overlap, also with workspace and length, is an
// error. Errors: upsweep::error names the argument; unsupported if one has more bytes than the device binds
// at once. Cost of more than executor_options::merged_keys keys: O(n) work; for each byte of a key, keys are
// read twice and written once, with values of one word, or indices in place of wider ones; wider values are
// moved once; 3 to 6 dispatches a byte below 2^30 keys. Workspace: n keys, and about n / 16 words of counts;
// n more words for values; 2 n for wider ones, and n values where those are sorted in place; another n keys
// and n words for sort_indices. Fewer keys are merged, as one segment of segmented_sort.hpp is: O(n log n),
// in its workspace. Sources: Satish, Harris and Garland, Designing efficient sorting algorithms for manycore
// GPUs, 2009; Ashkiani, Davidson, Meyer and Owens, GPU multisplit, 2016, for ranks from bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/key_order.hpp"
#include "upsweep/shader/segments.hpp"
#include "upsweep/shader/sort.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

struct sort_options {
    bool descending = false;
    // One word: how many elements there are, read when the commands execute; more than in.size count as
    // in.size. What follows them in the outputs is left alone.
    buffer_span<const std::uint32_t> length{};
};

namespace detail {

struct sort_arguments {
    core::key_order order;
    shader::sort_shape shape;  // values_in_place is found out
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    buffer_span<const std::byte> values;
    buffer_span<std::byte> values_out;
    std::uint64_t key_count, out_count, value_count, values_out_count;
    workspace_span workspace;
    sort_options options;
    const shader::segments<VkBuffer>* segments = nullptr;  // each sorted by itself
};
commands prepare_sort(executor& on, const sort_arguments& given);
workspace_requirements sort_workspace(const executor& ex, const shader::sort_shape& shape, std::uint64_t n);

template <class T>
buffer_span<const std::byte> bytes_of(const buffer_span<const T>& span) {
    return {span.buffer, span.bytes(), span.offset};
}
template <class T>
requires(!std::is_const_v<T>) buffer_span<std::byte> bytes_of(const buffer_span<T>& span) {
    return {span.buffer, span.bytes(), span.offset};
}

}  // namespace detail

// The workspaces for up to n keys.
template <shader::word_key Key>
[[nodiscard]] workspace_requirements sort_workspace(const executor& ex, std::uint64_t n) {
    return detail::sort_workspace(ex, {shader::sort_output::keys, sizeof(Key) / 4}, n);
}
template <shader::word_key Key>
[[nodiscard]] workspace_requirements sort_indices_workspace(const executor& ex, std::uint64_t n) {
    return detail::sort_workspace(ex, {shader::sort_output::indices, sizeof(Key) / 4}, n);
}
// in_place: values_out is values.
template <shader::word_key Key, record Value>
[[nodiscard]] workspace_requirements sort_by_key_workspace(const executor& ex, std::uint64_t n,
                                                           bool in_place = false) {
    return detail::sort_workspace(
        ex, {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4, in_place}, n);
}

namespace detail {

// Arguments of a sort, or of another call for an order, whose results have no values yet.
template <class Arguments, class Key, class Out, class Options>
Arguments ordered_arguments(shader::sort_output output, bool descending, const buffer_span<const Key>& in,
                            const buffer_span<Out>& out, const workspace_span& workspace,
                            const Options& options) {
    return {.order = core::order_of<Key>(descending),
            .shape = {output, sizeof(Key) / 4},
            .in = bytes_of<Key>(in),
            .out = bytes_of(out),
            .values = {},
            .values_out = {},
            .key_count = in.size,
            .out_count = out.size,
            .value_count = in.size,
            .values_out_count = out.size,
            .workspace = workspace,
            .options = options};
}
template <class Value, class Arguments>
Arguments with_values(Arguments given, const buffer_span<const Value>& values,
                      const buffer_span<Value>& values_out) {
    static_assert(sizeof(Value) / 4 <= std::numeric_limits<std::uint32_t>::max());
    given.shape.value_words = sizeof(Value) / 4;
    given.values = bytes_of<Value>(values);
    given.values_out = bytes_of(values_out);
    given.value_count = values.size;
    given.values_out_count = values_out.size;
    return given;
}

template <class Key, class Out>
sort_arguments arguments_of(shader::sort_output output, const buffer_span<const Key>& in,
                            const buffer_span<Out>& out, const workspace_span& workspace,
                            const sort_options& options) {
    return ordered_arguments<sort_arguments>(output, options.descending, in, out, workspace, options);
}
template <class Key, class Value>
sort_arguments pairs_of(const buffer_span<const Key>& keys, const buffer_span<const Value>& values,
                        const buffer_span<Key>& keys_out, const buffer_span<Value>& values_out,
                        const workspace_span& workspace, const sort_options& options) {
    return with_values<Value>(
        arguments_of<Key>(shader::sort_output::keys_with_values, keys, keys_out, workspace, options), values,
        values_out);
}

}  // namespace detail

// The commands of a sort. Makes the pipelines at the first call for a width of keys, which takes
// milliseconds, and descriptor sets; does nothing on the device.
template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_sort(executor& ex, const buffer_span<In>& in,
                                    const std::type_identity_t<buffer_span<Key>>& out,
                                    const workspace_span& workspace, const sort_options& options = {}) {
    return detail::prepare_sort(
        ex, detail::arguments_of<Key>(shader::sort_output::keys, in, out, workspace, options));
}

template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_sort_indices(executor& ex, const buffer_span<In>& in,
                                            const buffer_span<std::uint32_t>& out,
                                            const workspace_span& workspace,
                                            const sort_options& options = {}) {
    return detail::prepare_sort(
        ex, detail::arguments_of<Key>(shader::sort_output::indices, in, out, workspace, options));
}

template <class Keys, class Values, shader::word_key Key = std::remove_const_t<Keys>,
          record Value = std::remove_const_t<Values>>
[[nodiscard]] commands prepare_sort_by_key(executor& ex, const buffer_span<Keys>& keys,
                                           const buffer_span<Values>& values,
                                           const std::type_identity_t<buffer_span<Key>>& keys_out,
                                           const std::type_identity_t<buffer_span<Value>>& values_out,
                                           const workspace_span& workspace,
                                           const sort_options& options = {}) {
    return detail::prepare_sort(
        ex, detail::pairs_of<Key, Value>(keys, values, keys_out, values_out, workspace, options));
}

}  // namespace upsweep::vulkan
