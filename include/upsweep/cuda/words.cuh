// Elements in registers, as 32-bit words: how runs of any trivially copyable type are moved, whatever their
// size. A run of at least four elements is a whole number of words.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upsweep::cuda {

template <int Bytes>
inline constexpr int words_for = (Bytes + 3) / 4;

// Indexed by constants only, so that it stays in registers.
template <int Count>
struct word_array {
    std::uint32_t word[Count];
};

// Element m of the packed elements in `words`.
template <class T, int Count>
__device__ __forceinline__ T unpack(const word_array<Count>& words, int m) {
    T value;
    if constexpr (sizeof(T) % 4 == 0) {
        word_array<sizeof(T) / 4> own;
#pragma unroll
        for (int k = 0; k < int(sizeof(T) / 4); ++k) own.word[k] = words.word[m * int(sizeof(T) / 4) + k];
        std::memcpy(&value, &own, sizeof(T));
    } else if constexpr (sizeof(T) == 1 || sizeof(T) == 2) {
        using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
        const int at = m * int(sizeof(T));
        const bits own = static_cast<bits>(words.word[at / 4] >> (at % 4 * 8));
        std::memcpy(&value, &own, sizeof(T));
    } else {
        std::memcpy(&value, reinterpret_cast<const char*>(words.word) + m * sizeof(T), sizeof(T));
    }
    return value;
}

// Packs `value` as element m. Elements of one or two bytes must be packed in ascending order.
template <class T, int Count>
__device__ __forceinline__ void pack(word_array<Count>& words, int m, const T& value) {
    if constexpr (sizeof(T) % 4 == 0) {
        word_array<sizeof(T) / 4> own;
        std::memcpy(&own, &value, sizeof(T));
#pragma unroll
        for (int k = 0; k < int(sizeof(T) / 4); ++k) words.word[m * int(sizeof(T) / 4) + k] = own.word[k];
    } else if constexpr (sizeof(T) == 1 || sizeof(T) == 2) {
        using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
        bits own;
        std::memcpy(&own, &value, sizeof(T));
        const int at = m * int(sizeof(T));
        if (at % 4 == 0)
            words.word[at / 4] = own;
        else
            words.word[at / 4] |= std::uint32_t(own) << (at % 4 * 8);
    } else {
        std::memcpy(reinterpret_cast<char*>(words.word) + m * sizeof(T), &value, sizeof(T));
    }
}

// One value as words, the last one padded with zeros.
template <class T>
__device__ __forceinline__ word_array<words_for<sizeof(T)>> to_words(const T& value) {
    word_array<words_for<sizeof(T)>> words{};
    std::memcpy(&words, &value, sizeof(T));
    return words;
}
template <class T>
__device__ __forceinline__ T from_words(const word_array<words_for<sizeof(T)>>& words) {
    T value;
    std::memcpy(&value, &words, sizeof(T));
    return value;
}

// The value of lane `source` of a full warp.
template <class T>
__device__ __forceinline__ T shuffle(const T& value, int source) {
    auto words = to_words(value);
#pragma unroll
    for (int k = 0; k < words_for<sizeof(T)>; ++k)
        words.word[k] = __shfl_sync(0xffffffffu, words.word[k], source);
    return from_words<T>(words);
}
template <class T>
__device__ __forceinline__ T shuffle_up(const T& value, int distance) {
    auto words = to_words(value);
#pragma unroll
    for (int k = 0; k < words_for<sizeof(T)>; ++k)
        words.word[k] = __shfl_up_sync(0xffffffffu, words.word[k], distance);
    return from_words<T>(words);
}

__device__ __forceinline__ std::uint32_t sum_of_lanes(std::uint32_t x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, x);
#else
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
#endif
}
// What is in this lane and in those in front of it.
__device__ __forceinline__ std::uint32_t sum_up_to_lane(std::uint32_t x, int lane) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t left = __shfl_up_sync(0xffffffffu, x, distance);
        if (lane >= distance) x += left;
    }
    return x;
}

}  // namespace upsweep::cuda
