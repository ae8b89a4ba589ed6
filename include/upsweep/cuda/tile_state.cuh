// What blocks tell each other: values in global memory, published once a launch and awaited by others.
//
// A value is cut into 32-bit words, each stored together with the launch's tag as one 64-bit word. Whoever
// reads the tag in every word has the whole value: no flag beside the data, no fence, no order of stores, and
// nothing to clear between launches, because every launch has another tag.
#pragma once

#include <cstdint>

#include "upsweep/cuda/launch_state.hpp"
#include "upsweep/cuda/words.cuh"

namespace upsweep::cuda {

struct ticket {
    std::uint32_t index;
    std::uint32_t tag;
};

// Units of work are handed out in order, to blocks that are running: whoever waits for an earlier unit waits
// for a block that makes progress.
__device__ __forceinline__ ticket take_ticket(launch_state& state) {
    const unsigned long long word = atomicAdd(&state.ticket, 1ull);
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32) + 1};
}

// By the thread that took the last ticket of a launch.
__device__ __forceinline__ void prepare_next_launch(launch_state& state, std::uint32_t tag) {
    state.ticket = static_cast<unsigned long long>(tag) << 32;
}

// After 2^32 - 1 launches tags begin again, and words of an old launch must not be mistaken for a new one's.
// One warp of every block calls this in the launch with the last tag, when its block reads tagged words no
// more; the last block clears them all.
inline constexpr std::uint32_t last_tag = 0xffffffffu;

inline __device__ __noinline__ void clear_tags(launch_state& state, unsigned long long* tagged,
                                               std::uint64_t words, unsigned blocks) {
    bool last = false;
    __threadfence();  // what other blocks published, and who prepared the next launch, comes before the
                      // clearing
    if (threadIdx.x % 32 == 0) last = atomicAdd(&state.finished_blocks, 1u) + 1 == blocks;
    if (__shfl_sync(0xffffffffu, unsigned(last), 0) == 0) return;
    __threadfence();
    for (std::uint64_t i = threadIdx.x % 32; i < words; i += 32) tagged[i] = 0;
    state.ticket = 0;
    state.finished_blocks = 0;
}
inline __device__ void clear_tags(launch_state& state, unsigned long long* tagged, std::uint64_t words) {
    clear_tags(state, tagged, words, gridDim.x);
}

// Between two reads of what is not published yet. Reads in vain by all blocks delay the data of all.
__device__ __forceinline__ void pause_polling() { __nanosleep(100); }

// `count` values of type T. The words of values of one or two lie together, 16-byte aligned; of larger ones
// word k of all values does, so that a warp reads neighbours at once.
template <class T>
struct published {
    static constexpr int words = words_for<sizeof(T)>;
    static constexpr bool together = words <= 2;
    unsigned long long* tagged;
    std::uint64_t count;

    __device__ __forceinline__ unsigned long long* word(std::uint64_t i, int k) const {
        return tagged + (together ? i * words + k : k * count + i);
    }

    // The values from number i on.
    __device__ __forceinline__ published from(std::uint64_t i) const { return {word(i, 0), count}; }

    __device__ __forceinline__ void publish(std::uint64_t i, const T& value, std::uint32_t tag) const {
        const auto own = to_words(value);
#pragma unroll
        for (int k = 0; k < words; ++k) {
            const unsigned long long tagged_word = (static_cast<unsigned long long>(tag) << 32) | own.word[k];
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word(i, k)), "l"(tagged_word)
                         : "memory");
        }
    }
    // Neighbouring values as they are being read. Loads are started first, by all lanes and for all values
    // wanted, and looked at later, so that their latencies overlap.
    template <int Count>
    struct pending {
        unsigned long long tagged_word[Count * words];

        // Whether the first `wanted` of them had been published in this launch.
        __device__ __forceinline__ bool complete(std::uint32_t tag, int wanted = Count) const {
            std::uint32_t wrong = 0;
#pragma unroll
            for (int k = 0; k < Count * words; ++k) {
                const std::uint32_t difference = static_cast<std::uint32_t>(tagged_word[k] >> 32) ^ tag;
                wrong |= k / words < wanted ? difference : 0;
            }
            return wrong == 0;
        }
        __device__ __forceinline__ T value(int j = 0) const {
            word_array<words> own;
#pragma unroll
            for (int k = 0; k < words; ++k)
                own.word[k] = static_cast<std::uint32_t>(tagged_word[j * words + k]);
            return from_words<T>(own);
        }
    };
    // Starts reading the values from i on, which is a multiple of Count.
    template <int Count>
    __device__ __forceinline__ void start_reading(std::uint64_t i, pending<Count>& into) const {
        if constexpr (together && Count * words % 2 == 0) {
#pragma unroll
            for (int k = 0; k < Count * words; k += 2)
                asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                             : "=l"(into.tagged_word[k]), "=l"(into.tagged_word[k + 1])
                             : "l"(word(i, k))
                             : "memory");
        } else {
#pragma unroll
            for (int k = 0; k < Count * words; ++k)
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                             : "=l"(into.tagged_word[k])
                             : "l"(word(i + k / words, k % words))
                             : "memory");
        }
    }
    // Starts reading value i, if `wanted`; without a branch, as a load in flight must not end at one.
    __device__ __forceinline__ void start_reading_if(bool wanted, std::uint64_t i, pending<1>& into) const {
        if constexpr (words == 2) {
            asm volatile(
                "{\n"
                ".reg .pred wanted;\n"
                "setp.ne.u32 wanted, %3, 0;\n"
                "mov.u64 %0, 0;\n"
                "mov.u64 %1, 0;\n"
                "@wanted ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];\n"
                "}"
                : "=&l"(into.tagged_word[0]), "=&l"(into.tagged_word[1])
                : "l"(word(i, 0)), "r"(unsigned(wanted))
                : "memory");
        } else {
#pragma unroll
            for (int k = 0; k < words; ++k) {
                asm volatile(
                    "{\n"
                    ".reg .pred wanted;\n"
                    "setp.ne.u32 wanted, %2, 0;\n"
                    "mov.u64 %0, 0;\n"
                    "@wanted ld.relaxed.gpu.global.u64 %0, [%1];\n"
                    "}"
                    : "=&l"(into.tagged_word[k])
                    : "l"(word(i, k)), "r"(unsigned(wanted))
                    : "memory");
            }
        }
    }
};

}  // namespace upsweep::cuda
