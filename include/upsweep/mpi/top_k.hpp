// The greatest elements, or the smallest, of one sequence that lies on many ranks: top_k, top_k_indices and
// top_k_by_key, with an mpi::executor.
//
// Formula: those of upsweep/top_k.hpp over the ranks' `in` one after the other, in the order of ranks: of
// equal elements the first comes first. Every rank's out has as many elements, k, and gets the same: the
// first k of all. Indices are of the whole. Results do not depend on how elements are distributed. Shapes: as
// there; in of a rank may be empty and may differ in size from rank to rank; k is at most the number of
// elements of all ranks. Values are trivially copyable, because ranks exchange their bytes. Aliasing: as
// there. Errors: every rank throws upsweep::error, with nothing written, if one refuses its arguments or
// lacks memory, or if ranks differ in k or in options. Complexity: top_k of the rank's n elements, and
// ceil(log2 ranks) selections of k of 2 k; as many messages of up to k elements, two small collectives, and a
// broadcast of k elements. Scratch: that of the CPU's, and three times k elements, or keys and values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/mpi/agreement.hpp"
#include "upsweep/mpi/executor.hpp"
#include "upsweep/mpi/failure.hpp"
#include "upsweep/mpi/scratch.hpp"
#include "upsweep/mpi/sort.hpp"
#include "upsweep/top_k.hpp"

namespace upsweep {
namespace mpi {

// The first k keys of an order on a rank, with so many bytes that go along with each, and then those of all.
class first_of_ranks {
  public:
    // Throws upsweep::error if there is no room.
    first_of_ranks(std::size_t k, std::size_t key_bytes, std::size_t value_bytes);

    [[nodiscard]] std::byte* keys() const { return keys_.data(); }
    [[nodiscard]] std::byte* values() const { return values_.data(); }
    // Collective: where `count` keys of each rank were, in order, are then the first k of all, on every rank.
    // Between ranks of a tree the first of two go on. Throws if anything fails on one.
    void exchange(const executor& ex, const core::key_order& order, std::size_t count);

  private:
    void take_first(const executor& ex, const core::key_order& order, std::size_t count);

    std::size_t k_, key_bytes_, value_bytes_;
    memory_block keys_, values_;              // of 2 k
    memory_block first_keys_, first_values_;  // of k
    scratch<std::size_t> places_;
};

// `check` throws what is wrong with the arguments; fill(all, places, values) stores what goes along with the
// rank's own keys at `places`. `keys_out` may be null, and `values_out` for no values.
template <class Key, class Value, class Check, class Fill>
void top_k_of_ranks(executor& ex, std::span<const Key> keys, std::size_t k, Key* keys_out, Value* values_out,
                    const top_k_options& options, const Check& check, const Fill& fill) {
    constexpr std::uint64_t most_told = (std::uint64_t{1} << 56) - 1;
    const agreement all = agree(ex, {.count = keys.size(),
                                     .operation = operation_of(collective::top_k, k & most_told),
                                     .refusal = refusal_of(check)});
    upsweep::detail::check_at_most("out", k, "all ranks have", all.count);
    const core::key_order order = core::order_of<Key>(!options.smallest);
    const std::size_t own = std::min(k, keys.size());
    std::optional<first_of_ranks> first;
    const auto trouble = refusal_of([&] {
        first.emplace(k, sizeof(Key), values_out == nullptr ? 0 : sizeof(Value));
        const auto places = upsweep::detail::first_places(ex.local(), keys.data(), keys.size(), own, options);
        auto* const to = reinterpret_cast<Key*>(first->keys());
        std::ranges::transform(places, to, [&](std::size_t place) { return keys[place]; });
        if (values_out != nullptr) fill(all, places, reinterpret_cast<Value*>(first->values()));
    });
    (void)agree(ex, {.count = keys.size(),
                     .operation = sort_operation<Key, Value>(order.descending),
                     .refusal = trouble});
    if (k == 0) return;
    first->exchange(ex, order, own);
    if (keys_out != nullptr) std::memcpy(keys_out, first->keys(), k * sizeof(Key));
    if (values_out != nullptr)
        std::memcpy(static_cast<void*>(values_out), first->values(), k * sizeof(Value));
}

}  // namespace mpi

template <key_range In, sorted_range<In> Out>
void top_k(mpi::executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    key* const no_values = nullptr;
    mpi::top_k_of_ranks<key>(
        ex, {std::ranges::data(in), std::ranges::size(in)}, std::ranges::size(out), std::ranges::data(out),
        no_values, options,
        [&] { detail::check_disjoint(detail::named("out", out), detail::named("in", in)); },
        [](const mpi::agreement&, const auto&, key*) {});
}

template <key_range In, index_range Out>
void top_k_indices(mpi::executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    key* const no_keys = nullptr;
    mpi::top_k_of_ranks<key>(
        ex, {std::ranges::data(in), std::ranges::size(in)}, std::ranges::size(out), no_keys,
        std::ranges::data(out), options,
        [&] { detail::check_disjoint(detail::named("out", out), detail::named("in", in)); },
        [](const mpi::agreement& all, const auto& places, index* indices) {
            detail::check_indices<index>(all.count);
            std::ranges::transform(places, indices,
                                   [&](std::size_t place) { return static_cast<index>(all.first + place); });
        });
}

template <key_range Keys, input_range Values, sorted_range<Keys> KeysOut, sorted_range<Values> ValuesOut>
void top_k_by_key(mpi::executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                  ValuesOut&& values_out, const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<Keys>;
    using value = std::ranges::range_value_t<Values>;
    static_assert(std::is_trivially_copyable_v<value>,
                  "values: expected a trivially copyable type, because ranks exchange their bytes");
    mpi::top_k_of_ranks<key>(
        ex, {std::ranges::data(keys), std::ranges::size(keys)}, std::ranges::size(keys_out),
        std::ranges::data(keys_out), std::ranges::data(values_out), options,
        [&] { detail::check_top_k_arrays(keys, values, keys_out, values_out); },
        [in = std::ranges::data(values)](const mpi::agreement&, const auto& places, value* to) {
            std::ranges::transform(places, to, [=](std::size_t place) { return in[place]; });
        });
}

}  // namespace upsweep
