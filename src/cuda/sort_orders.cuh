// From an order of keys to the type of it that kernels are compiled for.
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

}  // namespace upsweep::cuda::detail
