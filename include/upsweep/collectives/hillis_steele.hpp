// Prefix sums over a block in ceil(log2 size) steps, each thread taking in the value 2^k places before it.
// O(n log n) operations; the shortest program of all block scans, and what the others are compared with.
//
// Hillis and Steele, "Data parallel algorithms", Communications of the ACM 29 (12), 1986. The double-buffered
// form: Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007, section 39.2.1.
// Both group operands as warp_scan.hpp does, over threads instead of lanes.
//
// In place, a value must not be overwritten before it has been read: read, barrier, write, barrier. With two
// buffers, each step reads one and writes the other, and one barrier a step is enough.
//
//                     shared memory      barriers
//     hillis_steele          n elements  1 + 2 ceil(log2 n)
//     ... double            2n elements  1 + ceil(log2 n)
//
// All are collective over the block. The shared memory must not be in use by another thread on entry; before
// it is used for anything else afterwards, call block.sync().
#pragma once

#include <type_traits>

#include "upsweep/collectives/options.hpp"
#include "upsweep/concepts.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// Elements of shared memory, for a block of `threads` threads.
UPSWEEP_HOST_DEVICE constexpr unsigned hillis_steele_scratch(unsigned threads) { return threads; }
UPSWEEP_HOST_DEVICE constexpr unsigned hillis_steele_double_scratch(unsigned threads) { return 2 * threads; }

namespace core {

// Leaves H of every thread in shared memory, and passes a barrier behind the last write.
UPSWEEP_EITHER_SIDE
template <block_group Block, class Shared, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T hillis_steele(const Block& block, const Shared& shared, T x,
                                                          const Op& op) {
    const unsigned thread = block.thread();
    shared.store(thread, x);
    block.sync();
    for (unsigned distance = 1; distance < block.size(); distance *= 2) {
        T left = x;
        if (thread >= distance) left = shared.load(thread - distance);
        block.sync();
        if (thread >= distance) {
            x = op(left, x);
            shared.store(thread, x);
        }
        block.sync();
    }
    return x;
}

// The same with two buffers; returns the one that has the result.
UPSWEEP_EITHER_SIDE
template <block_group Block, class Shared, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE Shared hillis_steele_double(const Block& block,
                                                                      const Shared& shared, T& x,
                                                                      const Op& op) {
    const unsigned thread = block.thread();
    Shared from = shared.sub(0, block.size());
    Shared to = shared.sub(block.size(), block.size());
    from.store(thread, x);
    block.sync();
    for (unsigned distance = 1; distance < block.size(); distance *= 2) {
        if (thread >= distance) x = op(from.load(thread - distance), x);
        to.store(thread, x);
        block.sync();
        const Shared written = to;
        to = from;
        from = written;
    }
    return from;
}

// The results from H, own and in shared memory.
UPSWEEP_EITHER_SIDE
template <block_group Block, class Shared, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T inclusive_result(const Block& block, const Shared& shared,
                                                             const T& own, const Op& op,
                                                             const group_scan_options<T>& options) {
    if (options.total != nullptr) *options.total = after_initial(options, shared.load(block.size() - 1), op);
    return after_initial(options, own, op);
}
UPSWEEP_EITHER_SIDE
template <block_group Block, class Shared, class T, class Op>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T exclusive_result(const Block& block, const Shared& shared,
                                                             const T& own, const Op& op,
                                                             const group_scan_options<T>& options) {
    if (options.total != nullptr) *options.total = after_initial(options, shared.load(block.size() - 1), op);
    if (block.thread() == 0) return before_first(options, own, op);
    return after_initial(options, T(shared.load(block.thread() - 1)), op);
}

}  // namespace core

UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
hillis_steele_inclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                             const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T own = core::hillis_steele(block, shared, x, op);
    return core::inclusive_result(block, shared, own, op, options);
}

UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
hillis_steele_exclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                             const group_scan_options<std::type_identity_t<T>>& options = {}) {
    const T own = core::hillis_steele(block, shared, x, op);
    return core::exclusive_result(block, shared, own, op, options);
}

UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
hillis_steele_double_inclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                                    const group_scan_options<std::type_identity_t<T>>& options = {}) {
    T own = x;
    const Shared scanned = core::hillis_steele_double(block, shared, own, op);
    return core::inclusive_result(block, scanned, own, op, options);
}

UPSWEEP_EITHER_SIDE
template <block_group Block, exchangeable T, shared_array<T> Shared, class Op = plus>
requires combines<Op, T>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T
hillis_steele_double_exclusive_scan(const Block& block, const Shared& shared, const T& x, const Op& op = {},
                                    const group_scan_options<std::type_identity_t<T>>& options = {}) {
    T own = x;
    const Shared scanned = core::hillis_steele_double(block, shared, own, op);
    return core::exclusive_result(block, scanned, own, op, options);
}

}  // namespace upsweep
