// The greatest elements in OpenGL buffer objects, or the smallest, without a sort of the others.
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
// Aliasing: outputs overlap neither inputs nor each other; nor `workspace` and `length` anything. Errors: as
// in scan.hpp; unsupported if an argument has more bytes than the device binds at once, of rows if one row
// has.
// Complexity: O(n) work for k <= 1024. Up to 1024 elements, or rows of so many, are read once; of more, a
// work group has a row and reads it two to four times where the highest bits tell most keys apart, at most
// once for each byte of a key and of an index and once more: one dispatch, and another for each 512 that k is
// above 1024. A sequence of more than 12288 elements, or of which more are wanted, is sorted up to 65536
// elements and where k is more than a sixth of n. Else it is read as often by all work groups, in some 10
// dispatches, or 14 for keys of 8 bytes, and k + max(4096, n / 128) of its elements at most are put in order,
// by one more or by a sort. Rows that are few, or longer than 262144 elements, are such sequences, one after
// the other. Scratch: 16 bytes a row, or what a sort of so many elements needs, these themselves, and n / 32
// words.
//
// Sources: Alabi, Blanchard, Gordon and Steinbach, Fast k-selection algorithms for graphics processing units,
// 2012 (radix selection); Shanbhag, Pirk and Madden, Efficient top-k query processing on GPUs, 2018 (merges
// that drop the rest); Batcher, Sorting networks and their applications, 1968; those of sort.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/gl/buffers.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::gl {

struct top_k_options {
    bool smallest = false;  // the smallest, ascending, in place of the greatest, descending
    // One word; if it is given, only the first min(n, that word) elements, or those of each row, are looked
    // at. Where they are fewer than k, nothing is written behind them.
    buffer_span<const std::uint32_t> length{};
    // At least top_k_workspace_bytes and so on, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

// What options.workspace must have for k of n elements, k <= n.
template <shader::word_key Key>
[[nodiscard]] std::uint64_t top_k_workspace_bytes(const executor& ex, std::uint64_t n, std::uint64_t k) {
    return ex.top_k_workspace_bytes({shader::sort_output::keys, sizeof(Key) / 4}, 1, n, k);
}
template <shader::word_key Key>
[[nodiscard]] std::uint64_t top_k_indices_workspace_bytes(const executor& ex, std::uint64_t n,
                                                          std::uint64_t k) {
    return ex.top_k_workspace_bytes({shader::sort_output::indices, sizeof(Key) / 4}, 1, n, k);
}
template <shader::word_key Key, record Value>
[[nodiscard]] std::uint64_t top_k_by_key_workspace_bytes(const executor& ex, std::uint64_t n,
                                                         std::uint64_t k) {
    return ex.top_k_workspace_bytes(
        {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4}, 1, n, k);
}

// And for k elements of each of so many rows of n.
template <shader::word_key Key>
[[nodiscard]] std::uint64_t top_k_rows_workspace_bytes(const executor& ex, std::uint64_t rows,
                                                       std::uint64_t n, std::uint64_t k) {
    return ex.top_k_workspace_bytes({shader::sort_output::keys, sizeof(Key) / 4}, rows, n, k);
}
template <shader::word_key Key>
[[nodiscard]] std::uint64_t top_k_row_indices_workspace_bytes(const executor& ex, std::uint64_t rows,
                                                              std::uint64_t n, std::uint64_t k) {
    return ex.top_k_workspace_bytes({shader::sort_output::indices, sizeof(Key) / 4}, rows, n, k);
}

namespace detail {

template <class Key>
top_k_call make_top_k(shader::sort_output output, buffer_span<const Key> keys, buffer_region out,
                      std::uint64_t wanted, const top_k_options& options) {
    top_k_call call;
    call.order = core::order_of<Key>(!options.smallest);
    call.shape.output = output;
    call.shape.key_words = sizeof(Key) / 4;
    call.in = keys.region();
    call.out = out;
    call.size = keys.size;
    call.wanted = wanted;
    call.length = options.length.region();
    call.workspace = options.workspace;
    return call;
}
// As many rows, of which keys and wanted are those of all.
inline top_k_call of_rows(std::uint64_t rows, top_k_call call) {
    const auto [length, wanted] = upsweep::detail::check_rows(rows, call.size, call.wanted);
    call.rows = rows;
    call.size = length;
    call.wanted = wanted;
    return call;
}

}  // namespace detail

// Compiles the programs of these calls for such keys now, for the greatest and the smallest and with any
// values, so that no later one waits for the driver's compiler. Keys of one width share theirs, and sorts of
// them have some of these.
template <shader::word_key Key>
void prepare_top_k(executor& ex) {
    ex.compile(detail::make_top_k<Key>(shader::sort_output::keys, {}, {}, 0, {}));
}

}  // namespace upsweep::gl

namespace upsweep {

template <class In, shader::word_key Key>
requires std::same_as<std::remove_const_t<In>, Key>
void top_k(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<Key> out,
           const gl::top_k_options& options = {}) {
    ex.run(gl::detail::make_top_k<Key>(shader::sort_output::keys, in, out.region(), out.size, options));
}

template <class In>
requires shader::word_key<std::remove_const_t<In>>
void top_k_indices(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> out,
                   const gl::top_k_options& options = {}) {
    ex.run(gl::detail::make_top_k<std::remove_const_t<In>>(shader::sort_output::indices, in, out.region(),
                                                           out.size, options));
}

template <class In, shader::word_key Key>
requires std::same_as<std::remove_const_t<In>, Key>
void top_k_rows(gl::executor& ex, std::uint64_t rows, gl::buffer_span<In> in, gl::buffer_span<Key> out,
                const gl::top_k_options& options = {}) {
    ex.run(gl::detail::of_rows(
        rows, gl::detail::make_top_k<Key>(shader::sort_output::keys, in, out.region(), out.size, options)));
}

template <class In>
requires shader::word_key<std::remove_const_t<In>>
void top_k_row_indices(gl::executor& ex, std::uint64_t rows, gl::buffer_span<In> in,
                       gl::buffer_span<std::uint32_t> out, const gl::top_k_options& options = {}) {
    ex.run(gl::detail::of_rows(rows, gl::detail::make_top_k<std::remove_const_t<In>>(
                                         shader::sort_output::indices, in, out.region(), out.size, options)));
}

template <class Keys, class Values, shader::word_key Key, gl::record Value>
requires std::same_as<std::remove_const_t<Keys>, Key> && std::same_as<std::remove_const_t<Values>, Value>
void top_k_by_key(gl::executor& ex, gl::buffer_span<Keys> keys, gl::buffer_span<Values> values,
                  gl::buffer_span<Key> keys_out, gl::buffer_span<Value> values_out,
                  const gl::top_k_options& options = {}) {
    static_assert(sizeof(Value) / 4 <= std::numeric_limits<std::uint32_t>::max());
    gl::top_k_call call = gl::detail::make_top_k<Key>(shader::sort_output::keys_with_values, keys,
                                                      keys_out.region(), keys_out.size, options);
    call.shape.value_words = static_cast<std::uint32_t>(sizeof(Value) / 4);
    call.values = values.region();
    call.values_out = values_out.region();
    ex.run(call);
}

}  // namespace upsweep
