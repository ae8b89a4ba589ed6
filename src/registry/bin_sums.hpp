// Sums by bin over run-time types: what is the same whatever says where bins are.
#pragma once

#include <cstddef>

#include "registry/scanner.hpp"
#include "upsweep/cpu/bins.hpp"
#include "upsweep/cpu/executor.hpp"

namespace upsweep::registry {

// totals[b] = the sum of values[i] that belong to bin b, b < by.bins. Returns how many belong to any.
std::size_t sum_classes(cpu::executor& executor, const cpu::classifier& by, const scan_types& types,
                        const void* values, void* totals, std::size_t n);
// totals[b] = the sum of nothing, first <= b < end.
void store_empty_sums(const scan_types& types, void* totals, std::size_t first, std::size_t end);

}  // namespace upsweep::registry
