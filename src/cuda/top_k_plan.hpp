// Which kernels select from a sequence, and where arrays for it lie in scratch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sort_scratch.hpp"
#include "upsweep/cuda/sort_records.hpp"

namespace upsweep::cuda::detail {

// The ranks of a sample between which that of a bound is to be, so that very probably k records are at or
// below it.
struct sample_ranks {
    std::uint32_t least, most;

    // Of `samples` among n. As many of the k least are in the sample as a Poisson distribution says, with a
    // mean of k * samples / n; six of its deviations more, and some for small means, are missed once in 10^8.
    static sample_ranks of(std::uint64_t k, std::uint64_t n, std::uint32_t samples) {
        const double mean = static_cast<double>(k) * samples / static_cast<double>(n);
        const auto least = static_cast<std::uint32_t>(std::ceil(mean + 6 * std::sqrt(mean) + 4));
        return {least, least + least / 8 + 1};
    }
};

inline constexpr std::uint32_t sampled_records = 1u << 14;

// Measured on an H200 (docs/cuda-design.md): up to how many elements one block selects from a sequence, and
// from which length on a sample is worth its kernels.
inline constexpr std::uint64_t block_sequence = std::uint64_t{1} << 16;
inline constexpr std::uint64_t sampled_sequence = std::uint64_t{1} << 20;
// Of so many rows at a time all blocks select.
inline constexpr std::uint64_t rows_selected_together = 16;
// The greatest k and length of rows that a lane each selects from, and k of those that a warp does.
inline constexpr int lane_most_selected = 8;
inline constexpr std::uint64_t lane_most_length = 512;
inline constexpr std::uint64_t warp_most_selected = 32;
// More than so many selected records are sorted by the passes of a sort.
inline constexpr std::uint64_t most_merged = std::uint64_t{1} << 19;
// More than one element in so many, and everything is sorted; of keys alone, which are sorted faster.
inline constexpr std::uint64_t least_share_selected = 4, least_share_of_keys = 6;

// Bytes of a record (top_k_record.cuh).
constexpr std::size_t selected_record_bytes(std::uint64_t n, std::size_t key_bytes) {
    return key_bytes == 8 || index_bytes(n) == 8 ? 16 : 8;
}

// A selection by all blocks.
struct selection_layout {
    std::uint64_t capacity;  // of candidates; 0: no sample is taken
    std::size_t samples_at, candidates_at, selected_at, sorts_at, bytes;

    // Of so many rows at a time; never decreases with n, k nor rows.
    selection_layout(std::uint64_t n, std::uint64_t k, std::size_t key_bytes, std::size_t state_bytes,
                     std::uint64_t most_selected, std::uint64_t rows) {
        const std::size_t record = selected_record_bytes(n, key_bytes);
        const bool samples = n >= sampled_sequence;
        // The bound's rank in the sample is at most 1.13 means, 6.8 of their roots and 6.5; six deviations
        // of how many elements that is have room as well.
        capacity = samples ? std::min(n, 2 * k + 72 * (n / sampled_records + 1)) : 0;
        samples_at = aligned(rows * state_bytes);
        candidates_at = samples_at + (samples ? rows * sampled_records * record : 0);
        selected_at = candidates_at + aligned(rows * capacity * record);
        sorts_at = selected_at + aligned(rows * (k + most_selected) * record);
        bytes = sorts_at + std::max(aligned(k * record),
                                    record == 8 ? sort_scratch_bytes(k, 8, 0) : sort_scratch_bytes(k, 8, 8));
    }
};

// A sort of everything: what it leaves, keys or indices, and its own scratch.
struct sort_all_layout {
    std::size_t sorts_at, bytes;

    sort_all_layout(std::uint64_t n, std::size_t key_bytes) {
        const std::size_t index = index_bytes(n);
        sorts_at = aligned(n * std::max(key_bytes, index));
        bytes =
            sorts_at + std::max(sort_scratch_bytes(n, key_bytes, 0), sort_scratch_bytes(n, key_bytes, index));
    }
};

// Sorts of whole rows, some of them at a time.
inline constexpr std::uint64_t sorted_row_elements = std::uint64_t{1} << 26;
struct sort_rows_layout {
    std::size_t sorts_at, bytes;

    // Of so many elements at a time.
    sort_rows_layout(std::uint64_t elements, std::size_t key_bytes) {
        const std::size_t index = index_bytes(elements);
        sorts_at = aligned(elements * index);
        bytes = sorts_at + segmented_sort_scratch_bytes(elements, key_bytes, index);
    }
};
// Longer rows are selected from one after the other, where a block cannot.
inline constexpr std::uint64_t longest_sorted_row = std::uint64_t{1} << 18;

}  // namespace upsweep::cuda::detail
