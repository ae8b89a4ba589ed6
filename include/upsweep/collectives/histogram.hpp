// The histogram of a block's elements, counted by atomic additions to shared memory. Counts are integers, so
// the order of the additions does not show.
//
// Shared memory: a 32-bit counter a bin, range.count in all. Collective over the block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/collectives/bins.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep {

// Elements of shared memory, 32-bit unsigned integers.
UPSWEEP_HOST_DEVICE constexpr unsigned block_histogram_scratch(std::uint32_t bins) { return bins; }

// All counters become 0. The counters must not be in use on entry; a barrier passes before the call returns.
UPSWEEP_EITHER_SIDE
template <block_group Block, shared_counters<std::uint32_t> Shared>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE void block_histogram_clear(const Block& block,
                                                                     const Shared& counters,
                                                                     std::uint32_t bins) {
    for (std::uint32_t k = block.thread(); k < bins; k += block.size()) counters.store(k, 0);
    block.sync();
}

// Counts one element. Not collective: any thread may call it any number of times, between
// block_histogram_clear and a block.sync() behind which the counters are read. Elements without a bin are not
// counted.
UPSWEEP_EITHER_SIDE
template <shared_counters<std::uint32_t> Shared, core::ordered_number T>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE void block_histogram_add(
    const Shared& counters, const T& x, const bin_range<std::type_identity_t<T>>& range) {
    const std::uint32_t bin = find_bin(range, x);
    if (bin != no_bin) counters.fetch_add(bin, 1);
}

// Clears the counters and counts one element of each thread, those with `present` false excepted. On return
// the counters may be read. Cost: two barriers.
UPSWEEP_EITHER_SIDE
template <block_group Block, shared_counters<std::uint32_t> Shared, core::ordered_number T>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE void block_histogram(
    const Block& block, const Shared& counters, const T& x, const bin_range<std::type_identity_t<T>>& range,
    bool present = true) {
    block_histogram_clear(block, counters, range.count);
    if (present) block_histogram_add(counters, x, range);
    block.sync();
}

}  // namespace upsweep
