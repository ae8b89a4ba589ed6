// What is merged with what where a block sorts segments (segment_tile.cuh), whose threads have some
// neighbours in order: stretches of neighbouring threads, twice as many each time, where a segment reaches
// from one into the other, so that what no segment connects costs little.
#pragma once

#include "reached_heads.cuh"

namespace upsweep::cuda::detail {

// `Items` neighbours a thread.
template <unsigned Items, class Heads>
class segment_stretches {
  public:
    // Two stretches of as many threads, [begin, middle) and [middle, end), and the segment that reaches from
    // one into the other: head and next are where it begins and ends; head is the middle if there is none.
    struct pair {
        unsigned begin, middle, end;
        unsigned head, next;

        __device__ __forceinline__ bool has_segment() const { return head != middle * Items; }
        // Whether the segment is in so many threads on either side.
        __device__ __forceinline__ bool is_inside(unsigned count) const {
            return head + count * Items >= middle * Items && next <= (middle + count) * Items;
        }
    };

    // Of n elements from `from` on, counted as heads are.
    __device__ __forceinline__ segment_stretches(const Heads& heads, unsigned from, unsigned n)
        : heads_(heads), from_(from), n_(n) {}

    // By all threads of a block: bool merge(pair) reads what its places receive of two stretches, in each of
    // which the segment is in order, and tells whether they receive any; store() then writes it. No segment
    // has more than `longest` elements.
    template <class Merge, class Store>
    __device__ __forceinline__ void merge_all(unsigned longest, const Merge& merge,
                                              const Store& store) const {
        // Stretches of `reach` threads are merged in pairs, and then those on either side of where pairs
        // meet, between which no segment reaches farther, unless they are warps. Those that do go on.
        // Where a segment crosses, it has an element on the other side too, so it may have one more than
        // threads of a stretch.
        unsigned reach = 1;
        while (reach * Items + 1 < longest && reach < warp) reach *= 2;
        enum { pairs, between, far } step = pairs;
        for (unsigned half = 1;;) {
            const bool by_warps = half < warp && step == pairs;
            sync(by_warps);
            const pair two =
                step == between ? at((threadIdx.x / reach + 1) / 2 * 2 * reach, reach) : of(half);
            const bool is_due =
                step == pairs || two.is_inside(step == between ? reach : warp) == (step == between);
            const bool has_changed = is_due && two.has_segment() && merge(two);
            sync(by_warps);
            if (has_changed) store();
            if (step == between) {
                if (longest <= reach * Items + 1 || __syncthreads_or(reaches_far()) == 0) break;
                step = far;
            }
            if (step == pairs && half == reach) {
                if (n_ <= reach * Items) break;
                step = between;
            } else {
                half *= 2;
                if (step == far && half * Items >= n_) break;
            }
        }
        __syncthreads();
    }

  private:
    static constexpr unsigned warp = 32;  // threads of it

    __device__ __forceinline__ pair at(unsigned middle, unsigned half) const {
        const unsigned place = middle * Items;
        pair made{middle - half, middle, middle + half, place, place};
        if (place >= n_ || middle < half) return made;
        made.head = heads_.last(from_ + place) - from_;
        made.next = heads_.next(from_ + place, from_ + n_) - from_;
        return made;
    }
    __device__ __forceinline__ pair of(unsigned half) const {
        return at(threadIdx.x / (2 * half) * (2 * half) + half, half);
    }
    // Whether the segment at this warp's first place is in more than two warps.
    __device__ __forceinline__ bool reaches_far() const {
        return !at(threadIdx.x / warp * warp, warp).is_inside(warp);
    }
    __device__ __forceinline__ static void sync(bool of_warp) {
        if (of_warp)
            __syncwarp();
        else
            __syncthreads();
    }

    const Heads& heads_;
    unsigned from_, n_;
};

}  // namespace upsweep::cuda::detail
