// Vector idioms shared by the kernels: strided loads and stores that transpose within 128-bit blocks, and
// operators on vectors. Included once per SIMD level, inside Highway's foreach_target scheme.

#if defined(UPSWEEP_VECTOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_VECTOR_INL_HPP
#undef UPSWEEP_VECTOR_INL_HPP
#else
#define UPSWEEP_VECTOR_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/operators.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using full = hn::ScalableTag<T>;
template <class T>
using vector = hn::Vec<full<T>>;
template <class T>
inline constexpr std::size_t lanes = hn::MaxLanes(full<T>());
// Lanes in a 128-bit block.
template <class T>
inline constexpr std::size_t block_lanes = 16 / sizeof(T);

// A vector for several operations. Compilers load it once more for each that can have it from memory, which
// is slow where it crosses a cache line.
template <class T>
HWY_INLINE vector<T> load_once(const T* p) {
    vector<T> v = hn::LoadU(full<T>(), p);
#if HWY_ARCH_X86
    asm("" : "+v"(v.raw));
#endif
    return v;
}

// A vector whose block b is the block_lanes<T> elements from p + b * stride on.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* p, std::ptrdiff_t stride) {
    constexpr std::size_t blocks = hn::MaxLanes(D()) / block_lanes<T>;
    if constexpr (blocks <= 1) {
        return hn::LoadU(d, p);
    } else {
        const hn::Half<D> half;
        return hn::Combine(d, load_blocks(half, p + static_cast<std::ptrdiff_t>(blocks / 2) * stride, stride),
                           load_blocks(half, p, stride));
    }
}

// Streamed blocks are aligned to stream_alignment.
template <placement Where = placement::cached, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_blocks(hn::Vec<D> v, D d, T* p, std::ptrdiff_t stride) {
    constexpr std::size_t blocks = hn::MaxLanes(D()) / block_lanes<T>;
    if constexpr (blocks > 1) {
        const hn::Half<D> half;
        store_blocks<Where>(hn::LowerHalf(half, v), half, p, stride);
        store_blocks<Where>(hn::UpperHalf(half, v), half,
                            p + static_cast<std::ptrdiff_t>(blocks / 2) * stride, stride);
    } else if constexpr (Where == placement::streamed) {
        hn::Stream(v, d, p);
    } else {
        hn::StoreU(v, d, p);
    }
}

// Asks for elements [first, first + count) of the n that are ahead, `size` bytes each; backwards, the first
// lies last.
template <bool Backwards>
HWY_INLINE void prefetch(const input_ahead& ahead, std::size_t first, std::size_t count, std::size_t n,
                         std::size_t size) {
    if (HWY_LIKELY(ahead.from == nullptr)) return;  // memory is waited for in any case, caches are not
    const char* from = static_cast<const char*>(ahead.from) + (Backwards ? n - first - count : first) * size;
    const char* const end = from + count * size;
    if (ahead.far) {
        for (; from < end; from += 64) __builtin_prefetch(from, 0, 2);
    } else {
        for (; from < end; from += 64) __builtin_prefetch(from, 0, 3);
    }
    asm volatile("");  // GCC drops calls of a function that does nothing but prefetch, as without effect
}

// Asks for elements [first, first + count) of y, unless they are beyond its n, to be written.
template <bool Backwards, class T>
HWY_INLINE void claim(T* y, std::size_t first, std::size_t count, std::size_t n) {
    if (first + count > n) return;
    for (std::size_t i = first; i < first + count; i += 64 / sizeof(T))
        __builtin_prefetch(Backwards ? y - i : y + i, 1, 3);
    asm volatile("");
}

// bits[...], one bit a lane, a word of 64 lanes at a time; test(i) is the mask of lanes i, i + 1, ... Returns
// how many of `count` are done: all whole words.
template <class T, class Test>
HWY_INLINE std::size_t mark_words(std::size_t count, std::uint64_t* bits, const Test& test) {
    const full<T> d;
    std::size_t i = 0;
    for (; i + 64 <= count; i += 64) {
        std::uint64_t word = 0;
        for (std::size_t k = 0; k < 64; k += lanes<T>) {
            std::uint8_t part[8] = {};
            hn::StoreMaskBits(d, test(i + k), part);
            std::uint64_t lanes_bits;
            std::memcpy(&lanes_bits, part, 8);
            word |= lanes_bits << k;
        }
        bits[i / 64] = word;
    }
    return i;
}
// The first `count` < 64 of a word's bits.
HWY_INLINE std::uint64_t first_bits(std::uint64_t word, std::size_t count) {
    return word & ((std::uint64_t{1} << count) - 1);
}
// All bits of x[0], ..., x[count - 1], of which test(v) is the mask of a vector.
template <class T, class Test>
HWY_INLINE void mark_elements(const T* x, std::size_t count, std::uint64_t* bits, const Test& test) {
    const full<T> d;
    const std::size_t done =
        mark_words<T>(count, bits, [&](std::size_t i) HWY_ATTR { return test(hn::LoadU(d, x + i)); });
    if (done == count) return;
    T rest[64] = {};
    std::memcpy(rest, x + done, (count - done) * sizeof(T));
    std::uint64_t word = 0;
    mark_words<T>(64, &word, [&](std::size_t i) HWY_ATTR { return test(hn::LoadU(d, rest + i)); });
    bits[done / 64] = first_bits(word, count - done);
}

// Transposes the square of block_lanes<T> vectors within every 128-bit block, by perfect shuffles:
// for 32-bit lanes a0 a1 a2 a3 | b0 ... | c0 ... | d0 ...  ->  a0 b0 c0 d0 | a1 b1 c1 d1 | ...
template <class T>
HWY_INLINE void transpose(vector<T> (&v)[block_lanes<T>]) {
    constexpr std::size_t k = block_lanes<T>;
    const full<T> d;

    for (std::size_t step = 1; step < k; step *= 2) {
        vector<T> w[k];
        for (std::size_t i = 0; i < k / 2; ++i) {
            w[2 * i] = hn::InterleaveLower(d, v[i], v[i + k / 2]);
            w[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + k / 2]);
        }
        for (std::size_t i = 0; i < k; ++i) v[i] = w[i];
    }
}

// The same over whole vectors that follow each other: v[k] block b lane q = p[(q * blocks + b) * block_lanes
// + k].
template <class T>
HWY_INLINE void load_interleaved(const T* p, vector<T> (&v)[block_lanes<T>]) {
    for (std::size_t i = 0; i < block_lanes<T>; ++i) v[i] = hn::LoadU(full<T>(), p + i * lanes<T>);
    transpose<T>(v);
}
template <placement Where, class T>
HWY_INLINE void store_interleaved(vector<T> (&v)[block_lanes<T>], T* p) {
    transpose<T>(v);
    for (std::size_t i = 0; i < block_lanes<T>; ++i) {
        if constexpr (Where == placement::cached)
            hn::StoreU(v[i], full<T>(), p + i * lanes<T>);
        else if constexpr (lanes<T> * sizeof(T) == 64)
            hn::Stream(v[i], full<T>(), p + i * lanes<T>);
        else
            store_blocks<Where>(v[i], full<T>(), p + i * lanes<T>,
                                static_cast<std::ptrdiff_t>(block_lanes<T>));
    }
}

// v[k] lane l = p[l * stride + k].
template <class T>
HWY_INLINE void load_transposed(const T* p, std::ptrdiff_t stride, vector<T> (&v)[block_lanes<T>]) {
    constexpr std::size_t k = block_lanes<T>;
    for (std::size_t i = 0; i < k; ++i)
        v[i] = load_blocks(full<T>(), p + static_cast<std::ptrdiff_t>(i) * stride,
                           static_cast<std::ptrdiff_t>(k) * stride);
    transpose<T>(v);
}

template <placement Where = placement::cached, class T>
HWY_INLINE void store_transposed(vector<T> (&v)[block_lanes<T>], T* p, std::ptrdiff_t stride) {
    constexpr std::size_t k = block_lanes<T>;
    transpose<T>(v);
    for (std::size_t i = 0; i < k; ++i)
        store_blocks<Where>(v[i], full<T>(), p + static_cast<std::ptrdiff_t>(i) * stride,
                            static_cast<std::ptrdiff_t>(k) * stride);
}

// Tuples of one to four elements, one after the other: v[c] lane l = p[l * Size + c].
template <std::size_t Size, std::size_t N, class T>
HWY_INLINE void load_tuples(const T* p, vector<T> (&v)[N]) {
    static_assert(Size >= 1 && Size <= 4 && Size <= N);
    const full<T> d;
    if constexpr (Size == 1)
        v[0] = hn::LoadU(d, p);
    else if constexpr (Size == 2)
        hn::LoadInterleaved2(d, p, v[0], v[1]);
    else if constexpr (Size == 3)
        hn::LoadInterleaved3(d, p, v[0], v[1], v[2]);
    else
        hn::LoadInterleaved4(d, p, v[0], v[1], v[2], v[3]);
}
template <std::size_t Size, std::size_t N, class T>
HWY_INLINE void store_tuples(const vector<T> (&v)[N], T* p) {
    static_assert(Size >= 1 && Size <= 4 && Size <= N);
    const full<T> d;
    if constexpr (Size == 1)
        hn::StoreU(v[0], d, p);
    else if constexpr (Size == 2)
        hn::StoreInterleaved2(v[0], v[1], d, p);
    else if constexpr (Size == 3)
        hn::StoreInterleaved3(v[0], v[1], v[2], d, p);
    else
        hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, p);
}

// Of n elements, those before the first whose vector of `width` results is aligned to its size.
template <bool Backwards, class T>
HWY_INLINE std::size_t until_aligned(const T* y, std::size_t width, std::size_t n) {
    const std::size_t lanes_off = reinterpret_cast<std::uintptr_t>(Backwards ? y + 1 : y) / sizeof(T) % width;
    const std::size_t count = Backwards ? lanes_off : (width - lanes_off) % width;
    return count < n ? count : n;
}

// body.template operator()<placement, backwards>() of a pass.
template <class Body>
HWY_INLINE auto with_pass(const scan_pass& pass, const Body& body) {
    if (pass.where == placement::streamed) {
        return pass.backwards ? body.template operator()<placement::streamed, true>()
                              : body.template operator()<placement::streamed, false>();
    }
    return pass.backwards ? body.template operator()<placement::cached, true>()
                          : body.template operator()<placement::cached, false>();
}

// body.template operator()<backwards>() of a pass that never streams.
template <class Body>
HWY_INLINE void with_direction(const scan_pass& pass, const Body& body) {
    if (pass.backwards)
        body.template operator()<true>();
    else
        body.template operator()<false>();
}

// The built-in operators on vectors.
template <class Op, class V>
HWY_INLINE V combine(Op, V a, V b) {
    if constexpr (std::is_same_v<Op, plus>)
        return hn::Add(a, b);
    else if constexpr (std::is_same_v<Op, multiplies>)
        return hn::Mul(a, b);
    else if constexpr (std::is_same_v<Op, minimum>)
        return hn::Min(a, b);
    else if constexpr (std::is_same_v<Op, maximum>)
        return hn::Max(a, b);
    else if constexpr (std::is_same_v<Op, bit_and>)
        return hn::And(a, b);
    else if constexpr (std::is_same_v<Op, bit_or>)
        return hn::Or(a, b);
    else
        return hn::Xor(a, b);
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
