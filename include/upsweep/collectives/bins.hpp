// Bins of a block: the elements of one bin, packed in their order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/bin_range.hpp"
#include "upsweep/collectives/place.hpp"
#include "upsweep/core/arithmetic.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"

namespace upsweep {

// Elements of shared memory, 32-bit integers, for a block of `threads` threads in warps of `warp_width`
// lanes.
UPSWEEP_HOST_DEVICE constexpr unsigned block_extract_bin_scratch(unsigned threads, unsigned warp_width = 32) {
    return block_place_scratch(threads, warp_width);
}

// Writes those of the block's elements that belong to bin `bin` to out[0], out[1], ..., in order of threads,
// and returns their number to every thread; nothing behind them is touched. Threads whose `present` is false
// have no element. `out` is a pointer, or a view of shared memory other than `shared`. Collective over the
// block, as block_place is. To append to what is there already, move `out`.
UPSWEEP_EITHER_SIDE
template <block_group Block, shared_array<std::uint32_t> Shared, core::ordered_number T, class Out>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE std::uint32_t block_extract_bin(
    const Block& block, const Shared& shared, const T& x, const bin_range<std::type_identity_t<T>>& range,
    std::uint32_t bin, Out out, bool present = true) {
    const bool mine = present && find_bin(range, x) == bin;
    const auto [place, count] = block_place(block, shared, mine);
    if (mine) {
        if constexpr (shared_array<Out, T>)
            out.store(place, x);
        else
            out[place] = x;
    }
    return count;
}

}  // namespace upsweep
