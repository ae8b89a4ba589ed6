// Copies and conversions in plain C++: the level `portable`, and the tails of the vector bodies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/memory_table.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cpu::portable {

struct memory {
    static void stream(void* dst, const void* src, std::size_t bytes, const void*) {
        std::memcpy(dst, src, bytes);
    }
    static void fence() {}
    template <class T>
    static void reverse(void* dst, const void* src, std::size_t count) {
        std::reverse_copy(static_cast<const T*>(src), static_cast<const T*>(src) + count,
                          static_cast<T*>(dst));
    }
    template <class T>
    static void transpose(void* dst, std::ptrdiff_t dst_stride, const void* src, std::ptrdiff_t src_stride,
                          std::size_t rows, std::size_t columns) {
        auto* to = static_cast<T*>(dst);
        const auto* from = static_cast<const T*>(src);
        for (std::size_t row = 0; row < rows; ++row, from += src_stride, ++to) {
            for (std::size_t column = 0; column < columns; ++column) {
                to[static_cast<std::ptrdiff_t>(column) * dst_stride] = from[column];
            }
        }
    }
    template <class T>
    static void deinterleave(void* lines, std::size_t pitch, const void* rows, std::size_t count,
                             std::size_t lanes) {
        transpose<T>(lines, static_cast<std::ptrdiff_t>(pitch), rows, static_cast<std::ptrdiff_t>(lanes),
                     count, lanes);
    }
    template <class T>
    static void interleave(void* rows, const void* lines, std::size_t pitch, std::size_t count,
                           std::size_t lanes) {
        transpose<T>(rows, static_cast<std::ptrdiff_t>(lanes), lines, static_cast<std::ptrdiff_t>(pitch),
                     lanes, count);
    }
    // bits[...] of is_set(0), is_set(1), ...
    template <class Test>
    static void mark(std::size_t count, std::uint64_t* bits, const Test& is_set) {
        for (std::size_t i = 0; i < count; i += 64) {
            std::uint64_t word = 0;
            for (std::size_t k = 0; k < std::min<std::size_t>(64, count - i); ++k)
                word |= static_cast<std::uint64_t>(is_set(i + k)) << k;
            *bits++ = word;
        }
    }
    template <class T>
    static void mark_nonzero(const void* words, std::size_t count, std::uint64_t* bits) {
        const auto* x = static_cast<const T*>(words);
        mark(count, bits, [=](std::size_t i) { return x[i] != 0; });
    }
    template <class T>
    static void mark_changes(const void* keys, std::size_t count, std::uint64_t* bits) {
        const auto* x = static_cast<const T*>(keys);
        mark(count, bits, [=](std::size_t i) { return x[i] != x[static_cast<std::ptrdiff_t>(i) - 1]; });
    }
    static void float_from_float16(float* dst, const void* src, std::size_t count) {
        widen<float16>(dst, src, count);
    }
    static void float_from_bfloat16(float* dst, const void* src, std::size_t count) {
        widen<bfloat16>(dst, src, count);
    }
    static void float16_from_float(void* dst, const float* src, std::size_t count) {
        narrow<float16>(dst, src, count);
    }
    static void bfloat16_from_float(void* dst, const float* src, std::size_t count) {
        narrow<bfloat16>(dst, src, count);
    }

  private:
    template <class Half>
    static void widen(float* dst, const void* src, std::size_t count) {
        const auto* from = static_cast<const std::uint16_t*>(src);
        for (std::size_t i = 0; i < count; ++i) dst[i] = Half::from_bits(from[i]);
    }
    template <class Half>
    static void narrow(void* dst, const float* src, std::size_t count) {
        auto* to = static_cast<std::uint16_t*>(dst);
        for (std::size_t i = 0; i < count; ++i) to[i] = Half(src[i]).bits;
    }
};
inline constexpr memory_kernels memory_table = memory_table_of<memory>();

}  // namespace upsweep::cpu::portable
