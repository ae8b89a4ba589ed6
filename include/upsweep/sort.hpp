// Stable sorting.
//
//     sort:           out = the elements of in, in ascending order
//     sort_indices:   out = the indices of in's elements in that order: in[out[0]], in[out[1]], ... is sorted
//     sort_by_key:    keys_out = the keys in order; values_out = the value of each
//     sort_by:        out = the elements of in in the order of key(element)
//
// With {.descending = true} the order is descending. Elements that are equal keep their order either way.
// Keys are integers of up to 64 bits, bool and characters, or floating-point numbers of 16, 32 and 64 bits.
// Of those -0 and +0 are equal; a NaN is greater than everything else and equal to every NaN, as in NumPy,
// so that NaNs come last in ascending and first in descending order. All are moved bit for bit. key may be
// called from several threads, once for an element.
//
// Shapes: contiguous ranges of n >= 0 elements, all of one call as long; indices are integers in which n -
// 1 fits.
// Bits: the same for any number of threads and every instruction set.
// Aliasing: out may be in, keys_out keys and values_out values (equal pointers and types); any other
// overlap is an error.
// Errors: upsweep::error names the argument; nothing has been written then, nor if there is no room for
// scratch. An exception of key or of an element's assignment passes through; the output is then
// unspecified.
// Complexity: keys alone of 4 and 8 bytes, where vectors have 4 of them at least, are compared with O(log
// n) pivots; others moved once for each of the few digits that keys which are spread evenly differ in; O(n
// * bits of a key) work at most, whatever the input, and one read and one copy of one that is in order.
// Scratch: heap for n elements, a sixtieth more, and up to 640 KiB a thread (sort; none for integers that one
// thread compares with pivots); else for 2 n records of a key and a 4-byte value or index, 8 bytes each, or
// of 16 bytes if either takes more than 4; and for n elements of in where elements that are no 1, 2, 4 or 8
// plain bytes are sorted in place. Sources: Blelloch, "Prefix sums and their applications", 1990, section 1.3
// (the split radix sort, each step of which places elements by the exclusive scan of counts); Knuth, The Art
// of Computer Programming, volume 3, section 5.2.5; cpu/sort.hpp has those of how memory is gone through.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/compact.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/sort.hpp"
#include "upsweep/error.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// The options of a stable sort. Elements that are equal keep their order either way.
struct sort_options {
    bool descending = false;  // the greatest first
};

// What can be sorted.
template <class In>
concept key_range = input_range<In> && sort_key<std::ranges::range_value_t<In>>;
// What takes the sorted elements of in.
template <class Out, class In>
concept sorted_range = output_range<Out, std::ranges::range_value_t<In>> &&
    std::same_as<std::ranges::range_value_t<Out>, std::ranges::range_value_t<In>> &&
    std::is_copy_assignable_v<std::ranges::range_value_t<In>>;
// key(element) is what the element is sorted by.
template <class F, class In>
concept key_function = input_range<In> && requires(const F& key, const std::ranges::range_value_t<In>& x) {
    requires sort_key<std::remove_cvref_t<decltype(std::invoke(key, x))>>;
};

namespace detail {

template <std::size_t Bytes>
using word_of_bytes =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;
// What is nothing but its bytes, as many as a word has, so that it can go along with its key.
template <class T>
inline constexpr bool is_plain_word = std::is_trivially_copyable_v<T>&& std::has_single_bit(sizeof(T)) &&
                                      sizeof(T) <= 8;
template <class Word, class T>
Word word_of(const T& value) {
    return static_cast<Word>(std::bit_cast<word_of_bytes<sizeof(T)>>(value));
}
template <class T, class Word>
T value_of(Word word) {
    return std::bit_cast<T>(static_cast<word_of_bytes<sizeof(T)>>(word));
}

// Records of key_at(i) and value_at(i), a word; put(i, key, value) takes the sorted ones.
template <class Word, class Key, class KeyAt, class ValueAt, class Put>
class sort_ends {
  public:
    sort_ends(const core::key_order& order, const KeyAt& key_at, const ValueAt& value_at, const Put& put)
        : shift_(cpu::key_shift(order, sizeof(Word))), key_at_(key_at), value_at_(value_at), put_(put) {}

    // `keys`: their array, or null.
    [[nodiscard]] cpu::record_ends ends(const void* keys) const {
        return {this, &load, &store, std::same_as<Word, std::uint64_t>, keys};
    }

  private:
    static const sort_ends& of(const cpu::record_ends& ends) {
        return *static_cast<const sort_ends*>(ends.context);
    }
    static void load(const cpu::record_ends& ends, std::size_t first, std::size_t count, void* records) {
        const sort_ends& self = of(ends);
        auto* const to = static_cast<cpu::keyed<Word>*>(records);
        for (std::size_t i = 0; i < count; ++i) {
            const Key key = self.key_at_(first + i);
            to[i] = {static_cast<Word>(word_of<Word>(key) << self.shift_), self.value_at_(first + i)};
        }
    }
    static void store(const cpu::record_ends& ends, std::size_t first, std::size_t count,
                      const void* records) {
        const sort_ends& self = of(ends);
        const auto* const from = static_cast<const cpu::keyed<Word>*>(records);
        for (std::size_t i = 0; i < count; ++i)
            self.put_(first + i, value_of<Key>(static_cast<Word>(from[i].bits >> self.shift_)),
                      from[i].value);
    }

    std::size_t shift_;
    const KeyAt& key_at_;
    const ValueAt& value_at_;
    const Put& put_;
};

// What a call sorts by, and, where `segments` is not null, that it sorts each of them by itself.
struct sort_call {
    cpu::executor& ex;
    bool descending;
    const cpu::head_marks* segments = nullptr;
    const void* keys = nullptr;  // all of them, if they lie in an array

    [[nodiscard]] sort_call of(const void* array) const { return {ex, descending, segments, array}; }
};

// Keys with values of so many bytes.
template <class Key, std::size_t ValueBytes, class KeyAt, class ValueAt, class Put>
void sort_with_values(const sort_call& call, std::size_t n, const KeyAt& key_at, const ValueAt& value_at,
                      const Put& put) {
    using word = word_of_bytes<sizeof(Key) <= 4 && ValueBytes <= 4 ? 4 : 8>;
    const core::key_order order = core::order_of<Key>(call.descending);
    const auto word_at = [&](std::size_t i) { return static_cast<word>(value_at(i)); };
    const sort_ends<word, Key, KeyAt, decltype(word_at), Put> records(order, key_at, word_at, put);
    cpu::run_sort_records(call.ex, order, records.ends(call.keys), n, call.segments);
}
// Keys with their indices.
template <class Key, class KeyAt, class Put>
void sort_with_indices(const sort_call& call, std::size_t n, const KeyAt& key_at, const Put& put) {
    const auto index = [](std::size_t i) { return i; };
    if (n <= std::size_t{1} << 32)
        sort_with_values<Key, 4>(call, n, key_at, index, put);
    else
        sort_with_values<Key, 8>(call, n, key_at, index, put);
}

// Elements to take in any order while their array is written: themselves, or moved elsewhere.
template <class T>
class held_elements {
  public:
    held_elements(const T* in, T* out, std::size_t n) : in_(in), out_(out) {
        if (in != out || n == 0) return;
        try {
            held_.reserve(n);
        } catch (const std::exception&) {
            throw_error(errc::out_of_memory, "sort: there is no memory for " + std::to_string(n) +
                                                 " elements, which take as much to be sorted in place");
        }
        for (std::size_t i = 0; i < n; ++i) held_.push_back(std::move(out[i]));
        in_ = nullptr;
    }
    const T& operator[](std::size_t i) const { return in_ != nullptr ? in_[i] : held_[i]; }
    void give(std::size_t i, T& to) const {
        if (in_ != nullptr)
            to = in_[i];
        else
            to = std::move(held_[i]);
    }
    // Calls sort(); if that had no memory, and so gave nothing, elements are where they were.
    template <class Sort>
    void use(const Sort& sort) {
        try {
            sort();
        } catch (const error& failure) {
            if (failure.code() == errc::out_of_memory)
                for (std::size_t i = 0; i < held_.size(); ++i) out_[i] = std::move(held_[i]);
            throw;
        }
    }

  private:
    const T* in_;
    T* out_;
    mutable std::vector<T> held_;  // each element is taken once
};

// The arrays of sort_by_key.
template <class Keys, class Values, class KeysOut, class ValuesOut>
void check_sort_by_key(const Keys& keys, const Values& values, const KeysOut& keys_out,
                       const ValuesOut& values_out) {
    const std::size_t n = std::ranges::size(keys);
    const std::size_t key_bytes = n * sizeof(std::ranges::range_value_t<Keys>);
    const std::size_t bytes = n * sizeof(std::ranges::range_value_t<Values>);
    const void* const from = std::ranges::data(keys);
    const void* const in = std::ranges::data(values);
    const void* const to = std::ranges::data(keys_out);
    const void* const out = std::ranges::data(values_out);
    check_as_many("values", std::ranges::size(values), "keys", n);
    check_as_many("keys_out", std::ranges::size(keys_out), "keys", n);
    check_as_many("values_out", std::ranges::size(values_out), "keys", n);
    check_same_or_disjoint("keys_out", to, "keys", from, key_bytes);
    check_same_or_disjoint("values_out", out, "values", in, bytes);
    check_disjoint("keys_out", to, key_bytes, "values", in, bytes);
    check_disjoint("values_out", out, bytes, "keys", from, key_bytes);
    check_disjoint("values_out", out, bytes, "keys_out", to, key_bytes);
}

// The calls' bodies.
template <class In, class Out>
void sort_keys(const sort_call& call, const In& in, Out& out) {
    using key = std::ranges::range_value_t<In>;
    const std::size_t n = std::ranges::size(in);
    check_as_many("out", std::ranges::size(out), "in", n);
    check_same_or_disjoint("out", std::ranges::data(out), "in", std::ranges::data(in), n * sizeof(key));
    cpu::run_sort(call.ex, core::order_of<key>(call.descending), std::ranges::data(in),
                  std::ranges::data(out), n, call.segments);
}

template <class In, class Out>
void sort_places(const sort_call& call, const In& in, Out& out) {
    using key = std::ranges::range_value_t<In>;
    using index = std::ranges::range_value_t<Out>;
    const std::size_t n = std::ranges::size(in);
    check_as_many("out", std::ranges::size(out), "in", n);
    check_indices<index>(n);
    check_apart("in", std::ranges::data(in), n * sizeof(key), std::ranges::data(out), n * sizeof(index));
    sort_with_indices<key>(
        call.of(std::ranges::data(in)), n, [keys = std::ranges::data(in)](std::size_t i) { return keys[i]; },
        [to = std::ranges::data(out)](std::size_t i, key, std::uint64_t at) {
            to[i] = static_cast<index>(at);
        });
}

template <class Keys, class Values, class KeysOut, class ValuesOut>
void sort_pairs(const sort_call& call, const Keys& keys, const Values& values, KeysOut& keys_out,
                ValuesOut& values_out) {
    using key = std::ranges::range_value_t<Keys>;
    using value = std::ranges::range_value_t<Values>;
    const std::size_t n = std::ranges::size(keys);
    const key* const from = std::ranges::data(keys);
    const value* const in = std::ranges::data(values);
    key* const to = std::ranges::data(keys_out);
    value* const out = std::ranges::data(values_out);
    check_sort_by_key(keys, values, keys_out, values_out);
    const auto key_at = [=](std::size_t i) { return from[i]; };
    if constexpr (is_plain_word<value>) {
        sort_with_values<key, sizeof(value)>(
            call.of(from), n, key_at, [=](std::size_t i) { return word_of<std::uint64_t>(in[i]); },
            [=](std::size_t i, key k, std::uint64_t word) {
                to[i] = k;
                out[i] = value_of<value>(word);
            });
    } else {
        held_elements<value> elements(in, out, n);
        const auto put = [&](std::size_t i, key k, std::uint64_t at) {
            to[i] = k;
            elements.give(static_cast<std::size_t>(at), out[i]);
        };
        elements.use([&] { sort_with_indices<key>(call.of(from), n, key_at, put); });
    }
}

template <class In, class Out, class F>
void sort_elements(const sort_call& call, const In& in, Out& out, const F& key) {
    using element = std::ranges::range_value_t<In>;
    using number = std::remove_cvref_t<std::invoke_result_t<const F&, const element&>>;
    const std::size_t n = std::ranges::size(in);
    const element* const from = std::ranges::data(in);
    element* const to = std::ranges::data(out);
    check_as_many("out", std::ranges::size(out), "in", n);
    check_same_or_disjoint("out", to, "in", from, n * sizeof(element));
    if constexpr (is_plain_word<element>) {
        sort_with_values<number, sizeof(element)>(
            call, n, [&](std::size_t i) -> number { return std::invoke(key, from[i]); },
            [=](std::size_t i) { return word_of<std::uint64_t>(from[i]); },
            [=](std::size_t i, number, std::uint64_t word) { to[i] = value_of<element>(word); });
    } else {
        held_elements<element> elements(from, to, n);
        const auto key_at = [&](std::size_t i) -> number { return std::invoke(key, elements[i]); };
        const auto put = [&](std::size_t i, number, std::uint64_t at) {
            elements.give(static_cast<std::size_t>(at), to[i]);
        };
        elements.use([&] { sort_with_indices<number>(call, n, key_at, put); });
    }
}

}  // namespace detail

// out = the elements of in, in order.
template <key_range In, sorted_range<In> Out>
void sort(cpu::executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    detail::sort_keys({ex, options.descending}, in, out);
}

// out = the indices of in's elements, in the order of these.
template <key_range In, index_range Out>
void sort_indices(cpu::executor& ex, const In& in, Out&& out, const sort_options& options = {}) {
    detail::sort_places({ex, options.descending}, in, out);
}

// keys_out = the keys in order; values_out = the value of each.
template <key_range Keys, input_range Values, sorted_range<Keys> KeysOut, sorted_range<Values> ValuesOut>
void sort_by_key(cpu::executor& ex, const Keys& keys, const Values& values, KeysOut&& keys_out,
                 ValuesOut&& values_out, const sort_options& options = {}) {
    detail::sort_pairs({ex, options.descending}, keys, values, keys_out, values_out);
}

// out = the elements of in in the order of key(element).
template <input_range In, sorted_range<In> Out, key_function<In> F>
void sort_by(cpu::executor& ex, const In& in, Out&& out, const F& key, const sort_options& options = {}) {
    detail::sort_elements({ex, options.descending}, in, out, key);
}

}  // namespace upsweep
