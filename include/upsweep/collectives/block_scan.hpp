// The block scan for real work: each warp scans its lanes by shuffles, one warp scans the warps' totals, and
// each thread takes in what its warp has to its left.
//
// Grouping: with L for the scan of warp_scan.hpp within a warp, T_w for the fold of warp w as its last lane
// has it, and P for the scan of warp_scan.hpp over T_0, T_1, ..., lane l of warp w gets
//
//     inclusive = (initial (+) P(w - 1)) (+) L(l);  exclusive = (initial (+) P(w - 1)) (+) L(l - 1)
//     total = initial (+) P(last warp)
//
// where absent parts are left out; so results depend on the width of the warps where grouping matters.
// Precondition: no more warps than a warp has lanes. With 32 lanes or more no block has.
// Cost: two barriers, none if the block is one warp; an element of shared memory a warp. Collective over the
// block. The shared memory must not be in use by another thread on entry; before it is used for anything else
// afterwards, call block.sync().
//
// The scan of warp totals by one warp: Harris and Garland, "Optimizing parallel prefix operations for the
// Fermi architecture", GPU Computing Gems Jade Edition, 2011.
#pragma once

#include <optional>
#include <type_traits>

#include "upsweep/collectives/options.hpp"
#include "upsweep/collectives/warp_scan.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// Elements of shared memory, for a block of `threads` threads in warps of `warp_width` lanes.
UPSWEEP_HOST_DEVICE constexpr unsigned block_scan_scratch(unsigned threads, unsigned warp_width = 32) {
    return (threads + warp_width - 1) / warp_width;
}

namespace core {

// From a value each warp, of which the last lane's counts: what is to the left of the calling thread's warp,
// if anything is. Sets the total that the options ask for.
UPSWEEP_EITHER_SIDE
template <block_group Block, class Shared, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE std::optional<T> scan_warps(const Block& block,
                                                                      const Shared& shared,
                                                                      const T& warp_total, const Op& op,
                                                                      const group_scan_options<T>& options) {
    const auto warp = block.warp();
    const unsigned index = block.warp_index(), count = block.warp_count();
    if (count == 1) {
        if (options.total != nullptr)
            *options.total = after_initial(options, warp.shuffle(warp_total, warp.size() - 1), op);
        return options.initial;
    }
    if (warp.lane() == warp.size() - 1) shared.store(index, warp_total);
    block.sync();
    if (index == 0) {
        // The first of several warps is full, and has as many lanes as there can be warps.
        T total = warp_total;
        if (warp.lane() < count) total = shared.load(warp.lane());
        total = scan_lanes(warp, total, op);
        if (warp.lane() < count) shared.store(warp.lane(), after_initial(options, total, op));
    }
    block.sync();
    if (options.total != nullptr) *options.total = shared.load(count - 1);
    if (index == 0) return options.initial;
    return shared.load(index - 1);
}

}  // namespace core

// The fold of the elements up to and including the calling thread's.
UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
block_inclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                     const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T in_warp = core::scan_lanes(block.warp(), x, op);
    const std::optional<T> before = core::scan_warps(block, shared, in_warp, op, options);
    return before ? T(op(*before, in_warp)) : in_warp;
}

// The fold of the elements before the calling thread's.
UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
block_exclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                     const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const auto warp = block.warp();
    const T in_warp = core::scan_lanes(warp, x, op);
    const std::optional<T> before = core::scan_warps(block, shared, in_warp, op, options);
    const T lanes_before = warp.shuffle_up(in_warp, 1);
    if (warp.lane() > 0) return before ? T(op(*before, lanes_before)) : lanes_before;
    return before ? *before : core::before_first(options, x, op);
}

}  // namespace upsweep
