// Sums by bin over run-time types: what is the same whatever says where bins are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "registry/scanner.hpp"
#include "upsweep/cpu/bins.hpp"
#include "upsweep/cpu/executor.hpp"

namespace upsweep::registry {

// totals[b] = the sum of values[i] that belong to bin b, b < by.bins. Returns how many belong to any.
std::size_t sum_classes(cpu::executor& executor, const cpu::classifier& by, const scan_types& types,
                        const void* values, void* totals, std::size_t n);
// totals[b] = the sum of nothing, first <= b < end.
void store_empty_sums(const scan_types& types, void* totals, std::size_t first, std::size_t end);

// The same of elements that come block by block, with the bits of one call.
class class_sums {
  public:
    virtual ~class_sums() = default;

    // The next n elements, in bins by `by`, and their values, of a type that converts to the accumulator.
    virtual std::size_t take(const cpu::classifier& by, dtype type, const void* values, std::size_t n) = 0;
    // totals[b] = the sum of bin b's so far.
    virtual void store(void* totals) = 0;
};
// For at least one bin. The executor must outlive them.
[[nodiscard]] std::unique_ptr<class_sums> make_class_sums(cpu::executor& executor, std::uint32_t bins,
                                                          const scan_types& types);

}  // namespace upsweep::registry
