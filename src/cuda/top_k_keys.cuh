// The definition of select_top_of(), for the files that compile it for a width of keys.
#pragma once

#include "top_k_launch.cuh"

namespace upsweep::cuda::detail {

template <class Order>
void select_top_of(executor& ex, const core::key_order& order, const top_k_records& all) {
    top_k_launch<Order>(ex, order, all).run();
}

#define UPSWEEP_SELECTED_KEYS(Key, Floating)                                                   \
    template void select_top_of<ordered_key<Key, Floating>>(executor&, const core::key_order&, \
                                                            const top_k_records&)

}  // namespace upsweep::cuda::detail
