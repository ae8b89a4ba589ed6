// Rows of equal lengths as segments, for sorts of segments (sort_records.hpp).
#pragma once

#include <cstdint>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda::detail {

// What makes the heads of n elements in rows of `length`, in the executor's stream.
struct equal_rows {
    const executor& ex;
    std::uint64_t length, n;

    // As segmented_records::make_heads; `maker` is an equal_rows.
    static void make(const void* maker, std::uint32_t* words);
};

}  // namespace upsweep::cuda::detail
