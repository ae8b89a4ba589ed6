// Sorting kernels in plain C++: the level `portable`.
#pragma once

#include <cstddef>

#include "src/cpu/sort_order.hpp"

namespace upsweep::cpu::portable {

template <class Record, class Order>
struct sorting {
    using word = typename Order::word;

    static key_bounds<word> bounds(const Record* records, std::size_t n, const Order& order) {
        key_bounds<word> found;
        for (std::size_t i = 0; i < n; ++i) {
            const word key = order(bits_of(records[i]));
            found.include({key, key});
        }
        return found;
    }
    static bool in_order(const Record* records, std::size_t n, const Order& order) {
        return are_in_order(n, [&](std::size_t i) { return order(bits_of(records[i])); });
    }
    // Insertion.
    static void rank(const Record* from, std::size_t, Record* to, std::size_t n, const Order& order) {
        for (std::size_t i = 0; i < n; ++i) {
            const Record record = from[i];
            const word key = order(bits_of(record));
            std::size_t place = i;
            for (; place != 0 && key < order(bits_of(to[place - 1])); --place) to[place] = to[place - 1];
            to[place] = record;
        }
    }
    static void rank_parts(const Record* from, Record* to, std::size_t n, const Order& order,
                           const part_ends<word>& parts) {
        std::size_t begin = 0;
        for (std::size_t part = 0; part < parts.count; ++part) {
            const std::size_t end = parts.ends[part];
            if (end - begin <= most_ranked) rank(from + begin, n - begin, to + begin, end - begin, order);
            begin = end;
        }
    }
    static constexpr sort_kernels<Record, Order> table{&bounds, &in_order, &rank, &rank_parts};
};

template <class Record>
struct floating {
    using order = typename floating_kernels<Record>::order;

    static bool enter(const Record* from, Record* to, std::size_t n, const order& by) {
        bool special = false;
        for (std::size_t i = 0; i < n; ++i) {
            const auto bits = ascending_bits(bits_of(from[i]));
            special = special || by.is_special(bits);
            to[i] = with_bits(from[i], bits);
        }
        return special;
    }
    static void leave(Record* records, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            records[i] = with_bits(records[i], floating_bits(bits_of(records[i])));
    }
    static bool in_order(const Record* records, std::size_t n, const order& by) {
        return are_in_order(n, [&](std::size_t i) { return by(ascending_bits(bits_of(records[i]))); });
    }
    static constexpr floating_kernels<Record> table{&enter, &leave, &in_order};
};

}  // namespace upsweep::cpu::portable
