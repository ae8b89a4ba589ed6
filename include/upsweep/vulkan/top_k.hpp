// The greatest elements in VkBuffers, or the smallest, without a sort of the others.
//
//     top_k:             out = the out.size greatest elements of in, the greatest first
//     top_k_indices:     out = the indices of these elements in in, in the same order
//     top_k_by_key:      keys_out = the keys_out.size greatest keys; values_out = the value of each
//     top_k_rows:        out = the out.size / rows greatest elements of every row of in
//     top_k_row_indices: out = their indices in the row
//
// With {.smallest = true} they are the smallest, the smallest first. They are the first elements of what
// sorts give (sort.hpp), descending or not, in every bit: of equal elements the one that comes first in `in`
// comes first; -0 and +0 are equal; a NaN is greater than everything else and equal to every NaN. Keys:
// integers of 4 and 8 bytes, characters of 4, float, double; no device feature is needed for any. Values: any
// trivially copyable type whose size is a multiple of 4 bytes.
//
// Shapes: n elements in, k <= n out; keys and values are as many, and so are keys_out and values_out; rows
// lie one behind the other, and all have as many elements: in rows * n, out rows * k. Fewer than 2^32 in all.
// Aliasing: outputs overlap neither inputs nor each other; nor workspace and length anything. Errors:
// upsweep::error names the argument; unsupported if one has more bytes than the device binds at once, of rows
// if one row has.
// Cost: O(n) work for k <= 1024. Up to 1024 elements, or rows of so many, are read once; of more, a work
// group has a row and reads it two to four times where the highest bits tell most keys apart, at most once
// for each byte of a key and of an index and once more: one dispatch, and another for each 512 that k is
// above 1024. A sequence of more than 12288 elements, or of which more are wanted, is sorted up to 65536
// elements and where k is more than a sixth of n. Else it is read as often by all work groups, in some 10
// dispatches, or 14 for keys of 8 bytes, and k + max(4096, n / 128) of its elements at most are put in order,
// by one more or by a sort. Rows that are few, or longer than 262144 elements, are such sequences, one after
// the other. Workspace: 16 bytes a row, or what a sort of so many elements needs, these themselves, and n /
// 32 words.
//
// Sources: Alabi, Blanchard, Gordon and Steinbach, Fast k-selection algorithms for graphics processing units,
// 2012 (radix selection); Shanbhag, Pirk and Madden, Efficient top-k query processing on GPUs, 2018 (merges
// that drop the rest); Batcher, Sorting networks and their applications, 1968; those of sort.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/key_order.hpp"
#include "upsweep/shader/sort.hpp"
#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::vulkan {

struct top_k_options {
    bool smallest = false;  // the smallest, ascending, in place of the greatest, descending
    // One word: how many elements there are, or in each row, read when the commands execute; more than n
    // count as n. Where they are fewer than k, what follows them in the outputs, or in each row, is left
    // alone.
    buffer_span<const std::uint32_t> length{};
};

namespace detail {

struct top_k_arguments {
    core::key_order order;
    shader::sort_shape shape;
    buffer_span<const std::byte> in;
    buffer_span<std::byte> out;
    buffer_span<const std::byte> values;
    buffer_span<std::byte> values_out;
    std::uint64_t key_count, out_count, value_count, values_out_count;
    workspace_span workspace;
    top_k_options options;
    std::uint64_t rows = 1;  // of which the counts are those of all
};
commands prepare_top_k(executor& on, const top_k_arguments& given);
workspace_requirements top_k_workspace(const executor& ex, const shader::sort_shape& shape,
                                       std::uint64_t rows, std::uint64_t n, std::uint64_t k);

}  // namespace detail

// The workspaces for k of n elements, k <= n.
template <shader::word_key Key>
[[nodiscard]] workspace_requirements top_k_workspace(const executor& ex, std::uint64_t n, std::uint64_t k) {
    return detail::top_k_workspace(ex, {shader::sort_output::keys, sizeof(Key) / 4}, 1, n, k);
}
template <shader::word_key Key>
[[nodiscard]] workspace_requirements top_k_indices_workspace(const executor& ex, std::uint64_t n,
                                                             std::uint64_t k) {
    return detail::top_k_workspace(ex, {shader::sort_output::indices, sizeof(Key) / 4}, 1, n, k);
}
template <shader::word_key Key, record Value>
[[nodiscard]] workspace_requirements top_k_by_key_workspace(const executor& ex, std::uint64_t n,
                                                            std::uint64_t k) {
    return detail::top_k_workspace(
        ex, {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4}, 1, n, k);
}
// And for k elements of each of so many rows of n.
template <shader::word_key Key>
[[nodiscard]] workspace_requirements top_k_rows_workspace(const executor& ex, std::uint64_t rows,
                                                          std::uint64_t n, std::uint64_t k) {
    return detail::top_k_workspace(ex, {shader::sort_output::keys, sizeof(Key) / 4}, rows, n, k);
}
template <shader::word_key Key>
[[nodiscard]] workspace_requirements top_k_row_indices_workspace(const executor& ex, std::uint64_t rows,
                                                                 std::uint64_t n, std::uint64_t k) {
    return detail::top_k_workspace(ex, {shader::sort_output::indices, sizeof(Key) / 4}, rows, n, k);
}

namespace detail {

template <class Key, class Out>
top_k_arguments first_of(shader::sort_output output, const buffer_span<const Key>& in,
                         const buffer_span<Out>& out, const workspace_span& workspace,
                         const top_k_options& options) {
    return ordered_arguments<top_k_arguments>(output, !options.smallest, in, out, workspace, options);
}

}  // namespace detail

// The commands for the first k. Makes the pipelines at the first call for a width of keys, which takes
// milliseconds, and descriptor sets; does nothing on the device.
template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_top_k(executor& ex, const buffer_span<In>& in,
                                     const std::type_identity_t<buffer_span<Key>>& out,
                                     const workspace_span& workspace, const top_k_options& options = {}) {
    return detail::prepare_top_k(
        ex, detail::first_of<Key>(shader::sort_output::keys, in, out, workspace, options));
}

template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_top_k_indices(executor& ex, const buffer_span<In>& in,
                                             const buffer_span<std::uint32_t>& out,
                                             const workspace_span& workspace,
                                             const top_k_options& options = {}) {
    return detail::prepare_top_k(
        ex, detail::first_of<Key>(shader::sort_output::indices, in, out, workspace, options));
}

// Of every row, one behind the other.
template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_top_k_rows(executor& ex, std::uint64_t rows, const buffer_span<In>& in,
                                          const std::type_identity_t<buffer_span<Key>>& out,
                                          const workspace_span& workspace,
                                          const top_k_options& options = {}) {
    detail::top_k_arguments given =
        detail::first_of<Key>(shader::sort_output::keys, in, out, workspace, options);
    given.rows = rows;
    return detail::prepare_top_k(ex, given);
}

template <class In, shader::word_key Key = std::remove_const_t<In>>
[[nodiscard]] commands prepare_top_k_row_indices(executor& ex, std::uint64_t rows, const buffer_span<In>& in,
                                                 const buffer_span<std::uint32_t>& out,
                                                 const workspace_span& workspace,
                                                 const top_k_options& options = {}) {
    detail::top_k_arguments given =
        detail::first_of<Key>(shader::sort_output::indices, in, out, workspace, options);
    given.rows = rows;
    return detail::prepare_top_k(ex, given);
}

template <class Keys, class Values, shader::word_key Key = std::remove_const_t<Keys>,
          record Value = std::remove_const_t<Values>>
[[nodiscard]] commands prepare_top_k_by_key(executor& ex, const buffer_span<Keys>& keys,
                                            const buffer_span<Values>& values,
                                            const std::type_identity_t<buffer_span<Key>>& keys_out,
                                            const std::type_identity_t<buffer_span<Value>>& values_out,
                                            const workspace_span& workspace,
                                            const top_k_options& options = {}) {
    return detail::prepare_top_k(
        ex, detail::with_values<Value>(detail::first_of<Key>(shader::sort_output::keys_with_values, keys,
                                                             keys_out, workspace, options),
                                       values, values_out));
}

}  // namespace upsweep::vulkan
