// What sorts of a run-time type have in common.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "registry/visit.hpp"
#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/sort_records.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry::gpu {

// Throws upsweep::error for a type without an order.
inline core::key_order order_of(dtype type, bool descending) {
    return visit_type(type, [&]<class Key>(std::type_identity<Key>) -> core::key_order {
        if constexpr (sort_key<Key>) {
            return core::order_of<Key>(descending);
        } else {
            throw_error(errc::invalid_argument,
                        std::string(name(type)) + " has no order to sort its elements in");
        }
    });
}

// Elements, or their indices as int64, that go to `out`.
inline cuda::segmented_records sorted_records(const void* in, void* out, bool indices) {
    cuda::segmented_records all;
    all.keys = in;
    if (indices) {
        all.what = cuda::records::kind::indices;
        all.values_out = out;
        all.value_bytes = sizeof(std::int64_t);
    } else {
        all.keys_out = out;
    }
    return all;
}

}  // namespace upsweep::registry::gpu
