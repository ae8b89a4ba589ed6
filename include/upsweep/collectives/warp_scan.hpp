// Prefix sums over the lanes of a warp, by shuffles: no shared memory, no barrier.
//
// Hillis and Steele, "Data parallel algorithms", 1986. In step k every lane takes in the value of the lane
// 2^k before it. Grouping of operands, with H for the values after k steps:
//
//     H0(i) = x_i;  Hk+1(i) = Hk(i - 2^k) (+) Hk(i) if i >= 2^k, else Hk(i)
//     inclusive[i] = initial (+) H(i);  exclusive[i] = initial (+) H(i - 1);  total = initial (+) H(size - 1)
//
// where an absent initial value is left out, and exclusive[0] is the initial value, or else the identity.
// Example, four lanes: inclusive[3] = (x0 (+) x1) (+) (x2 (+) x3), inclusive[2] = x0 (+) (x1 (+) x2).
// Cost: ceil(log2 size) shuffles and operations, one shuffle more for an exclusive scan and for a total.
#pragma once

#include <type_traits>

#include "upsweep/collectives/options.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
namespace core {

// H of the calling lane.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T scan_lanes(const Warp& warp, T x, const Op& op) {
    for (unsigned distance = 1; distance < warp.size(); distance *= 2) {
        const T left = warp.shuffle_up(x, distance);
        if (warp.lane() >= distance) x = op(left, x);
    }
    return x;
}

}  // namespace core

// The fold of the lanes up to and including the calling one. Collective over the warp.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
warp_inclusive_scan(const Warp& warp, const T& x, const Op& op = {},
                    const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T scanned = core::scan_lanes(warp, x, op);
    if (options.total != nullptr) {
        *options.total = core::after_initial(options, warp.shuffle(scanned, warp.size() - 1), op);
    }
    return core::after_initial(options, scanned, op);
}

// The fold of the lanes before the calling one. Collective over the warp.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
warp_exclusive_scan(const Warp& warp, const T& x, const Op& op = {},
                    const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T scanned = core::scan_lanes(warp, x, op);
    if (options.total != nullptr) {
        *options.total = core::after_initial(options, warp.shuffle(scanned, warp.size() - 1), op);
    }
    const T before = warp.shuffle_up(scanned, 1);
    if (warp.lane() == 0) return core::before_first(options, before, op);
    return core::after_initial(options, before, op);
}

}  // namespace upsweep
