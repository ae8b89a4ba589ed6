// What arrays are sorted by: numbers, and how their bits become unsigned integers of the same order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep {

// What elements are sorted by.
template <class T>
concept sort_key =
    (std::integral<T> && sizeof(T) <= 8) || std::same_as<T, float> || std::same_as<T, double> || is_half<T>;

namespace core {

struct key_order {
    std::size_t bytes;       // of a key: 1, 2, 4 or 8
    bool is_signed;          // of an integer
    bool is_floating;        // -0 and +0 are equal, NaNs equal and greater than all else
    std::uint64_t infinity;  // its bits, of a floating-point key
    bool descending;
};

template <sort_key Key>
key_order order_of(bool descending) {
    key_order order{sizeof(Key), std::signed_integral<Key>, !std::integral<Key>, 0, descending};
    if constexpr (std::same_as<Key, bfloat16>) {
        order.infinity = 0x7f80;
    } else if constexpr (is_half<Key>) {
        order.infinity = 0x7c00;
    } else if constexpr (std::same_as<Key, float>) {
        order.infinity = 0x7f800000;
    } else if constexpr (std::same_as<Key, double>) {
        order.infinity = 0x7ff0000000000000;
    }
    return order;
}

}  // namespace core
}  // namespace upsweep
