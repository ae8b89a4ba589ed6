// Stable sorting on OpenGL buffer objects.
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
// values_out values (same buffer and offset); any other overlap is an error, with `length` and `workspace`
// too. Errors: as in scan.hpp; unsupported if an argument has more bytes than the device binds at once.
// Complexity of more than executor_options::merged_keys keys: O(n) work; for each byte of a key, keys are
// read twice and written once, with values of one word, or indices in place of wider ones; wider values are
// moved once. Scratch: n keys, and about n / 16 words of counts; n more words for values; 2 n for wider ones,
// and n values where those are sorted in place; another n keys and n words for sort_indices. Fewer keys are
// merged, as one segment of segmented_sort.hpp is: O(n log n), in its scratch. Sources: Satish, Harris and
// Garland, Designing efficient sorting algorithms for manycore GPUs, 2009; Ashkiani, Davidson, Meyer and
// Owens, GPU multisplit, 2016, for ranks from bits.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/core/key_order.hpp"
#include "upsweep/gl/buffers.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::gl {

struct sort_options {
    bool descending = false;
    // One word; if it is given, only the first min(n, that word) elements are sorted, and nothing is written
    // behind them.
    buffer_span<const std::uint32_t> length{};
    // At least sort_workspace_bytes and so on, used instead of the executor's own; unspecified afterwards.
    buffer_region workspace{};
};

// What options.workspace must have for up to n keys; it never decreases with n.
template <shader::word_key Key>
[[nodiscard]] std::uint64_t sort_workspace_bytes(const executor& ex, std::uint64_t n) {
    return ex.sort_workspace_bytes({shader::sort_output::keys, sizeof(Key) / 4}, n);
}
template <shader::word_key Key>
[[nodiscard]] std::uint64_t sort_indices_workspace_bytes(const executor& ex, std::uint64_t n) {
    return ex.sort_workspace_bytes({shader::sort_output::indices, sizeof(Key) / 4}, n);
}
// in_place: values_out is values.
template <shader::word_key Key, record Value>
[[nodiscard]] std::uint64_t sort_by_key_workspace_bytes(const executor& ex, std::uint64_t n,
                                                        bool in_place = false) {
    return ex.sort_workspace_bytes(
        {shader::sort_output::keys_with_values, sizeof(Key) / 4, sizeof(Value) / 4, in_place}, n);
}

namespace detail {

template <class Key>
sort_call make_sort(shader::sort_output output, buffer_span<const Key> keys, buffer_region out,
                    const sort_options& options) {
    sort_call call;
    call.order = core::order_of<Key>(options.descending);
    call.shape.output = output;
    call.shape.key_words = sizeof(Key) / 4;
    call.in = keys.region();
    call.out = out;
    call.size = keys.size;
    call.length = options.length.region();
    call.workspace = options.workspace;
    return call;
}
template <class Key, class Value>
sort_call make_sort_by_key(buffer_span<const Key> keys, buffer_span<const Value> values,
                           buffer_span<Key> keys_out, buffer_span<Value> values_out,
                           const sort_options& options) {
    static_assert(sizeof(Value) / 4 <= std::numeric_limits<std::uint32_t>::max());
    sort_call call = make_sort<Key>(shader::sort_output::keys_with_values, keys, keys_out.region(), options);
    call.shape.value_words = static_cast<std::uint32_t>(sizeof(Value) / 4);
    call.values = values.region();
    call.values_out = values_out.region();
    return call;
}

}  // namespace detail

// Compiles the programs of sorts of such keys now, in any direction and with any values, so that no later one
// waits for the driver's compiler. Keys of one width share theirs.
template <shader::word_key Key>
void prepare_sort(executor& ex) {
    ex.compile(detail::make_sort<Key>(shader::sort_output::keys, {}, {}, {}));
}

}  // namespace upsweep::gl

namespace upsweep {

template <class In, shader::word_key Key>
requires std::same_as<std::remove_const_t<In>, Key>
void sort(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<Key> out,
          const gl::sort_options& options = {}) {
    ex.run(gl::detail::make_sort<Key>(shader::sort_output::keys, in, out.region(), options));
}

template <class In>
requires shader::word_key<std::remove_const_t<In>>
void sort_indices(gl::executor& ex, gl::buffer_span<In> in, gl::buffer_span<std::uint32_t> out,
                  const gl::sort_options& options = {}) {
    ex.run(gl::detail::make_sort<std::remove_const_t<In>>(shader::sort_output::indices, in, out.region(),
                                                          options));
}

template <class Keys, class Values, shader::word_key Key, gl::record Value>
requires std::same_as<std::remove_const_t<Keys>, Key> && std::same_as<std::remove_const_t<Values>, Value>
void sort_by_key(gl::executor& ex, gl::buffer_span<Keys> keys, gl::buffer_span<Values> values,
                 gl::buffer_span<Key> keys_out, gl::buffer_span<Value> values_out,
                 const gl::sort_options& options = {}) {
    ex.run(gl::detail::make_sort_by_key<Key, Value>(keys, values, keys_out, values_out, options));
}

}  // namespace upsweep
