// The first elements of a sorted order in CUDA device memory, without sorting the others.
//
//     top_k:             out = the k greatest elements of in, greatest first, where out has k elements
//     top_k_indices:     out = the indices of these elements in in
//     top_k_by_key:      keys_out = the k greatest keys; values_out = the value of each
//     top_k_rows:        the same as top_k of each of `rows` rows that lie one behind the other
//     top_k_row_indices: the indices of these elements within their rows
//
// With {.smallest = true} the k smallest, smallest first. They are the first k of what upsweep::sort gives
// (upsweep/cuda/sort.cuh), {.descending = !smallest}, in every bit: of equal elements the one with the lower
// index is first, -0 and +0 are equal, a NaN is greater than everything else and equal to every NaN, so that
// NaNs are first among the greatest. Results are functions of the input alone.
//
// Shapes: device spans, of n >= 0 elements in and 0 <= k <= n out, where keys and values are as many; of
// rows, in has rows * n and out rows * k. Elements and keys are integers of up to 64 bits, bool and
// characters, or floating-point numbers of 16, 32 and 64 bits; values any trivially copyable type; indices
// integers in which n - 1 fits. The calls return when the work is in the executor's stream. Aliasing: outputs
// are disjoint from inputs and from each other. Errors: upsweep::error names the argument; nothing has been
// enqueued then, but for scratch that is not to be had.
//
// Complexity: one read of the input, very probably; whatever the input, one for every 11 bits of a key and of
// an index at most, and one more. Then O(k log k), and a sort of everything where k is more than a quarter of
// n, of keys alone a sixth. Rows take a lane, a warp or a block each where they are short or many, else all
// blocks, up to 16 at a time; where k is more than a block holds, rows of up to 2^18 elements are sorted.
// Scratch in the executor: top_k_workspace_bytes(), top_k_rows_workspace_bytes().
//
// Sources: Floyd and Rivest, "Expected time bounds for selection", 1975 (the bound from a sample); Alabi,
// Blanchard, Gordon and Steinbach, "Fast k-selection algorithms for graphics processing units", 2012 (radix
// selection); Batcher, "Sorting networks and their applications", 1968; those of sort.cuh.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/checked_array.hpp"
#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"
#include "upsweep/cuda/launch_state.hpp"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/cuda/top_k_records.hpp"

namespace upsweep {
namespace cuda {

struct top_k_options {
    bool smallest = false;
};

namespace detail {

// What a call selects of the rows of its input, when its arrays are checked.
template <class In, class Out>
top_k_records selected_of_rows(executor& ex, std::uint64_t rows, device_span<In> in, device_span<Out> out) {
    const checked_array source = checked_array::of("in", in), target = checked_array::of("out", out);
    const auto [length, k] = upsweep::detail::check_rows(rows, in.size(), out.size());
    top_k_records all;
    all.rows = rows;
    all.length = length;
    all.k = k;
    source.check(ex);
    target.check(ex);
    sort_checks::apart(target, source);
    all.keys = in.data();
    return all;
}
template <class In, class Out>
top_k_records selected_of_sequence(executor& ex, device_span<In> in, device_span<Out> out) {
    upsweep::detail::check_at_most("out", out.size(), "in", in.size());
    return selected_of_rows(ex, 1, in, out);
}
template <class Out>
void add_indices(top_k_records& all, device_span<Out> out) {
    upsweep::detail::check_indices<Out>(all.length);
    all.values_out = out.data();
    all.value_bytes = sizeof(Out);
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
top_k_records selected_by_key(executor& ex, device_span<Keys> keys, device_span<Values> values,
                              device_span<KeysOut> keys_out, device_span<ValuesOut> values_out) {
    const checked_array from = checked_array::of("keys", keys), in = checked_array::of("values", values),
                        to = checked_array::of("keys_out", keys_out),
                        out = checked_array::of("values_out", values_out);
    upsweep::detail::check_as_many(in.name, in.size, from.name, from.size);
    upsweep::detail::check_at_most(to.name, to.size, from.name, from.size);
    upsweep::detail::check_as_many(out.name, out.size, to.name, to.size);
    for (const checked_array& array : {from, in, to, out}) array.check(ex);
    for (const checked_array& array : {from, in}) {
        sort_checks::apart(to, array);
        sort_checks::apart(out, array);
    }
    sort_checks::apart(out, to);
    top_k_records all;
    all.length = keys.size();
    all.k = keys_out.size();
    all.keys = keys.data();
    all.keys_out = keys_out.data();
    all.values = values.data();
    all.values_out = values_out.data();
    all.value_bytes = sizeof(ValuesOut);
    return all;
}

template <class Key>
void enqueue_top_k(executor& ex, const top_k_options& options, const top_k_records& all) {
    const device_scope current(ex);
    ex.check_before_launch();
    select_top(ex, core::order_of<Key>(!options.smallest), all);
}

}  // namespace detail

// Bytes of scratch that a selection of up to k of up to n elements needs on the executor's device; never
// decreases with either. For executors that use the caller's memory. `Value` is what goes with the keys, or
// the type of indices, on which it does not depend.
template <sort_key Key, class Value = void>
[[nodiscard]] std::size_t top_k_workspace_bytes(const executor&, std::uint64_t n, std::uint64_t k) {
    return launch_state_bytes + top_k_scratch_bytes(1, n, k, sizeof(Key));
}
// The same of up to so many rows, of up to `length` elements each.
template <sort_key Key>
[[nodiscard]] std::size_t top_k_rows_workspace_bytes(const executor&, std::uint64_t rows,
                                                     std::uint64_t length, std::uint64_t k) {
    return launch_state_bytes + top_k_scratch_bytes(rows, length, k, sizeof(Key));
}

}  // namespace cuda

template <class In, class Out>
requires sort_key<std::remove_const_t<In>> && std::same_as<std::remove_const_t<In>, Out>
void top_k(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out,
           const cuda::top_k_options& options = {}) {
    cuda::top_k_records all = cuda::detail::selected_of_sequence(ex, in, out);
    all.keys_out = out.data();
    cuda::detail::enqueue_top_k<Out>(ex, options, all);
}

template <class In, cuda::index_element Out>
requires sort_key<std::remove_const_t<In>>
void top_k_indices(cuda::executor& ex, cuda::device_span<In> in, cuda::device_span<Out> out,
                   const cuda::top_k_options& options = {}) {
    cuda::top_k_records all = cuda::detail::selected_of_sequence(ex, in, out);
    cuda::detail::add_indices(all, out);
    cuda::detail::enqueue_top_k<std::remove_const_t<In>>(ex, options, all);
}

template <class Keys, class Values, class KeysOut, class ValuesOut>
requires sort_key<std::remove_const_t<Keys>> && std::same_as<std::remove_const_t<Keys>, KeysOut> &&
    std::same_as<std::remove_const_t<Values>, ValuesOut>
void top_k_by_key(cuda::executor& ex, cuda::device_span<Keys> keys, cuda::device_span<Values> values,
                  cuda::device_span<KeysOut> keys_out, cuda::device_span<ValuesOut> values_out,
                  const cuda::top_k_options& options = {}) {
    cuda::detail::enqueue_top_k<KeysOut>(
        ex, options, cuda::detail::selected_by_key(ex, keys, values, keys_out, values_out));
}

template <class In, class Out>
requires sort_key<std::remove_const_t<In>> && std::same_as<std::remove_const_t<In>, Out>
void top_k_rows(cuda::executor& ex, std::uint64_t rows, cuda::device_span<In> in, cuda::device_span<Out> out,
                const cuda::top_k_options& options = {}) {
    cuda::top_k_records all = cuda::detail::selected_of_rows(ex, rows, in, out);
    all.keys_out = out.data();
    cuda::detail::enqueue_top_k<Out>(ex, options, all);
}

template <class In, cuda::index_element Out>
requires sort_key<std::remove_const_t<In>>
void top_k_row_indices(cuda::executor& ex, std::uint64_t rows, cuda::device_span<In> in,
                       cuda::device_span<Out> out, const cuda::top_k_options& options = {}) {
    cuda::top_k_records all = cuda::detail::selected_of_rows(ex, rows, in, out);
    cuda::detail::add_indices(all, out);
    cuda::detail::enqueue_top_k<std::remove_const_t<In>>(ex, options, all);
}

}  // namespace upsweep
