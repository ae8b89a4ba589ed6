// What becomes of the elements that a selection chose.
#pragma once

#include <cstdint>

#include "segment_values.cuh"

namespace upsweep::cuda::detail {

// keys_out is null where keys are not wanted.
struct top_k_results {
    const void* keys;
    void* keys_out;
    moved_values along;
};

// Element `from`, of a row that begins at element `row`, becomes result `to`.
template <class Key>
__device__ __forceinline__ void store_result(const top_k_results& results, std::uint64_t from,
                                             std::uint64_t to, std::uint64_t row) {
    if (results.keys_out != nullptr)
        static_cast<Key*>(results.keys_out)[to] = static_cast<const Key*>(results.keys)[from];
    if (results.along.out == nullptr) return;
    use_piece(results.along, [&](auto piece) { move_value<decltype(piece)>(results.along, from, to, row); });
}

// The same of a record of the row, whose word mostly tells the key.
template <class Order, class Record>
__device__ __forceinline__ void store_record(const top_k_results& results, const Order& order,
                                             const Record& record, std::uint64_t to, std::uint64_t row) {
    using Key = typename Order::Key;
    const std::uint64_t from = row + record.index();
    if (results.keys_out != nullptr) {
        const auto word = static_cast<typename Order::Word>(record.word());
        static_cast<Key*>(results.keys_out)[to] = order.is_of_one(word)
                                                      ? static_cast<Key>(order.bits_of(word))
                                                      : static_cast<const Key*>(results.keys)[from];
    }
    if (results.along.out == nullptr) return;
    use_piece(results.along, [&](auto piece) { move_value<decltype(piece)>(results.along, from, to, row); });
}

inline constexpr unsigned store_threads = 256;

// The first k of each of `rows` rows of `stride` indices. Of each index only the bits in `mask` count.
template <class Key, class Index>
__global__ void __launch_bounds__(store_threads)
    store_results_kernel(top_k_results results, const Index* indices, std::uint64_t mask, std::uint64_t rows,
                         std::uint64_t k, std::uint64_t stride) {
    const std::uint64_t step = std::uint64_t(gridDim.x) * store_threads;
    for (std::uint64_t i = std::uint64_t(blockIdx.x) * store_threads + threadIdx.x; i < rows * k; i += step) {
        const std::uint64_t row = rows == 1 ? 0 : i / k, first = row * stride;
        const std::uint64_t index = indices[first + (i - row * k)] & mask;
        store_result<Key>(results, first + index, i, first);
    }
}

}  // namespace upsweep::cuda::detail
