// Scans of arrays by vectors scanned in their registers (register_operations-inl.hpp): whole vectors, groups
// of them where that is faster, and the elements that no vector fills one by one. Every vector is loaded and
// stored once.

#if defined(UPSWEEP_REGISTER_SCAN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_REGISTER_SCAN_INL_HPP
#undef UPSWEEP_REGISTER_SCAN_INL_HPP
#else
#define UPSWEEP_REGISTER_SCAN_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/register_operations-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Elements of T under Op are lanes of Codec under LaneOp.
template <class T, class Op, class Codec, class LaneOp = Op>
struct register_scan {
    using codec = Codec;
    using vectors = register_operations<typename codec::lane, LaneOp>;
    using V = typename vectors::V;
    static constexpr std::size_t width = vectors::width;

    static HWY_ATTR T fold(const T* x, std::size_t n, T start) {
        V sums[4] = {vectors::identity(), vectors::identity(), vectors::identity(), vectors::identity()};
        std::size_t i = 0;
        for (; i + 4 * width <= n; i += 4 * width) {
            for (std::size_t u = 0; u < 4; ++u)
                sums[u] = vectors::op(sums[u], load_as<codec>(x + i + u * width));
        }
        for (; i + width <= n; i += width) sums[0] = vectors::op(sums[0], load_as<codec>(x + i));
        T parts[width];
        store_as<codec>(vectors::op(vectors::op(sums[0], sums[1]), vectors::op(sums[2], sums[3])), parts);
        T folded = start;
        if (n >= width) {
            for (const T& part : parts) folded = Op()(folded, part);
        }
        for (; i < n; ++i) folded = Op()(folded, x[i]);
        return folded;
    }

    template <bool Backwards>
    static HWY_INLINE T scan_scalar(const T* x, T* y, std::size_t n, T start, bool exclusive) {
        constexpr std::ptrdiff_t direction = Backwards ? -1 : 1;
        for (std::size_t i = 0; i < n; ++i, x += direction, y += direction) {
            const T before = start;
            start = Op()(start, *x);
            *y = exclusive ? before : start;
        }
        return start;
    }

    // Of fewer elements than a vector has lanes, forwards; the others are neither read nor written. Backwards
    // that would be slow: what lies before an array is often no memory.
    static constexpr std::size_t most_scalar = 8;  // up to which one by one is faster
    static HWY_INLINE void scan_few(const T* x, T* y, std::size_t n, V& carry, bool exclusive) {
        const full<T> d;
        const auto there = hn::FirstN(d, n);
        const auto elements =
            hn::IfThenElse(there, hn::MaskedLoad(there, d, x), hn::Set(d, Op::template identity<T>()));
        const V results = vectors::template scan_next<false>(codec::encode(elements), carry, exclusive);
        hn::BlendedStore(codec::decode(results), there, d, y);
    }

    // Whole groups, at least one, of n elements; returns how many elements they have. The next group is
    // scanned within its blocks while this one gets what is before it. `ahead` is asked for from element
    // `done` of `all` on.
    template <placement Where, bool Backwards, bool Exclusive>
    static HWY_INLINE std::size_t scan_groups(const T* x, T* y, std::size_t n, V& carry,
                                              const input_ahead& ahead, std::size_t done, std::size_t all) {
        constexpr std::size_t size = vectors::group * width;
        const auto lies = [](std::size_t first) {
            return static_cast<std::ptrdiff_t>(first) * (Backwards ? -1 : 1) -
                   (Backwards ? static_cast<std::ptrdiff_t>(width - 1) : 0);
        };
        // Indices that are constants keep arrays of vectors in registers.
        return [&]<std::size_t... K>(std::index_sequence<K...>) HWY_ATTR {
            const auto begin = [&](std::size_t first, V(&v)[vectors::group]) HWY_ATTR {
                const V elements[] = {load_as<codec>(x + lies(first + K * width))...};
                const V after[] = {vectors::template scan_block<Backwards>(elements[K])...};
                ((v[K] = Exclusive ? vectors::template exclude<Backwards>(after[K], elements[K]) : after[K]),
                 ...);
                return vectors::template gather_folds<Backwards>(after);
            };
            const auto end = [&](std::size_t first, V starts, const V(&v)[vectors::group]) HWY_ATTR {
                V spread[vectors::spreads];
                vectors::template spread_lanes<Backwards>(starts, spread);
                (store_as<codec, Where>(vectors::op(vectors::template start_of<K, Backwards>(spread), v[K]),
                                        y + lies(first + K * width)),
                 ...);
            };
            V now[vectors::group];
            V folds = begin(0, now);
            std::size_t i = size;
            for (; i + size <= n; i += size) {
                prefetch<Backwards>(ahead, done + i - size, size, all, sizeof(T));
                const V starts = vectors::template before_group<Backwards>(folds, carry);
                V next[vectors::group];
                folds = begin(i, next);
                end(i - size, starts, now);
                ((now[K] = next[K]), ...);
            }
            prefetch<Backwards>(ahead, done + i - size, size, all, sizeof(T));
            end(i - size, vectors::template before_group<Backwards>(folds, carry), now);
            return i;
        }
        (std::make_index_sequence<vectors::group>());
    }

    // Whole vectors, at least one, of an exclusive scan, from element i of n on: the inclusive scan of the
    // elements one place earlier. Each is loaded before the results of the one before are stored, which may
    // lie there.
    template <placement Where, bool Backwards>
    static HWY_INLINE std::size_t scan_delayed(const T* x, T* y, std::size_t i, std::size_t n, V& carry,
                                               const input_ahead& ahead) {
        const auto at = [](std::size_t first) {
            return Backwards ? -static_cast<std::ptrdiff_t>(first + width - 1)
                             : static_cast<std::ptrdiff_t>(first);
        };
        const std::size_t begin = i;
        V elements = vectors::template slide<1, Backwards>(load_as<codec>(x + at(i)), vectors::identity());
        for (; i + 2 * width <= n; i += width) {
            prefetch<Backwards>(ahead, i, width, n, sizeof(T));
            const V next = load_as<codec>(x + at(i + width - 1));
            store_as<codec, Where>(vectors::template scan_next<Backwards>(elements, carry, false), y + at(i));
            elements = next;
        }
        const T last = *(Backwards ? x + at(i) : x + at(i) + (width - 1));
        store_as<codec, Where>(vectors::template scan_next<Backwards>(elements, carry, false), y + at(i));
        carry = vectors::op(carry, codec::encode(hn::Set(full<T>(), last)));
        return i + width - begin;
    }

    template <placement Where, bool Backwards>
    static HWY_NOINLINE T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        constexpr std::size_t together =
            std::max<std::size_t>(1, 64 / (width * sizeof(T)));  // vectors of a cache line
        constexpr std::ptrdiff_t direction = Backwards ? -1 : 1;
        const bool exclusive = pass.exclusive;
        const input_ahead ahead = pass.ahead;
        const std::size_t head = Where == placement::streamed ? until_aligned<Backwards>(y, width, n) : 0;
        start = scan_scalar<Backwards>(x, y, head, start, exclusive);
        std::size_t i = head;
        constexpr bool masks_lanes = !Backwards && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
        if (n - i >= width || (masks_lanes && n - i > most_scalar)) {
            V carry = codec::encode(hn::Set(full<T>(), start));
            const auto step = [&]() HWY_ATTR {
                const auto lowest = static_cast<std::ptrdiff_t>(Backwards ? i + width - 1 : i) * direction;
                store_as<codec, Where>(
                    vectors::template scan_next<Backwards>(load_as<codec>(x + lowest), carry, exclusive),
                    y + lowest);
                i += width;
            };
            if constexpr (vectors::in_groups) {
                if (n - i >= vectors::least_groups * vectors::group * width) {
                    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * direction;
                    i +=
                        exclusive
                            ? scan_groups<Where, Backwards, true>(x + at, y + at, n - i, carry, ahead, i, n)
                            : scan_groups<Where, Backwards, false>(x + at, y + at, n - i, carry, ahead, i, n);
                }
            }
            if constexpr (vectors::slides && !vectors::in_groups) {
                if (exclusive && n - i >= 8 * width)
                    i += scan_delayed<Where, Backwards>(x, y, i, n, carry, ahead);
            }
            while (i + together * width <= n) {
                prefetch<Backwards>(ahead, i, together * width, n, sizeof(T));
                for (std::size_t k = 0; k < together; ++k) step();
            }
            while (i + width <= n) step();
            if constexpr (masks_lanes) {
                if (n - i > most_scalar) {
                    scan_few(x + i, y + i, n - i, carry, exclusive);
                    i = n;
                }
            }
            start = hn::GetLane(codec::decode(carry));
        }
        const auto done = static_cast<std::ptrdiff_t>(i) * direction;
        return scan_scalar<Backwards>(x + done, y + done, n - i, start, exclusive);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
