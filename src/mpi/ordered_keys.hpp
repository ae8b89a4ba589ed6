// Keys in memory as unsigned integers of their order, by the CPU's definition of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/cpu/sort_order.hpp"
#include "upsweep/core/key_order.hpp"

namespace upsweep::mpi {

// A key's bits as a word that is less than another's where the key goes before the other, and equal where
// they are.
template <class Order>
struct ordered {
    using word = typename Order::word;
    static constexpr bool is_floating = std::is_same_v<Order, cpu::floating_order<word>>;

    explicit ordered(const core::key_order& by) : order(by) {}
    [[nodiscard]] word operator()(word bits) const {
        if constexpr (is_floating)
            return order(cpu::ascending_bits(bits));
        else
            return order(bits);
    }

    Order order;
};

// body(ordered) for keys of this kind.
template <class Body>
void with_order(const core::key_order& by, const Body& body) {
    const auto of_words = [&]<class Word>(Word) {
        if (by.is_floating)
            body(ordered<cpu::floating_order<Word>>(by));
        else
            body(ordered<cpu::integer_order<Word>>(by));
    };
    switch (by.bytes) {
        case 1:
            return body(ordered<cpu::integer_order<std::uint8_t>>(by));
        case 2:
            return of_words(std::uint16_t{});
        case 4:
            return of_words(std::uint32_t{});
        default:
            return of_words(std::uint64_t{});
    }
}

}  // namespace upsweep::mpi
