// The sorts of keys of one width, with each width of values.
#pragma once

#include "sort_launch.cuh"

namespace upsweep::cuda::detail {

template <class Use>
auto use_value_type(std::size_t bytes, const Use& use) {
    switch (bytes) {
        case 0:
            return use(no_value{});
        case 4:
            return use(std::uint32_t{});
        case 8:
            return use(std::uint64_t{});
        default:
            return use(value_of_16_bytes{});
    }
}

template <class Order>
void sort_with_words(executor& ex, const core::key_order& order, const sorted_words& all,
                     std::size_t value_bytes, char* scratch) {
    use_value_type(value_bytes,
                   [&](auto value) { sort_launch<Order, decltype(value)>(ex, order, all).run(scratch); });
}
template <class Order>
std::size_t sort_words_bytes(std::uint64_t n, std::size_t value_bytes, bool keeps_keys, bool is_apart) {
    return use_value_type(value_bytes, [&](auto value) {
        return sort_launch<Order, decltype(value)>::scratch_bytes(n, keeps_keys, is_apart);
    });
}

}  // namespace upsweep::cuda::detail
