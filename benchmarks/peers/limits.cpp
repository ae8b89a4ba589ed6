// Copies and updates with the widest vectors that the compiler was told of.
#include "limits.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace bench {

void copy_non_temporal(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 256 <= bytes; i += 256) {
        const __m512i a = _mm512_loadu_si512(from + i), b = _mm512_loadu_si512(from + i + 64);
        const __m512i c = _mm512_loadu_si512(from + i + 128), d = _mm512_loadu_si512(from + i + 192);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), a);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 64), b);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 128), c);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + 192), d);
    }
    _mm_sfence();
#elif defined(__AVX__)
    for (; i + 128 <= bytes; i += 128) {
        const auto* source = reinterpret_cast<const __m256i*>(from + i);
        auto* target = reinterpret_cast<__m256i*>(to + i);
        const __m256i a = _mm256_loadu_si256(source), b = _mm256_loadu_si256(source + 1);
        const __m256i c = _mm256_loadu_si256(source + 2), d = _mm256_loadu_si256(source + 3);
        _mm256_stream_si256(target, a);
        _mm256_stream_si256(target + 1, b);
        _mm256_stream_si256(target + 2, c);
        _mm256_stream_si256(target + 3, d);
    }
    _mm_sfence();
#elif defined(__SSE2__)
    for (; i + 64 <= bytes; i += 64) {
        const auto* source = reinterpret_cast<const __m128i*>(from + i);
        auto* target = reinterpret_cast<__m128i*>(to + i);
        for (int j = 0; j < 4; ++j) _mm_stream_si128(target + j, _mm_loadu_si128(source + j));
    }
    _mm_sfence();
#endif
    std::memcpy(to + i, from + i, bytes - i);
}

void read_modify_write(std::byte* data, std::size_t bytes) {
    auto* words = reinterpret_cast<std::uint32_t*>(data);
    const std::size_t count = bytes / sizeof(std::uint32_t);
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) words[i] += 1;
}

void read_words(const std::byte* data, std::size_t bytes) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(data);
    const std::size_t count = bytes / sizeof(std::uint64_t);
    std::uint64_t read = 0;
#pragma omp simd reduction(| : read)
    for (std::size_t i = 0; i < count; ++i) read |= words[i];
    asm volatile("" : : "r"(read));  // which the compiler therefore cannot leave out
}

}  // namespace bench
