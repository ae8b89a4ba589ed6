// Stable sorting of one sequence that lies on many ranks: sort, sort_indices, sort_by_key and sort_by, with
// an mpi::executor.
//
// Formula: those of upsweep/sort.hpp over all ranks' elements, in its order of keys: -0 and +0 are equal,
// NaNs greater than everything else. The result is cut as the input is: a rank's out has as many elements as
// its in, so that the ranks' `out` one after the other have the bits of the CPU's sort of the ranks' `in` one
// after the other. Indices are of the whole. Results do not depend on how elements are distributed.
// Shapes, aliasing: as there, for each rank's arrays, which may be empty. Values and elements are trivially
// copyable, because ranks exchange their bytes.
// Errors: every rank throws upsweep::error, with nothing written, if one refuses its arguments or lacks
// memory, and if key or an element's assignment throws on one; key may be called from several threads, once
// for an element. The order is the same on every rank.
// Complexity: a sort of the rank's n elements; ceil(log2 r) merges of them for the r ranks that it gets
// elements from; each element is sent at most once. Scratch: that of the CPU's sort of n elements; n
// elements, or keys and values; for sort_by and sort_indices n keys more. Messages: docs/mpi.md;
// mpi/splits.hpp and mpi/redistribute.hpp have what they consist of. Source: Cheng, Shah, Gilbert and
// Edelman, "A novel parallel sorting algorithm for contemporary architectures", 2007 (sort, exact splitting,
// one exchange, merge); those headers and mpi/merge.hpp have more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/merge.hpp"
#include "upsweep/mpi/redistribute.hpp"
#include "upsweep/mpi/scratch.hpp"
#include "upsweep/mpi/splits.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace mpi {

// Two sorts with equal words are by keys of one kind and move values of one size.
template <class Key, class Value>
std::uint64_t sort_operation(bool descending) {
    constexpr std::uint64_t most_told = 0xffffffff;
    const core::key_order order = core::order_of<Key>(descending);
    return operation_of(collective::sort, (sizeof(Value) & most_told) << 8 | order.bytes << 4 |
                                              std::uint64_t{order.is_signed} << 2 |
                                              std::uint64_t{order.is_floating} << 1 |
                                              std::uint64_t{descending});
}

// The rank's part, of which each rank has sent a run, in order.
void merge_what_came(const executor& ex, const redistribution& ways, runs& sorted,
                     const core::key_order& order, const runs::array& keys, const runs::array* values);

// Keys alone. `check` throws what is wrong with the arguments.
template <class Key, class Check>
void sort_keys(executor& ex, const Key* in, std::size_t n, Key* out, const sort_options& options,
               const Check& check) {
    const std::uint64_t operation = sort_operation<Key, Key>(options.descending);
    (void)agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    if (ex.size() == 1) return upsweep::sort(ex.local(), std::span(in, n), std::span(out, n), options);
    const core::key_order order = core::order_of<Key>(options.descending);
    std::optional<redistribution> ways;
    std::optional<exact_splits> splits;
    std::optional<runs> sorted;
    std::optional<scratch<Key>> held;
    const auto trouble = refusal_of([&] {
        ways.emplace(ex);
        splits.emplace(ex);
        sorted.emplace(static_cast<std::size_t>(ex.size()));
        held.emplace(n);
        upsweep::sort(ex.local(), std::span(in, n), held->span(), options);
    });
    (void)agree(ex, {.count = n, .operation = operation, .refusal = trouble});
    ways->cut(n);
    splits->find(order, held->data(), n, ways->cuts());
    ways->plan(splits->own(), sizeof(Key));
    ways->move(held->data(), out, sizeof(Key));
    const runs::array keys{out, held->data(), sizeof(Key)};
    merge_what_came(ex, *ways, *sorted, order, keys, nullptr);
}

// Keys with values. sort(all, keys, values) sorts the rank's own to there. keys_out may be null.
template <class Key, class Value, class Check, class Sort>
void sort_records(executor& ex, std::size_t n, Key* keys_out, Value* values_out, const sort_options& options,
                  const Check& check, const Sort& sort) {
    const std::uint64_t operation = sort_operation<Key, Value>(options.descending);
    const agreement all = agree(ex, {.count = n, .operation = operation, .refusal = refusal_of(check)});
    const core::key_order order = core::order_of<Key>(options.descending);
    std::optional<redistribution> ways;
    std::optional<exact_splits> splits;
    std::optional<runs> sorted;
    std::optional<scratch<Key>> keys, keys_came;
    std::optional<scratch<Value>> values;
    const auto trouble = refusal_of([&] {
        ways.emplace(ex);
        splits.emplace(ex);
        sorted.emplace(static_cast<std::size_t>(ex.size()));
        keys.emplace(n);
        values.emplace(n);
        keys_came.emplace(keys_out == nullptr ? n : 0);
        sort(all, keys->span(), values->span());
    });
    (void)agree(ex, {.count = n, .operation = operation, .refusal = trouble});
    ways->cut(n);
    splits->find(order, keys->data(), n, ways->cuts());
    ways->plan(splits->own(), std::max(sizeof(Key), sizeof(Value)));
    Key* const came = keys_out == nullptr ? keys_came->data() : keys_out;
    ways->move(keys->data(), came, sizeof(Key));
    ways->move(values->data(), values_out, sizeof(Value));
    const runs::array all_keys{came, keys->data(), sizeof(Key)};
    const runs::array all_values{values_out, values->data(), sizeof(Value)};
    merge_what_came(ex, *ways, *sorted, order, all_keys, &all_values);
}

}  // namespace mpi

template <key_range In, sorted_range<In> Out>
void sort(mpi::executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    const std::size_t n = std::ranges::size(in);
    mpi::sort_keys(ex, std::ranges::data(in), n, std::ranges::data(out), options, [&] {
        detail::check_as_many("out", std::ranges::size(out), "in", n);
        detail::check_same_or_disjoint("out", std::ranges::data(out), "in", std::ranges::data(in),
                                       n * sizeof(std::ranges::range_value_t<In>));
    });
}

template <key_range In, index_range Out>
void sort_indices(mpi::executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(in);
    const key* const from = std::ranges::data(in);
    key* const no_keys = nullptr;
    mpi::sort_records(
        ex, n, no_keys, std::ranges::data(out), options,
        [&] {
            detail::check_as_many("out", std::ranges::size(out), "in", n);
            detail::check_apart("in", from, n * sizeof(key), std::ranges::data(out), n * sizeof(index));
        },
        [&](const mpi::agreement& all, std::span<key> keys, std::span<index> indices) {
            detail::check_indices<index>(all.count);
            const auto put = [&](std::size_t i, key k, std::uint64_t at) {
                keys[i] = k;
                indices[i] = static_cast<index>(all.first + at);
            };
            detail::sort_with_indices<key>(
                {ex.local(), options.descending}, n, [from](std::size_t i) { return from[i]; }, put);
        });
}

template <key_range Keys, input_range Values, sorted_range<Keys> KeysOut, sorted_range<Values> ValuesOut>
void sort_by_key(mpi::executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                 ValuesOut&& values_out, const sort_options& options = {}) {
    using key = std::ranges::range_value_t<Keys>;
    using value = std::ranges::range_value_t<Values>;
    mpi::sort_records(
        ex, std::ranges::size(keys), std::ranges::data(keys_out), std::ranges::data(values_out), options,
        [&] { detail::check_sort_by_key(keys, values, keys_out, values_out); },
        [&](const mpi::agreement&, std::span<key> keys_held, std::span<value> values_held) {
            sort_by_key(ex.local(), keys, values, keys_held, values_held, options);
        });
}

template <input_range In, sorted_range<In> Out, key_function<In> F>
void sort_by(mpi::executor& ex, const In& in, Out&& out, const F& key, const sort_options& options = {}) {
    using element = std::ranges::range_value_t<In>;
    using number = std::remove_cvref_t<std::invoke_result_t<const F&, const element&>>;
    const std::size_t n = std::ranges::size(in);
    const element* const from = std::ranges::data(in);
    number* const no_keys = nullptr;
    mpi::sort_records(
        ex, n, no_keys, std::ranges::data(out), options,
        [&] {
            detail::check_as_many("out", std::ranges::size(out), "in", n);
            detail::check_same_or_disjoint("out", std::ranges::data(out), "in", from, n * sizeof(element));
        },
        [&](const mpi::agreement&, std::span<number> keys, std::span<element> elements) {
            const auto key_at = [&](std::size_t i) -> number { return std::invoke(key, from[i]); };
            const auto put = [&](std::size_t i, number k, std::uint64_t at) {
                keys[i] = k;
                elements[i] = from[at];
            };
            detail::sort_with_indices<number>({ex.local(), options.descending}, n, key_at, put);
        });
}

}  // namespace upsweep
