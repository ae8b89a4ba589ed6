// From an order of keys to what kernels are compiled for, and to what they are given.
#pragma once

#include <cstdint>

#include "sort_key.cuh"
#include "upsweep/core/key_order.hpp"

namespace upsweep::cuda::detail {

template <class Use>
auto use_keys(const core::key_order& order, const Use& use) {
    switch (order.bytes) {
        case 1:
            return use(ordered_key<std::uint8_t, false>{});
        case 2:
            return order.is_floating ? use(ordered_key<std::uint16_t, true>{})
                                     : use(ordered_key<std::uint16_t, false>{});
        case 4:
            return order.is_floating ? use(ordered_key<std::uint32_t, true>{})
                                     : use(ordered_key<std::uint32_t, false>{});
        default:
            return order.is_floating ? use(ordered_key<std::uint64_t, true>{})
                                     : use(ordered_key<std::uint64_t, false>{});
    }
}

template <class Order>
Order kernel_order(const core::key_order& order) {
    using Word = typename Order::Word;
    Order made{};
    made.infinity = static_cast<Word>(order.infinity);
    made.flip = (order.is_signed ? Order::sign : 0) ^ (order.descending ? Order::ones : 0);
    return made;
}

}  // namespace upsweep::cuda::detail
