// Partition of a warp's elements: those that belong to the left first, then the others, both in their order.
// No shared memory, no barrier.
//
// An element's place is the number of left ones before it, or the number of all left ones plus the number of
// others before it. Lanes can only fetch, so each then searches for the lane whose element comes to it.
// (Blelloch, "Prefix sums and their applications", 1990, calls the operation split.)
//
//     {3, 7, 1, 8, 2, 9, 4, 6}, x < 5   ->   {3, 1, 2, 4, 7, 8, 9, 6}
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include "upsweep/collectives/warp_reduce.hpp"
#include "upsweep/collectives/warp_scan.hpp"
#include "upsweep/core/group.hpp"
#include "upsweep/core/portability.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {
namespace core {

// The position of set bit number `rank`, counted from 0 upwards. Precondition: there are more than `rank`.
template <std::unsigned_integral Mask>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE unsigned position_of_set_bit(Mask mask, unsigned rank) {
    unsigned position = 0;
    for (unsigned half = sizeof(Mask) * 4; half > 0; half /= 2) {
        const Mask lower = (mask >> position) & ((Mask{1} << half) - 1);
        const auto count = static_cast<unsigned>(std::popcount(lower));
        if (rank >= count) {
            rank -= count;
            position += half;
        }
    }
    return position;
}

}  // namespace core

// The place that the calling lane's element takes in the partition, for callers that store it themselves.
// left_count, if given, becomes the number of left elements. Collective over the warp. Cost: one ballot.
UPSWEEP_EITHER_SIDE
template <warp_group Warp>
[[nodiscard]] UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE unsigned warp_partition_place(
    const Warp& warp, bool left, unsigned* left_count = nullptr) {
    const auto mask = warp.ballot(left);
    const auto before = mask & ((decltype(mask){1} << warp.lane()) - 1);
    const auto lefts_before = static_cast<unsigned>(std::popcount(before));
    const auto lefts = static_cast<unsigned>(std::popcount(mask));
    if (left_count != nullptr) *left_count = lefts;
    return left ? lefts_before : lefts + (warp.lane() - lefts_before);
}

// The element that comes to the calling lane if those with `left` go to the left. left_count, if given,
// becomes their number. Collective over the warp. Cost: one ballot, one shuffle, and log2(width) steps on the
// mask.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T warp_partition_if(const Warp& warp, const T& x, bool left,
                                                              unsigned* left_count = nullptr) {
    const auto mask = warp.ballot(left);
    const auto lefts = static_cast<unsigned>(std::popcount(mask));
    if (left_count != nullptr) *left_count = lefts;
    const bool wants_left = warp.lane() < lefts;
    // Bits past the warp's size are set in the inverted mask, but behind all others.
    const auto candidates = wants_left ? mask : static_cast<decltype(mask)>(~mask);
    return warp.shuffle(
        x, core::position_of_set_bit(candidates, wants_left ? warp.lane() : warp.lane() - lefts));
}

// The same from scans alone, for groups without a fast ballot: an exclusive scan of the left ones, one of the
// others, and a butterfly for their number.
// Cost: about 4 log2(size) shuffles.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T>
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T warp_partition_by_scans(const Warp& warp, const T& x, bool left,
                                                                    unsigned* left_count = nullptr) {
    const unsigned lefts_before = warp_exclusive_scan(warp, left ? 1u : 0u, plus{});
    const unsigned others_before = warp_exclusive_scan(warp, left ? 0u : 1u, plus{});
    const unsigned lefts = warp_reduce(warp, left ? 1u : 0u, plus{});
    if (left_count != nullptr) *left_count = lefts;

    // The source is the last lane that has at most `rank` of its kind before it: the counts never decrease,
    // and behind the source they are greater.
    const bool wants_left = warp.lane() < lefts;
    const unsigned rank = wants_left ? warp.lane() : warp.lane() - lefts;
    unsigned source = 0;
    for (unsigned step = warp.width() / 2; step > 0; step /= 2) {
        const unsigned candidate = source + step;
        const unsigned there = candidate < warp.size() ? candidate : warp.size() - 1;
        const unsigned lefts_there = warp.shuffle(lefts_before, there);
        const unsigned others_there = warp.shuffle(others_before, there);
        if (candidate < warp.size() && (wants_left ? lefts_there : others_there) <= rank) source = candidate;
    }
    return warp.shuffle(x, source);
}

// The partition around a pivot: elements with x < pivot to the left. A NaN is not below anything, so it goes
// to the right. Collective over the warp.
UPSWEEP_EITHER_SIDE
template <warp_group Warp, exchangeable T>
requires requires(const T& a) {
    { a < a } -> std::convertible_to<bool>;
}
UPSWEEP_HOST_DEVICE UPSWEEP_ALWAYS_INLINE T warp_partition(const Warp& warp, const T& x,
                                                           const std::type_identity_t<T>& pivot,
                                                           unsigned* left_count = nullptr) {
    return warp_partition_if(warp, x, x < pivot, left_count);
}

}  // namespace upsweep
