// Where the elements that satisfy a predicate go when they are packed: the exclusive sum of the predicate
// over a block. The core of compaction (Blelloch, "Prefix sums and their applications", 1990).
#pragma once

#include <bit>
#include <cstdint>

#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

struct place_in_block {
    std::uint32_t place;  // threads before this one whose predicate is true
    std::uint32_t count;  // threads of the block whose predicate is true
};

// Elements of shared memory, 32-bit integers, for a block of `threads` threads in warps of `warp_width`
// lanes.
UPSWEEP_HOST_DEVICE constexpr unsigned block_place_scratch(unsigned threads, unsigned warp_width = 32) {
    return block_scan_scratch(threads, warp_width);
}

// Collective over the block. The shared memory must not be in use by another thread on entry; before it is
// used for anything else afterwards, call block.sync(). Cost: one ballot and a scan of the warps' counts: two
// barriers, none if the block is one warp.
UPSWEEP_EITHER_SIDE
template <block_group Block, shared_array<std::uint32_t> Shared>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE place_in_block block_place(const Block& block,
                                                                                   const Shared& shared,
                                                                                   bool predicate) {
    const auto warp = block.warp();
    const auto mask = warp.ballot(predicate);
    const auto lanes_before = mask & ((decltype(mask){1} << warp.lane()) - 1);
    const auto in_warp = static_cast<std::uint32_t>(std::popcount(mask));

    place_in_block result{static_cast<std::uint32_t>(std::popcount(lanes_before)), 0};
    const auto before = core::scan_warps(block, shared, in_warp, plus{},
                                         group_scan_options<std::uint32_t>{{}, &result.count});
    if (before) result.place += *before;
    return result;
}

}  // namespace upsweep
