// Two vectorised scans of one block, used alone and as the body of a parallel scan: OpenMP's `simd inscan`,
// and one written by hand with shuffles inside 128-bit lanes (AVX-512, AVX2 or 128-bit vectors, as the
// machine has it).
#pragma once

#include "fold.hpp"

#include <cstring>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace bench {

#if defined(__AVX512BW__)
inline constexpr std::size_t vector_bytes = 64;
inline constexpr std::string_view vector_name = "AVX-512";
#elif defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
inline constexpr std::string_view vector_name = "AVX2";
#else
inline constexpr std::size_t vector_bytes = 16;
inline constexpr std::string_view vector_name = "128-bit";
#endif

template <class Fold>
struct simd_body {
    using T = typename Fold::type;
    typedef T vector __attribute__((vector_size(vector_bytes)));

    static constexpr std::size_t width = vector_bytes / sizeof(T);
    static constexpr std::size_t lane = 16 / sizeof(T);  // elements in 128 bits
    using indices = std::make_index_sequence<width>;

    // Inclusive scan of n elements onto `carry`; returns the new carry.
    static T scan(const T* in, T* out, std::size_t n, T carry) {
        constexpr std::size_t step = 4 * width;
        vector running = vector{} + carry;
        std::size_t i = 0;
        for (; i + step <= n; i += step) {
            vector v[4];
            vector before[4];
            for (int k = 0; k < 4; ++k) v[k] = scan_vector(load(in + i + k * width));
            vector total = broadcast_last(v[0]);
            before[0] = running;
            for (int k = 1; k < 4; ++k) {
                before[k] = fold(running, total);
                total = fold(total, broadcast_last(v[k]));
            }
            for (int k = 0; k < 4; ++k) store(out + i + k * width, fold(before[k], v[k]));
            running = fold(running, total);
        }
        for (; i + width <= n; i += width) {
            const vector v = fold(running, scan_vector(load(in + i)));
            store(out + i, v);
            running = broadcast_last(v);
        }
        carry = running[0];
        for (; i < n; ++i) out[i] = carry = typename Fold::function{}(carry, in[i]);
        return carry;
    }

  private:
    static vector load(const T* from) {
        vector v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static void store(T* to, vector v) { std::memcpy(to, &v, sizeof v); }

    static vector fold(vector a, vector b) {
        if constexpr (!Fold::is_maximum) return a + b;
#if defined(__AVX512BW__)
        else if constexpr (std::is_same_v<T, float>)
            return (vector)_mm512_max_ps((__m512)a, (__m512)b);
        else if constexpr (std::is_same_v<T, double>)
            return (vector)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
        else if constexpr (std::is_same_v<T, float>)
            return (vector)_mm256_max_ps((__m256)a, (__m256)b);
        else if constexpr (std::is_same_v<T, double>)
            return (vector)_mm256_max_pd((__m256d)a, (__m256d)b);
#endif
        else
            return a < b ? b : a;
    }

    // Moves elements up by K inside each 128-bit lane and fills with the identity: one palignr or pslldq.
    template <std::size_t K, std::size_t... I>
    static vector shift(vector v, std::index_sequence<I...>) {
        const vector identity = vector{} + Fold::identity;
        return __builtin_shufflevector(identity, v, (I % lane < K ? I : width + I - K)...);
    }
    // Gives every lane the last element of the lane D before it, the first D lanes the identity.
    template <std::size_t D, std::size_t... I>
    static vector lane_total(vector v, std::index_sequence<I...>) {
        const vector identity = vector{} + Fold::identity;
        return __builtin_shufflevector(identity, v,
                                       (I / lane < D ? I : width + (I / lane - D) * lane + lane - 1)...);
    }
    template <std::size_t... I>
    static vector spread_last(vector v, std::index_sequence<I...>) {
        return __builtin_shufflevector(v, v, (I - I + width - 1)...);
    }
    static vector broadcast_last(vector v) { return spread_last(v, indices{}); }

    static vector scan_vector(vector v) {
        if constexpr (lane > 1) v = fold(shift<1>(v, indices{}), v);
        if constexpr (lane > 2) v = fold(shift<2>(v, indices{}), v);
        if constexpr (lane > 4) v = fold(shift<4>(v, indices{}), v);
        if constexpr (lane > 8) v = fold(shift<8>(v, indices{}), v);
        if constexpr (width > lane) v = fold(lane_total<1>(v, indices{}), v);
        if constexpr (width > 2 * lane) v = fold(lane_total<2>(v, indices{}), v);
        return v;
    }
};

template <class Fold>
struct inscan_body {
    using T = typename Fold::type;
    static T scan(const T* in, T* out, std::size_t n, T carry) {
        if constexpr (Fold::is_maximum) {
#pragma omp simd reduction(inscan, max : carry)
            for (std::size_t i = 0; i < n; ++i) {
                carry = carry < in[i] ? in[i] : carry;
#pragma omp scan inclusive(carry)
                out[i] = carry;
            }
        } else {
#pragma omp simd reduction(inscan, + : carry)
            for (std::size_t i = 0; i < n; ++i) {
                carry += in[i];
#pragma omp scan inclusive(carry)
                out[i] = carry;
            }
        }
        return carry;
    }
};

template <class Fold>
typename Fold::type reduce_block(const typename Fold::type* in, std::size_t n) {
    typename Fold::type total = Fold::identity;
    if constexpr (Fold::is_maximum) {
#pragma omp simd reduction(max : total)
        for (std::size_t i = 0; i < n; ++i) total = total < in[i] ? in[i] : total;
    } else {
#pragma omp simd reduction(+ : total)
        for (std::size_t i = 0; i < n; ++i) total += in[i];
    }
    return total;
}

// An exclusive scan is the inclusive one of all but the last element, stored one place later; not in place
// therefore.
template <class Body, class Fold, bool Exclusive>
typename Fold::type scan_block(const typename Fold::type* in, typename Fold::type* out, std::size_t n,
                               typename Fold::type carry) {
    if constexpr (!Exclusive) return Body::scan(in, out, n, carry);
    if (n == 0) return carry;
    out[0] = carry;
    carry = Body::scan(in, out + 1, n - 1, carry);
    return typename Fold::function{}(carry, in[n - 1]);
}

}  // namespace bench
