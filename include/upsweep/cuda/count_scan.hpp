// Exclusive sums of counts in device memory, in place: compiled once, for whoever counts before they move.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::cuda {

// Bytes of scratch that scan_counts needs; never decreases.
[[nodiscard]] std::size_t count_scan_bytes(std::uint64_t count);

// values[i] = values[0] + ... + values[i - 1]; *total = the sum of all, if it is not null. `scratch` is the
// beginning of the executor's.
void scan_counts(executor& ex, void* scratch, std::uint64_t* values, std::uint64_t count,
                 std::uint64_t* total);

}  // namespace upsweep::cuda
