// The engine for sorting in CUDA device memory, compiled once: keys of any type as words of an order, and
// what goes along as words or by index. How it works: src/cuda/sort_pass.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/core/key_order.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

// Records to sort, arrays in device memory.
struct records {
    enum class kind {
        keys,     // nothing goes along
        values,   // values go along
        indices,  // values_out receives the indices of the keys, integers of value_bytes
    };
    kind what = kind::keys;
    std::uint64_t n = 0;
    // So many sequences of n records, one after the other, are sorted each by itself: more than one only of
    // keys or indices, all of `length` null, and n at most sort_block_records().
    std::uint64_t rows = 1;
    const std::uint64_t* length = nullptr;  // the first min(*length, n) records only; null: all
    const void* keys = nullptr;
    // If it is not null, keys are made by make_keys(maker, keys) in scratch.
    void (*make_keys)(const void* maker, void* keys) = nullptr;
    const void* maker = nullptr;
    void* keys_out = nullptr;  // null: not wanted; may be keys
    const void* values = nullptr;
    void* values_out = nullptr;  // may be values
    std::size_t value_bytes = 0;
};

// Records that are sorted segment by segment; rows do not matter.
struct segmented_records : records {
    // Bit e % 32 of words[e / 32]: whether element e starts a segment; element 0 does. Bits of elements
    // behind n are 0, up to a multiple of 512.
    void (*make_heads)(const void* maker, std::uint32_t* words) = nullptr;
    const void* heads_maker = nullptr;
    std::uint64_t longest = ~std::uint64_t{0};  // no segment has more elements
    bool from_segment = false;                  // indices count from the first element of their segment
};

// Enqueues the sort. Preconditions: arrays are aligned for keys of order.bytes, and indices for theirs; they
// overlap in no other way than said above. Throws upsweep::error if there is no room for scratch.
void sort_records(executor& ex, const core::key_order& order, const records& all);

// The same of every segment by itself.
void sort_segments(executor& ex, const core::key_order& order, const segmented_records& all);

// How many records, with values or indices of 0, 4, 8 or 16 bytes, one block sorts.
[[nodiscard]] std::uint64_t sort_block_records(std::size_t key_bytes, std::size_t value_bytes);

// How many records the longest of the segments has that a tile of several takes.
[[nodiscard]] std::uint64_t sort_tile_records(std::size_t key_bytes);

// Bytes of scratch that sorts of one sequence need; never decreases with n.
[[nodiscard]] std::size_t sort_scratch_bytes(std::uint64_t n, std::size_t key_bytes, std::size_t value_bytes);
// Likewise of segments.
[[nodiscard]] std::size_t segmented_sort_scratch_bytes(std::uint64_t n, std::size_t key_bytes,
                                                       std::size_t value_bytes);

}  // namespace upsweep::cuda
