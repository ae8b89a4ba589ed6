// The greatest elements, or the smallest.
//
//     top_k:              out = the out.size() greatest elements of in, the greatest first
//     top_k_indices:      out = the indices of these elements in in, in the same order
//     top_k_by_key:       keys_out = the greatest keys; values_out = the value of each
//     top_k_rows:         out = the out.size() / rows greatest elements of every row of in
//     top_k_row_indices:  out = their indices in the row
//
// With {.smallest = true} they are the smallest, the smallest first. With k = out.size() they are what the
// first k elements of a sort are (upsweep/sort.hpp, descending or not), in every bit: of equal elements the
// one that comes first in `in` comes first; -0 and +0 are equal; a NaN is greater than everything else and
// equal to every NaN.
//
// Shapes: contiguous ranges; in has n >= 0 elements, of which k <= n are wanted; rows lie one behind the
// other, and all have as many elements: in rows * n, out rows * k. Keys are integers of up to 64 bits, bool
// and characters, or floating-point numbers of 16, 32 and 64 bits; values any copyable type; indices
// integers in which n - 1 fits.
// Bits: the same for any number of threads and every instruction set.
// Aliasing: outputs overlap neither inputs nor each other.
// Errors: upsweep::error names the argument; nothing has been written then, nor, but for rows, if there is
// no room for scratch.
// Complexity: one read of the input, and a sort of little more than k elements; of a large part of n
// elements a sort of all.
// Scratch: heap for 2 k + 1024 indices of 4 bytes a stretch of the input, of which each thread has four,
// but no more than n; 8 bytes for each that is kept; and for a sort of so many.
// Sources: Floyd and Rivest, "Expected time bounds for selection", 1975 (a bound by a sample); Hoare,
// "Algorithm 65: find", 1961; sort.hpp has those of sorting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "upsweep/compact.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cpu/axis.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/tasks.hpp"
#include "upsweep/cpu/top_k.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/segments.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {

// Which elements a call gives.
struct top_k_options {
    bool smallest = false;  // the smallest, ascending, in place of the greatest, descending
};

namespace detail {

template <class Index>
Index index_of(std::size_t place) {
    return static_cast<Index>(place);
}
// Where the first k of n keys are, in order.
template <class Key>
std::vector<std::size_t> first_places(cpu::executor& ex, const Key* keys, std::size_t n, std::size_t k,
                                      const top_k_options& options) {
    std::vector<std::size_t> places;
    try {
        places.resize(k);
    } catch (const std::exception&) {
        throw_error(errc::out_of_memory, "top_k: there is no memory for " + std::to_string(k) + " indices");
    }
    cpu::run_top_k_places(ex, core::order_of<Key>(!options.smallest), keys, n, places.data(), k);
    return places;
}

// Rows of n keys each, of which the first k are wanted.
template <class Key>
class rows_to_choose {
  public:
    rows_to_choose(const Key* in, std::size_t n, std::size_t k, bool descending)
        : in_(in), n_(n), k_(k), descending_(descending) {}

    // store(executor, first, count) of some rows at a time, on one thread each, or of each row on all.
    template <class Store>
    void choose(cpu::executor& ex, std::size_t rows, const Store& store) const {
        if (rows * k_ == 0) return;
        const std::size_t bytes = n_ * sizeof(Key);
        if (!are_sorted() && rows < cpu::enough_sequences(ex)) {
            for (std::size_t row = 0; row < rows; ++row) store(ex, row, std::size_t{1});
            return;
        }
        cpu::executor alone = ex.alone();
        const std::size_t together = std::max<std::size_t>(1, bytes_together / bytes);
        const std::size_t tasks = (rows - 1) / together + 1;
        const std::size_t helpers =
            std::min(ex.helpers_for(rows * bytes * cpu::tuning::top_k_cost) + 1, tasks) - 1;
        cpu::for_each_task(ex, helpers, tasks, [&](std::size_t task) {
            const std::size_t first = task * together;
            store(alone, first, std::min(together, rows - first));
        });
    }

    void store_keys(cpu::executor& ex, std::size_t first, std::size_t count, Key* out) const {
        const Key* const from = in_ + first * n_;
        Key* const to = out + first * k_;
        if (!are_sorted()) {
            for (std::size_t row = 0; row < count; ++row)
                cpu::run_top_k(ex, core::order_of<Key>(descending_), from + row * n_, n_, to + row * k_, k_);
            return;
        }
        const auto sorted = std::make_unique_for_overwrite<Key[]>(count * n_);
        segmented_sort(ex, by_offsets(offsets(count)), std::span(from, count * n_),
                       std::span(sorted.get(), count * n_), {.descending = descending_});
        for (std::size_t row = 0; row < count; ++row) std::copy_n(sorted.get() + row * n_, k_, to + row * k_);
    }
    template <class Index>
    void store_indices(cpu::executor& ex, std::size_t first, std::size_t count, Index* out) const {
        const Key* const from = in_ + first * n_;
        Index* const to = out + first * k_;
        if (!are_sorted()) {
            std::vector<std::size_t> places(k_);
            for (std::size_t row = 0; row < count; ++row) {
                cpu::run_top_k_places(ex, core::order_of<Key>(descending_), from + row * n_, n_,
                                      places.data(), k_);
                std::ranges::transform(places, to + row * k_, &index_of<Index>);
            }
            return;
        }
        const auto sorted = std::make_unique_for_overwrite<std::uint32_t[]>(count * n_);
        segmented_sort_indices(ex, by_offsets(offsets(count)), std::span(from, count * n_),
                               std::span(sorted.get(), count * n_), {.descending = descending_});
        for (std::size_t row = 0; row < count; ++row)
            std::transform(sorted.get() + row * n_, sorted.get() + row * n_ + k_, to + row * k_,
                           [&](std::uint32_t place) { return index_of<Index>(place - row * n_); });
    }

  private:
    static constexpr std::size_t bytes_together = std::size_t{64} << 10;

    // Short ones of which more than a few keys are wanted, as segments.
    [[nodiscard]] bool are_sorted() const { return n_ <= 256 && k_ > cpu::few_of_top; }
    [[nodiscard]] std::vector<std::size_t> offsets(std::size_t count) const {
        std::vector<std::size_t> made(count + 1);
        for (std::size_t row = 0; row <= count; ++row) made[row] = row * n_;
        return made;
    }

    const Key* in_;
    std::size_t n_, k_;
    bool descending_;
};

// The arrays of top_k_by_key; where ranks have the keys, one alone may have fewer than are wanted.
template <class Keys, class Values, class KeysOut, class ValuesOut>
void check_top_k_arrays(const Keys& keys, const Values& values, const KeysOut& keys_out,
                        const ValuesOut& values_out) {
    const named_array from = named("keys", keys), in = named("values", values),
                      to = named("keys_out", keys_out), out = named("values_out", values_out);
    check_as_many("values", std::ranges::size(values), "keys", std::ranges::size(keys));
    check_as_many("values_out", std::ranges::size(values_out), "keys_out", std::ranges::size(keys_out));
    for (const named_array& input : {from, in}) {
        check_disjoint(to, input);
        check_disjoint(out, input);
    }
    check_disjoint(out, to);
}

}  // namespace detail

// out = the out.size() greatest elements of in, in order.
template <key_range In, sorted_range<In> Out>
void top_k(cpu::executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    const std::size_t n = std::ranges::size(in), k = std::ranges::size(out);
    detail::check_at_most("out", k, "in", n);
    detail::check_disjoint(detail::named("out", out), detail::named("in", in));
    cpu::run_top_k(ex, core::order_of<key>(!options.smallest), std::ranges::data(in), n,
                   std::ranges::data(out), k);
}

// out = the indices of the out.size() greatest elements of in, in the order of these.
template <key_range In, index_range Out>
void top_k_indices(cpu::executor& ex, const In& in, Out&& out, const top_k_options& options = {}) {
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(in), k = std::ranges::size(out);
    detail::check_at_most("out", k, "in", n);
    detail::check_indices<index>(n);
    detail::check_disjoint(detail::named("out", out), detail::named("in", in));
    const auto places = detail::first_places(ex, std::ranges::data(in), n, k, options);
    std::ranges::transform(places, std::ranges::data(out), &detail::index_of<index>);
}

// keys_out = the keys_out.size() greatest keys, in order; values_out = the value of each.
template <key_range Keys, input_range Values, sorted_range<Keys> KeysOut, sorted_range<Values> ValuesOut>
void top_k_by_key(cpu::executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                  ValuesOut&& values_out, const top_k_options& options = {}) {
    detail::check_at_most("keys_out", std::ranges::size(keys_out), "keys", std::ranges::size(keys));
    detail::check_top_k_arrays(keys, values, keys_out, values_out);
    const auto* const from = std::ranges::data(keys);
    const auto* const in = std::ranges::data(values);
    const auto places =
        detail::first_places(ex, from, std::ranges::size(keys), std::ranges::size(keys_out), options);
    std::ranges::transform(places, std::ranges::data(keys_out),
                           [=](std::size_t place) { return from[place]; });
    std::ranges::transform(places, std::ranges::data(values_out),
                           [=](std::size_t place) { return in[place]; });
}

// out = the out.size() / rows greatest elements of every row of in, one row behind the other.
template <key_range In, sorted_range<In> Out>
void top_k_rows(cpu::executor& ex, std::size_t rows, const In& in, Out&& out,
                const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    const auto [n, k] = detail::check_rows(rows, std::ranges::size(in), std::ranges::size(out));
    detail::check_disjoint(detail::named("out", out), detail::named("in", in));
    const detail::rows_to_choose<key> all{std::ranges::data(in), n, k, !options.smallest};
    all.choose(ex, rows, [&, to = std::ranges::data(out)](auto& with, std::size_t first, std::size_t count) {
        all.store_keys(with, first, count, to);
    });
}

// out = the indices of the greatest elements of every row, counted from 0 in each row.
template <key_range In, index_range Out>
void top_k_row_indices(cpu::executor& ex, std::size_t rows, const In& in, Out&& out,
                       const top_k_options& options = {}) {
    using key = std::ranges::range_value_t<In>;
    const auto [n, k] = detail::check_rows(rows, std::ranges::size(in), std::ranges::size(out));
    detail::check_indices<std::ranges::range_value_t<Out>>(n);
    detail::check_disjoint(detail::named("out", out), detail::named("in", in));
    const detail::rows_to_choose<key> all{std::ranges::data(in), n, k, !options.smallest};
    all.choose(ex, rows, [&, to = std::ranges::data(out)](auto& with, std::size_t first, std::size_t count) {
        all.store_indices(with, first, count, to);
    });
}

}  // namespace upsweep
