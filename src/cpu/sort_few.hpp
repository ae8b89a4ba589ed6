// Sorting of very few records, without a branch.
#pragma once

#include <cstddef>

#include "src/cpu/sort_order.hpp"

namespace upsweep::cpu {

// As many records are sorted sooner by exchanges of neighbours than ranked.
inline constexpr std::size_t most_exchanged = 4;

namespace detail {

template <class Word>
void exchange_where(Word mask, Word& a, Word& b) {
    const auto difference = static_cast<Word>((a ^ b) & mask);
    a = static_cast<Word>(a ^ difference);
    b = static_cast<Word>(b ^ difference);
}
template <class Word>
void exchange_where(Word mask, keyed<Word>& a, keyed<Word>& b) {
    exchange_where(mask, a.bits, b.bits);
    exchange_where(mask, a.value, b.value);
}

// Odd and even neighbours in turn: a record passes none that is equal, so the order is stable.
template <std::size_t N, class Record, class Order>
void exchange_neighbours(const Record* from, Record* to, const Order& order) {
    using word = typename Order::word;
    Record records[N];
    word keys[N];
    for (std::size_t i = 0; i < N; ++i) {
        records[i] = from[i];
        keys[i] = order(bits_of(records[i]));
    }
    for (std::size_t round = 0; round < N; ++round) {
        for (std::size_t i = round % 2; i + 1 < N; i += 2) {
            const auto mask = static_cast<word>(word{0} - static_cast<word>(keys[i + 1] < keys[i]));
            exchange_where(mask, keys[i], keys[i + 1]);
            exchange_where(mask, records[i], records[i + 1]);
        }
    }
    for (std::size_t i = 0; i < N; ++i) to[i] = records[i];
}

}  // namespace detail

// to = the n records in order, 1 <= n <= most_exchanged; `to` may be `from`.
template <class Record, class Order>
void sort_few(const Record* from, Record* to, std::size_t n, const Order& order) {
    switch (n) {
        case 1:
            *to = *from;
            return;
        case 2:
            return detail::exchange_neighbours<2>(from, to, order);
        case 3:
            return detail::exchange_neighbours<3>(from, to, order);
        default:
            return detail::exchange_neighbours<4>(from, to, order);
    }
}

}  // namespace upsweep::cpu
