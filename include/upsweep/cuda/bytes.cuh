// Runs of one-byte integers, folded and scanned four bytes, or twice two, at a time: sums modulo 2^8 by dot
// products with ones, minima and maxima in the 16-bit halves of words.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/words.cuh"
#include "upsweep/operators.hpp"

namespace upsweep::cuda {

// Whether a scan of these types runs on packed bytes: elements, accumulators and results of one byte,
// unchanged on the way.
template <class Types>
inline constexpr bool packs_bytes = false;

template <class Op, bool Signed>
struct packed_bytes;

template <bool Signed>
struct packed_bytes<plus, Signed> {
    // The fold of a run, modulo 2^8 at least.
    template <int Count>
    __device__ __forceinline__ static std::uint32_t fold(const word_array<Count>& words) {
        std::uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < Count; ++k) sum = __dp4a(words.word[k], 0x01010101u, sum);
        return sum;
    }
    // `before` (+) the bytes up to each, in memory order.
    template <bool Exclusive, int Count>
    __device__ __forceinline__ static word_array<Count> scan(const word_array<Count>& words,
                                                             std::uint32_t before, bool reverse) {
        word_array<Count> result;
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const std::uint32_t word =
                reverse ? __byte_perm(words.word[Count - 1 - k], 0, 0x0123) : words.word[k];
            const std::uint32_t first = __dp4a(word, 0x00000001u, before),
                                second = __dp4a(word, 0x00000101u, before),
                                third = __dp4a(word, 0x00010101u, before),
                                all = __dp4a(word, 0x01010101u, before);
            const std::uint32_t packed = Exclusive ? __byte_perm(__byte_perm(before, first, 0x0040),
                                                                 __byte_perm(second, third, 0x0040), 0x5410)
                                                   : __byte_perm(__byte_perm(first, second, 0x0040),
                                                                 __byte_perm(third, all, 0x0040), 0x5410);
            result.word[reverse ? Count - 1 - k : k] = reverse ? __byte_perm(packed, 0, 0x0123) : packed;
            before = all;
        }
        return result;
    }
};

// Minima and maxima: bytes 0 and 2 of a word in the halves of one, bytes 1 and 3 in those of another. Signed
// bytes are moved by 128, which keeps their order.
template <class Op, bool Signed>
struct packed_extrema {
    static constexpr std::uint32_t bias = Signed ? 0x80808080u : 0;
    static constexpr std::uint32_t neutral = std::is_same_v<Op, maximum> ? 0 : 0xffffu;

    __device__ __forceinline__ static std::uint32_t combine(std::uint32_t a, std::uint32_t b) {
        if constexpr (std::is_same_v<Op, maximum>)
            return __vmaxu2(a, b);
        else
            return __vminu2(a, b);
    }
    __device__ __forceinline__ static std::uint32_t even(std::uint32_t word) { return word & 0x00ff00ffu; }
    __device__ __forceinline__ static std::uint32_t odd(std::uint32_t word) {
        return __byte_perm(word, 0, 0x4341);
    }
    // A biased byte as the accumulator's bits.
    __device__ __forceinline__ static std::uint32_t widen(std::uint32_t byte) {
        if constexpr (Signed)
            return byte - 128;
        else
            return byte;
    }

    template <int Count>
    __device__ __forceinline__ static std::uint32_t fold(const word_array<Count>& words) {
        std::uint32_t pair = neutral * 0x10001u;
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const std::uint32_t word = words.word[k] ^ bias;
            pair = combine(pair, combine(even(word), odd(word)));
        }
        return widen(combine(pair, pair >> 16) & 0xffu);
    }
    template <bool Exclusive, int Count>
    __device__ __forceinline__ static word_array<Count> scan(const word_array<Count>& words,
                                                             std::uint32_t before, bool reverse) {
        word_array<Count> result;
        // Everything to the left of a word, in both halves.
        std::uint32_t left = ((before ^ bias) & 0xffu) * 0x10001u;
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const std::uint32_t word =
                (reverse ? __byte_perm(words.word[Count - 1 - k], 0, 0x0123) : words.word[k]) ^ bias;
            const std::uint32_t pairs = combine(even(word), odd(word));
            const std::uint32_t before_even = combine(left, __byte_perm(pairs, neutral, 0x1054));
            const std::uint32_t up_to_even = combine(before_even, even(word));
            const std::uint32_t up_to_odd = combine(up_to_even, odd(word));
            const std::uint32_t packed = (Exclusive ? __byte_perm(before_even, up_to_even, 0x6240)
                                                    : __byte_perm(up_to_even, up_to_odd, 0x6240)) ^
                                         bias;
            result.word[reverse ? Count - 1 - k : k] = reverse ? __byte_perm(packed, 0, 0x0123) : packed;
            left = __byte_perm(up_to_odd, 0, 0x3232);
        }
        return result;
    }
};
template <bool Signed>
struct packed_bytes<maximum, Signed> : packed_extrema<maximum, Signed> {};
template <bool Signed>
struct packed_bytes<minimum, Signed> : packed_extrema<minimum, Signed> {};

}  // namespace upsweep::cuda
