// The fold of all lanes of a warp, given to each of them, by a butterfly of shuffles: no shared memory, no
// barrier.
//
// In step k, lanes whose numbers differ in bit k exchange values and both combine them, the lower lane's on
// the left. So every lane computes the same tree and gets the same bits:
//
//     F(a, 1) = x_a;  F(a, 2w) = F(a, w) (+) F(a + w, w), without the second part if a + w >= size
//     result = F(0, w) for the least power of two w >= size
//
// Example, six lanes: ((x0 (+) x1) (+) (x2 (+) x3)) (+) (x4 (+) x5).
// Cost: ceil(log2 size) shuffles and operations.
#pragma once

#include "upsweep/concepts.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// Collective over the warp. Needs no identity.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T warp_reduce(const Warp& warp, const T& x,
                                                                      const Op& op = {}) {
    const unsigned lane = warp.lane(), size = warp.size();
    T fold = x;
    for (unsigned step = 1; step < size; step *= 2) {
        // A partner past the end of a part-filled warp is replaced by the last lane if that belongs to the
        // same part, which then holds the same fold; else the part is absent.
        const unsigned partner = lane ^ step;
        const bool there = (partner & ~(step - 1)) < size;
        T other = fold;
        if (size == warp.width())
            other = warp.shuffle_xor(fold, step);
        else
            other = warp.shuffle(fold, partner < size ? partner : size - 1);
        if (there) fold = lane & step ? T(op(other, fold)) : T(op(fold, other));
    }
    return fold;
}

}  // namespace upsweep
