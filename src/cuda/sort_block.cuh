// A radix sort of as many records as one block holds: all passes in one kernel, from shared memory to
// registers and back. Each block of a launch sorts a sequence of its own.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sort_tile.cuh"
#include "upsweep/cuda/count_bins.cuh"

namespace upsweep::cuda::detail {

template <class OrderType, class ValueType>
struct sort_block_arguments {
    using Order = OrderType;
    using Value = ValueType;
    using Key = typename Order::Key;

    const Key* keys;
    Key* keys_out;        // null: not wanted
    const Value* values;  // null: record i has value i
    Value* values_out;
    array_extent extent;  // of each sequence
    Order order;
};

template <class Arguments>
__global__ void __launch_bounds__(
    sort_block_shape<typename Arguments::Key, typename Arguments::Value>::threads, 1)
    sort_block_kernel(Arguments given) {
    using Key = typename Arguments::Key;
    using Value = typename Arguments::Value;
    using Word = typename Arguments::Order::Word;
    using shape = sort_block_shape<Key, Value>;
    constexpr int items = shape::items;
    constexpr bool has_values = !std::is_same_v<Value, no_value>;
    extern __shared__ __align__(1024) char shared[];
    const sort_tile<shape> tile(shared);
    const auto n = static_cast<unsigned>(given.extent.size());
    if (n == 0) return;
    const std::uint64_t first = blockIdx.x * given.extent.n;
    given.keys += first;
    if (given.keys_out != nullptr) given.keys_out += first;
    if constexpr (has_values) {
        if (given.values != nullptr) given.values += first;
        given.values_out += first;
    }
    const unsigned each = (n - 1) / shape::threads + 1;  // records of a lane
    const auto place = [&](int k) { return tile.place(k, each); };

    Word key[items];
    Value value[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
        key[k] = 0;
        if (unsigned(k) >= each || place(k) >= n) continue;
        key[k] = given.keys[place(k)];
        if constexpr (has_values) {
            if (given.values != nullptr)
                value[k] = given.values[place(k)];
            else if constexpr (std::is_integral_v<Value>)
                value[k] = static_cast<Value>(place(k));
        }
    }
    for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += sort_digit_bits) {
        // What fills up the last records has the last digit, and so stays behind all others.
        const typename Arguments::Order::template digit_at<false> digit_of(given.order, shift);
        const auto digit = [&](int k) -> sort_digit {
            return place(k) < n ? digit_of(key[k]) : digit_of.last();
        };
        typename sort_tile<shape>::ranks rank;
        tile.rank(digit, rank, each);
        __syncthreads();
        std::uint32_t count = 0, own = 0;
        if (threadIdx.x < sort_digits) {
            count = own = tile.count();
            if (threadIdx.x == sort_digits - 1) own -= each * shape::threads - n;
        }
        if (__syncthreads_or(own == n) != 0) continue;  // all have the same digit
        tile.locate(count);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (unsigned(k) >= each) continue;
            const unsigned to = tile.new_place(k, digit(k), rank);
            tile.key(to) = static_cast<Key>(key[k]);
            if constexpr (has_values) tile.value(to) = value[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < items; ++k) {
            if (unsigned(k) >= each) continue;
            key[k] = tile.key(place(k));
            if constexpr (has_values) value[k] = tile.value(place(k));
        }
    }
#pragma unroll
    for (int k = 0; k < items; ++k) {
        if (unsigned(k) >= each || place(k) >= n) continue;
        if (given.keys_out != nullptr) given.keys_out[place(k)] = static_cast<Key>(key[k]);
        if constexpr (has_values) given.values_out[place(k)] = value[k];
    }
}

}  // namespace upsweep::cuda::detail
