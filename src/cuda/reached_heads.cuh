// The heads of segments that a block looks at (segment_tile.cuh), and the next one on either side of any
// element.
#pragma once

#include <cstdint>

namespace upsweep::cuda::detail {

inline constexpr std::uint32_t no_head = ~std::uint32_t{0};

inline constexpr unsigned told_warps = 16;

// What a block's threads tell each other: of the window the first head, the last one, and the first one
// behind it; no_head where there is none. Others are of each warp.
struct told_heads {
    unsigned first, last, next;
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

    // By all threads, of the first `window` elements and what is behind; told.longest are of the segments
    // that begin in the window, of which the last one ends at `end` at most, or more. Followed by a barrier.
    template <unsigned Window>
    __device__ __forceinline__ void set(const own_words& own, unsigned end, told_heads& told) const {
        static_assert(Window % (32 * words_of_thread) == 0);
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
        // Of the lanes with heads, the nearest ones.
        const unsigned with_heads = __ballot_sync(everybody, last != 0);
        const unsigned in_front = with_heads & ((1u << lane) - 1), later = with_heads & (0xfffffffeu << lane);
        unsigned before = __shfl_sync(everybody, last, 31 - __clz(int(in_front | 1)));
        unsigned behind = __shfl_sync(everybody, next, __ffs(int(later | 1u << 31)) - 1);
        // Of the warp's, the last and the first one, or that there are none.
        if (lane == 31 - unsigned(__clz(int(with_heads | 1)))) told.lasts[warp] = last;
        if (lane == unsigned(__ffs(int(with_heads | 1u << 31))) - 1) told.nexts[warp] = next;
        __syncthreads();
        const unsigned lasts = __reduce_max_sync(everybody, lane < warp ? told.lasts[lane] : 0);
        const unsigned nexts =
            __reduce_min_sync(everybody, lane > warp && lane < warps ? told.nexts[lane] : none);
        if (in_front == 0) before = lasts;
        if (later == 0) behind = nexts;
        const unsigned first_head = next != none ? next : behind;  // in this thread's words or behind
        if (threadIdx.x == 0) told.first = first_head < Window ? first_head : no_head;
        if (first == Window / 32) {
            told.last = before - 1;
            told.next = first_head != none ? first_head : no_head;
        }
        unsigned longest = 0;
#pragma unroll
        for (unsigned w = 0; w < words_of_thread; ++w) {
            unsigned behind_own = behind;
#pragma unroll
            for (unsigned k = words_of_thread - 1; k > w; --k)
                if (own[k] != 0) behind_own = first_of(own[k], first + k);
            const unsigned at = (first + w) * 32;
            if (at < Window) {
                const unsigned of_word = longest_of(own[w], at, behind_own < end ? behind_own : end);
                longest = of_word > longest ? of_word : longest;
            }
            if (first + w < Words) words_[first + w] = {own[w], before | behind_own << 16};
            if (own[w] != 0) before = behind_last(own[w], first + w);
        }
        longest = __reduce_max_sync(everybody, longest);
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
    static constexpr unsigned everybody = 0xffffffffu;
    static_assert(warps <= told_warps);

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
