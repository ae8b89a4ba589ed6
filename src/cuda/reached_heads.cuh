// The heads of segments that a block looks at (segment_tile.cuh), and the next one on either side of any
// element.
#pragma once

#include <cstdint>

namespace upsweep::cuda::detail {

inline constexpr std::uint32_t no_head = ~std::uint32_t{0};

struct told_heads {
    unsigned first, last;                             // of those in the window
    unsigned end;                                     // of the segment that begins at the last
    std::uint32_t lasts[16], nexts[16], longest[16];  // by warps
};

// The heads in a block's reach, bits counted from its window's first element.
class reached_heads {
  public:
    // For each word of heads two words: itself, and below one more than the last head in front of it, above
    // the first one behind it.
    __device__ __forceinline__ reached_heads(char* shared, unsigned words)
        : words_(reinterpret_cast<uint2*>(shared)), count_(words) {}

    // By all threads, of which each brings a word; told.longest are those of the segments that begin in the
    // window, of which the last one ends at `end` at most, or more. Followed by a barrier.
    __device__ __forceinline__ void set(std::uint32_t word, unsigned window, unsigned end,
                                        told_heads& told) const {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = threadIdx.x * 32;
        // In the words up to this one, and in those from it on.
        unsigned last = word == 0 ? 0 : at + 32 - unsigned(__clz(int(word)));
        unsigned next = word == 0 ? none : at + unsigned(__ffs(int(word))) - 1;
#pragma unroll
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const unsigned left = __shfl_up_sync(0xffffffffu, last, distance);
            const unsigned right = __shfl_down_sync(0xffffffffu, next, distance);
            if (lane >= distance) last = left > last ? left : last;
            if (lane + distance < 32) next = right < next ? right : next;
        }
        if (lane == 31) told.lasts[warp] = last;
        if (lane == 0) told.nexts[warp] = next;
        unsigned before = __shfl_up_sync(0xffffffffu, last, 1),
                 behind = __shfl_down_sync(0xffffffffu, next, 1);
        if (lane == 0) before = 0;
        if (lane == 31) behind = none;
        __syncthreads();
        const unsigned lasts = most_of_warp(lane < warp ? told.lasts[lane] : 0);
        const unsigned nexts = ~most_of_warp(lane > warp && lane < warps ? ~told.nexts[lane] : ~none);
        before = lasts > before ? lasts : before;
        behind = nexts < behind ? nexts : behind;
        const unsigned longest =
            most_of_warp(at < window ? longest_of(word, at, behind < end ? behind : end) : 0);
        if (lane == 0) told.longest[warp] = longest;
        if (threadIdx.x < count_) words_[threadIdx.x] = {word, before | behind << 16};
    }

    // The last head at i or in front of it, which there must be.
    [[nodiscard]] __device__ __forceinline__ unsigned last(unsigned i) const {
        const uint2 own = words_[i / 32];
        const unsigned bits = own.x & (0xffffffffu >> (31 - i % 32));
        const unsigned before = (own.y & 0xffffu) - 1;
        return bits == 0 ? before : (i | 31) - unsigned(__clz(int(bits)));
    }
    // The first head behind i, or `end`, whichever comes first.
    [[nodiscard]] __device__ __forceinline__ unsigned next(unsigned i, unsigned end) const {
        const uint2 own = words_[i / 32];
        const unsigned bits = own.x & (0xfffffffeu << (i % 32));
        const unsigned at = bits == 0 ? own.y >> 16 : i / 32 * 32 + unsigned(__ffs(int(bits))) - 1;
        return at < end ? at : end;
    }

  private:
    static constexpr unsigned warps = 16;
    static constexpr unsigned none = 0xffff;  // behind all

    // The greatest of what the lanes of a warp bring.
    [[nodiscard]] __device__ __forceinline__ static unsigned most_of_warp(unsigned own) {
#pragma unroll
        for (unsigned distance = 16; distance != 0; distance /= 2) {
            const unsigned other = __shfl_xor_sync(0xffffffffu, own, int(distance));
            own = other > own ? other : own;
        }
        return own;
    }
    // Elements of the longest segment that begins in the word of elements from `at` on, or up to twice as
    // many; `next` is the first head behind the word.
    __device__ __forceinline__ static unsigned longest_of(std::uint32_t word, unsigned at, unsigned next) {
        if (word == 0) return 0;
        const unsigned last = next - (at + 31 - unsigned(__clz(int(word))));
        // Of the others, by whether there are 8 or 16 elements one after the other that are no heads.
        std::uint32_t run = ~word & ~word >> 1;
        run &= run >> 2;
        run &= run >> 4;
        const unsigned others = (run & run >> 8) != 0 ? 32 : run != 0 ? 16 : 8;
        return last < others ? others : last;
    }

    uint2* words_;
    unsigned count_;
};

}  // namespace upsweep::cuda::detail
