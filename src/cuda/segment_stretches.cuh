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
    // What is merged: places [low, middle) and [middle, high) of a segment, by 2^log_threads threads from
    // `first` on. Nothing is if low is the middle.
    struct pair {
        unsigned first, log_threads;
        unsigned low, middle, high;
    };

    // Of n elements from `from` on, counted as heads are.
    __device__ __forceinline__ segment_stretches(const Heads& heads, unsigned from, unsigned n)
        : heads_(heads), from_(from), n_(n) {}

    // By all threads of a block: bool merge(pair) reads what its places receive of two stretches, in each of
    // which the segment is in order, and tells whether they receive any; store() then writes it. No segment
    // has more than `longest` elements. bool stop() is called once, by all, for the first barrier of the
    // block: if it tells so, nothing more is done. Ends with a barrier.
    template <class Merge, class Store, class Stop>
    __device__ __forceinline__ void merge_all(unsigned longest, const Merge& merge, const Store& store,
                                              const Stop& stop) const {
        // Stretches of `reach` threads are made of pairs of shorter ones. Then all segments that have no more
        // elements than such a stretch are merged at once, as none of them reaches over two borders. If there
        // are longer ones, stretches are warps, and those segments go on.
        unsigned reach = 1;
        while (reach * Items < longest && reach < warp) reach *= 2;
        enum { pairs, borders, far } step = reach == 1 ? borders : pairs;
        for (unsigned half = 1;;) {
            if (step == pairs)
                __syncwarp();
            else if (step == far)
                __syncthreads();
            else if (stop() || n_ <= reach * Items)
                return;
            const pair two = step == borders ? over_border(reach) : of_pair(half, step == far);
            const bool has_changed = two.low != two.middle && merge(two);
            if (step == pairs)
                __syncwarp();
            else
                __syncthreads();
            if (has_changed) store();
            if (step == borders) {
                if (longest <= reach * Items || __syncthreads_or(reaches_far()) == 0) break;
                step = far;
                half = reach;
            } else {
                half *= 2;
                if (step == pairs && half == reach) step = borders;
                if (step == far && half * Items >= n_) break;
            }
        }
        __syncthreads();
    }

  private:
    static constexpr unsigned warp = 32;  // threads of it

    // The segment at the border in front of thread `middle`, if it reaches over it.
    struct crossing {
        unsigned head, middle, next;
        __device__ __forceinline__ bool is_one() const { return head != middle; }
        __device__ __forceinline__ unsigned size() const { return next - head; }
    };
    __device__ __forceinline__ crossing at(unsigned middle) const {
        const unsigned place = middle * Items;
        if (place >= n_) return {place, place, place};
        return {heads_.last(from_ + place) - from_, place, heads_.next(from_ + place, from_ + n_) - from_};
    }
    // This thread's two stretches of `half` threads; `only_far`: of segments that have more than a warp.
    __device__ __forceinline__ pair of_pair(unsigned half, bool only_far) const {
        const unsigned begin = threadIdx.x & (0 - 2 * half);
        const crossing one = at(begin + half);
        const unsigned low = begin * Items, high = low + 2 * half * Items;
        const bool is_due = one.is_one() && !(only_far && one.size() <= warp * Items);
        return {begin, log2_of(2 * half), is_due ? (one.head > low ? one.head : low) : one.middle, one.middle,
                one.next < high ? one.next : high};
    }
    // The nearest border between stretches of `reach` threads.
    __device__ __forceinline__ pair over_border(unsigned reach) const {
        const unsigned middle = (threadIdx.x + reach / 2) & (0 - reach);
        const crossing one = at(middle);
        return {middle - reach / 2, log2_of(reach), one.size() <= reach * Items ? one.head : one.middle,
                one.middle, one.next};
    }
    // Whether a segment of more than a warp begins in front of this one and ends in it or behind.
    __device__ __forceinline__ bool reaches_far() const {
        const crossing one = at(threadIdx.x / warp * warp);
        return one.is_one() && one.size() > warp * Items;
    }
    __device__ __forceinline__ static unsigned log2_of(unsigned power) {
        return unsigned(__ffs(int(power))) - 1;
    }

    const Heads& heads_;
    unsigned from_, n_;
};

}  // namespace upsweep::cuda::detail
