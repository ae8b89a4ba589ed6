// The engine for the first elements of an order in CUDA device memory, compiled once: keys of any type as
// words of an order, results by index. How it works: docs/cuda-design.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

// What is selected of each of `rows` sequences of `length` keys, one behind the other, of which `k`, at most
// `length`, are wanted. Arrays in device memory.
struct top_k_records {
    std::uint64_t rows = 1;
    std::uint64_t length = 0;
    std::uint64_t k = 0;
    const void* keys = nullptr;
    void* keys_out = nullptr;      // null: not wanted
    const void* values = nullptr;  // null: values_out, if it is not null, receives indices within the row
    void* values_out = nullptr;
    std::size_t value_bytes = 0;  // of a value or an index
};

// Enqueues the selection of the first k by the order, in order. Preconditions: arrays are aligned for keys of
// order.bytes and for indices, and disjoint. Throws upsweep::error if there is no room for scratch.
void select_top(executor& ex, const core::key_order& order, const top_k_records& all);

// Bytes of scratch that selections of up to so many rows, of such a length, and so many of each need; never
// decreases with any of them.
[[nodiscard]] std::size_t top_k_scratch_bytes(std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                                              std::size_t key_bytes);

}  // namespace upsweep::cuda
