// Prefix sums over a block by a balanced tree: an up-sweep folds parts of 2, 4, 8, ... elements, a down-sweep
// hands every part the fold of all that is to its left. Fewer than 2n operations, so work-efficient;
// exclusive by nature.
//
// Blelloch, "Prefix sums and their applications", 1990; addressing without bank conflicts: Harris, Sengupta
// and Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007, section 39.2.3.
//
// A node stands for elements [a, a + 2w), cut off at n, and lives where the last of them does. If the right
// half is empty, node and left half are the same and nothing is to be done. So any n will do, without padding
// to a power of two. What is to the left of everything is the initial value or nothing, which is left out:
// operators need no identity.
//
// Grouping: with B(a, w) = B(a, w / 2) (+) B(a + w / 2, w / 2), cut off at n, for a part's fold, and i as the
// sum of powers of two w1 > w2 > ... ,
//
//     exclusive[i] = ((initial (+) B(0, w1)) (+) B(w1, w2)) (+) B(w1 + w2, w3) ...
//     inclusive[i] = exclusive[i] (+) x_i;  total = initial (+) B(0, w) for the least power of two w >= n
//
// Cost: 2 ceil(log2 n) barriers; shared memory blelloch_scratch<T>(n) elements, which is n + 1 and gaps
// against bank conflicts. Collective over the block. The shared memory must not be in use by another thread
// on entry; before it is used for anything else afterwards, call block.sync().
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

#include "upsweep/collectives/options.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
namespace core {

// Where element i of at most 1024 lives. Strides of a power of two must not meet in one of the 32 banks of 4
// bytes: behind every 128 bytes, once round the banks, is a gap of one bank, or of one element if that is
// more, and again one behind as many such rounds as there are elements in one. Elements over 16 bytes are
// moved in pieces, whose conflicts no gaps would cure.
template <class T>
UPSWEEP_HOST_DEVICE constexpr unsigned conflict_free_slot(unsigned i) {
    unsigned slot = i;
    if constexpr (sizeof(T) <= 16 && std::has_single_bit(sizeof(T))) {
        constexpr unsigned round = 128 / sizeof(T);
        constexpr unsigned gap = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
        for (unsigned rounds = round; rounds < 1024; rounds *= round) slot += i / rounds * gap;
    }
    return slot;
}

}  // namespace core

// Elements of shared memory, for a block of `threads` threads.
template <exchangeable T>
UPSWEEP_HOST_DEVICE constexpr unsigned blelloch_scratch(unsigned threads) {
    return core::conflict_free_slot<T>(threads) + 1;
}

// The fold of the elements before the calling thread's.
UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
blelloch_exclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                        const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const unsigned n = block.size(), thread = block.thread();
    const auto slot = [](unsigned i) { return core::conflict_free_slot<T>(i); };
    // The last element of the node of width 2 * half that begins at `first`.
    const auto last = [n](unsigned first, unsigned half) {
        return (n - first < 2 * half ? n : first + 2 * half) - 1;
    };
    shared.store(slot(thread), x);

    unsigned half = 1;
    for (; half < n; half *= 2) {
        block.sync();
        const unsigned first = 2 * half * thread;
        if (first + half < n) {
            const unsigned left = slot(first + half - 1), node = slot(last(first, half));
            shared.store(node, op(shared.load(left), shared.load(node)));
        }
    }

    // Thread 0 made the root, so no barrier is needed before it puts the total aside.
    const unsigned root = slot(n - 1), total = slot(n);
    if (thread == 0) {
        if (options.total != nullptr)
            shared.store(total, core::after_initial(options, shared.load(root), op));
        if (options.initial) shared.store(root, *options.initial);
    }
    for (half /= 2; half > 0; half /= 2) {
        const unsigned first = 2 * half * thread;
        if (first + half < n) {
            const unsigned left = slot(first + half - 1), node = slot(last(first, half));
            const T left_fold = shared.load(left);
            if (first > 0 || options.initial) {
                const T before = shared.load(node);
                shared.store(left, before);
                shared.store(node, op(before, left_fold));
            } else {
                shared.store(node, left_fold);
            }
        }
        block.sync();
    }
    if (options.total != nullptr) *options.total = shared.load(total);
    if (thread == 0) return core::before_first(options, x, op);
    return shared.load(slot(thread));
}

// The fold of the elements up to and including the calling thread's.
UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
blelloch_inclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                        const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T before = blelloch_exclusive_scan(block, shared, x, op, options);
    if (block.thread() == 0 && !options.initial) return x;
    return op(before, x);
}

}  // namespace upsweep
