// The heads of segments that a block looks at (segment_tile.cuh), and the next one on either side of any
// element.
#pragma once

#include <cstdint>

namespace upsweep::cuda::detail {

inline constexpr std::uint32_t no_head = ~std::uint32_t{0};

inline constexpr unsigned told_warps = 16;

struct told_heads {
    unsigned first, last;  // of those in the window
    unsigned end;          // of the segment that begins at the last
    std::uint32_t lasts[told_warps], nexts[told_warps], longest[told_warps];
};

// The heads in the reach of a block of so many threads, which bring so many words of them each; bits counted
// from its window's first element.
template <unsigned Threads, unsigned Words>
class reached_heads {
  public:
    static constexpr unsigned words_of_thread = (Words + Threads - 1) / Threads;
    // The last one is read, and may be anything.
    static constexpr int bytes = int(Words + 1) * int(sizeof(uint2));
    using own_words = std::uint32_t[words_of_thread];

    // For each word of heads two words: itself, and below one more than the last head in front of it, above
    // the first one behind it.
    __device__ __forceinline__ explicit reached_heads(char* shared)
        : words_(reinterpret_cast<uint2*>(shared)) {}

    // By all threads; told.longest are those of the segments that begin in the window, of which the last one
    // ends at `end` at most, or more. Followed by a barrier.
    __device__ __forceinline__ void set(const own_words& own, unsigned window, unsigned end,
                                        told_heads& told) const {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const unsigned first = threadIdx.x * words_of_thread;
        // In the words up to this thread's, and in those from them on.
        unsigned last = 0, next = none;
#pragma unroll
        for (unsigned w = 0; w < words_of_thread; ++w) {
            if (own[w] != 0) last = behind_last(own[w], first + w);
            if (own[words_of_thread - 1 - w] != 0)
                next = first_of(own[words_of_thread - 1 - w], first + words_of_thread - 1 - w);
        }
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
        unsigned longest = 0;
#pragma unroll
        for (unsigned w = 0; w < words_of_thread; ++w) {
            unsigned behind_own = behind;
#pragma unroll
            for (unsigned later = words_of_thread - 1; later > w; --later)
                if (own[later] != 0) behind_own = first_of(own[later], first + later);
            const unsigned at = (first + w) * 32;
            if (at < window) {
                const unsigned of_word = longest_of(own[w], at, behind_own < end ? behind_own : end);
                longest = of_word > longest ? of_word : longest;
            }
            if (first + w < Words) words_[first + w] = {own[w], before | behind_own << 16};
            if (own[w] != 0) before = behind_last(own[w], first + w);
        }
        longest = most_of_warp(longest);
        if (lane == 0) told.longest[warp] = longest;
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

    // Bit k: whether i + k is a head, of 32 of them; behind the reach it may be anything.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t bits_from(unsigned i) const {
        return __funnelshift_r(words_[i / 32].x, words_[i / 32 + 1].x, i);
    }

    // Of the heads in word w: the first one, and what is behind the last one.
    __device__ __forceinline__ static unsigned first_of(std::uint32_t word, unsigned w) {
        return w * 32 + unsigned(__ffs(int(word))) - 1;
    }
    __device__ __forceinline__ static unsigned behind_last(std::uint32_t word, unsigned w) {
        return w * 32 + 32 - unsigned(__clz(int(word)));
    }

  private:
    static constexpr unsigned warps = Threads / 32;
    static constexpr unsigned none = 0xffff;  // behind all
    static_assert(warps <= told_warps);

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
};

}  // namespace upsweep::cuda::detail
