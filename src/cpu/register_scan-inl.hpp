// Scans of arrays by vectors, for operators under which every grouping gives the same bits. Every result is
// stored once.
//
// A scan of a vector in its register needs what is before it in all lanes: the last lane of the one before,
// broadcast. Windows do without. Every lane folds the last n elements up to its own, n being the lanes of a
// vector, over the boundary to the vector before; what is before its window are the results of that vector,
// lane by lane. Distances are doubled as by Hillis and Steele (1986). Cost per vector: log2(n) shuffles at
// most, fewer where elements are loaded from a place earlier instead, and log2(n) + 1 operations, of which
// one is in the chain from vector to vector.

#if defined(UPSWEEP_REGISTER_SCAN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_REGISTER_SCAN_INL_HPP
#undef UPSWEEP_REGISTER_SCAN_INL_HPP
#else
#define UPSWEEP_REGISTER_SCAN_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Elements of T under Op are lanes of Codec under LaneOp.
template <class T, class Op, class Codec, class LaneOp = Op>
struct register_scan {
    using codec = Codec;
    using Lane = typename codec::lane;
    using V = vector<Lane>;
    static constexpr std::size_t width = lanes<Lane>;
    static constexpr std::size_t blocks = width / block_lanes<Lane>;

    static HWY_INLINE V op(V a, V b) { return combine(LaneOp(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<Lane>(), LaneOp::template identity<Lane>()); }

    // Moves all of v by some bytes, away from the first; the last bytes of `before`, the vector next to it,
    // move in. AVX-512 does that at once for whole words of 32 bits.
    template <std::size_t bytes, bool Backwards>
    static HWY_INLINE V follow_bytes(V before, V v) {
        const full<Lane> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
        if constexpr (bytes % 4 == 0) {
            const full<std::uint32_t> words;
            const auto a = hn::BitCast(words, Backwards ? before : v),
                       b = hn::BitCast(words, Backwards ? v : before);
            constexpr int lowest = static_cast<int>((Backwards ? bytes : 64 - bytes) / 4);
            return hn::BitCast(d, hn::VFromD<decltype(words)>{_mm512_alignr_epi32(a.raw, b.raw, lowest)});
        } else {
            return follow_in_blocks<bytes, Backwards>(follow_bytes<16, Backwards>(before, v), v);
        }
#else
        if constexpr (blocks == 1) {
            if constexpr (bytes == 16)
                return before;
            else
                return follow_in_blocks<bytes, Backwards>(before, v);
        } else {
            static_assert(blocks == 2);
            const V moved =
                Backwards ? hn::ConcatLowerUpper(d, before, v) : hn::ConcatLowerUpper(d, v, before);
            if constexpr (bytes == 16)
                return moved;
            else
                return follow_in_blocks<bytes, Backwards>(moved, v);
        }
#endif
    }
    template <std::size_t bytes, bool Backwards>
    static HWY_INLINE V follow_in_blocks(V before, V v) {
        const full<Lane> d;
        if constexpr (Backwards)
            return hn::CombineShiftRightBytes<bytes>(d, before, v);
        else
            return hn::CombineShiftRightBytes<16 - bytes>(d, v, before);
    }
    // The same by k lanes.
    template <std::size_t k, bool Backwards>
    static HWY_INLINE V follow(V before, V v) {
        return follow_bytes<k * sizeof(Lane), Backwards>(before, v);
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

    // Where a vector lies whose first element is x[first], backwards x[-first].
    template <bool Backwards>
    static HWY_INLINE std::ptrdiff_t lies(std::size_t first) {
        const auto at = static_cast<std::ptrdiff_t>(first);
        return Backwards ? -at - static_cast<std::ptrdiff_t>(width - 1) : at;
    }
    // A window is put together by doubling: of the elements and those a place earlier, which are loaded, or
    // up to three places for lanes of one byte, as shuffles of single bytes across blocks are dearer than
    // loads; then of the folds of two, four, ... elements and those of the vector before. An exclusive scan
    // is the inclusive one of the elements a place earlier.
    template <bool Backwards, bool Exclusive>
    struct window_scan {
        static constexpr std::size_t loaded = !codec::is_free ? 1 : sizeof(T) == 1 && width > 16 ? 4 : 2;
        static constexpr std::size_t levels = [] {
            std::size_t count = 0;
            for (std::size_t size = loaded; size < width; size *= 2) ++count;
            return std::max<std::size_t>(count, 1);
        }();
        V now[loaded];     // now[k] has the elements k places earlier, or k + 1 of an exclusive scan
        V recent[levels];  // of the vector before the folds of `loaded`, twice as many, ... elements
        V out;

        // Of the vector that comes first; `carry` is what is before it, in every lane.
        HWY_INLINE window_scan(V first, V carry) : out(carry) {
            begin(first);
            forget();
        }
        template <std::size_t K = 0>
        HWY_INLINE void begin(V first) {
            if constexpr (K < loaded) {
                if constexpr (K + Exclusive == 0)
                    now[K] = first;
                else
                    now[K] = follow<K + Exclusive, Backwards>(identity(), first);
                begin<K + 1>(first);
            }
        }
        template <std::size_t Level = 0>
        HWY_INLINE void forget() {  // a loop would keep the array in memory
            if constexpr (Level < levels) {
                recent[Level] = identity();
                forget<Level + 1>();
            }
        }
        template <std::size_t K = 0>
        HWY_INLINE void load(const T* x, std::size_t i) {
            if constexpr (K < loaded) {
                now[K] = load_as<codec>(x + lies<Backwards>(i - K - Exclusive));
                load<K + 1>(x, i);
            }
        }
        template <std::size_t Size = loaded, std::size_t Level = 0>
        HWY_INLINE V widen(V v) {
            if constexpr (Size >= width) {
                return v;
            } else {
                const V moved = follow<Size, Backwards>(recent[Level], v);
                recent[Level] = v;
                return widen<2 * Size, Level + 1>(op(moved, v));
            }
        }
        HWY_INLINE void advance() {
            V v = now[0];
            if constexpr (loaded >= 2) v = op(now[1], v);
            if constexpr (loaded == 4) v = op(op(now[3], now[2]), v);
            out = op(out, widen(v));
        }
    };
    static HWY_INLINE V everywhere(T value) { return codec::encode(hn::Set(full<T>(), value)); }
    template <bool Backwards>
    static HWY_INLINE T last_of(V results) {
        return hn::ExtractLane(codec::decode(results), Backwards ? 0 : width - 1);
    }

    // From element i on, as long as there are whole vectors, of which there must be one; returns where it
    // ends.
    template <placement Where, bool Backwards, bool Exclusive>
    static HWY_INLINE std::size_t scan_windows(const T* x, T* y, std::size_t i, std::size_t n, T& start,
                                               const input_ahead& ahead) {
        window_scan<Backwards, Exclusive> scan(load_as<codec>(x + lies<Backwards>(i)), everywhere(start));
        const auto step = [&]() HWY_ATTR __attribute__((always_inline)) {
            scan.advance();
            scan.load(x, i + width);  // before results are stored where it may lie
            store_as<codec, Where>(scan.out, y + lies<Backwards>(i));
            i += width;
        };
        constexpr std::size_t together = std::max<std::size_t>(2, 64 / (width * sizeof(T)));
        while (i + (together + 1) * width <= n) {
            prefetch<Backwards>(ahead, i, together * width, n, sizeof(T));
            for (std::size_t k = 0; k < together; ++k) step();
        }
        while (i + 2 * width <= n) step();
        scan.advance();
        V last = scan.out;
        if constexpr (Exclusive) last = op(last, load_as<codec>(x + lies<Backwards>(i)));
        store_as<codec, Where>(scan.out, y + lies<Backwards>(i));
        start = last_of<Backwards>(last);
        return i + width;
    }

    // What is left of fewer elements than a vector has lanes, where there are masks.
    static constexpr std::size_t most_scalar = 8;  // up to which one by one is faster
    static constexpr bool has_masks = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 && width > most_scalar;
    // Forwards: the others are neither read nor written. Backwards that would be slow: what lies before an
    // array is often no memory.
    template <bool Exclusive>
    static HWY_INLINE void scan_few(const T* x, T* y, std::size_t n, T& start) {
        const full<T> d;
        const auto there = hn::FirstN(d, n);
        const auto elements =
            hn::IfThenElse(there, hn::MaskedLoad(there, d, x), hn::Set(d, Op::template identity<T>()));
        window_scan<false, Exclusive> scan(codec::encode(elements), everywhere(start));
        scan.advance();
        hn::BlendedStore(codec::decode(scan.out), there, d, y);
        start = last_of<false>(scan.out);
    }

    // Backwards, the last vector of n elements from element i on: those before i, which have been scanned,
    // count as identities and keep their results.
    template <bool Exclusive>
    static HWY_INLINE void scan_last(const T* x, T* y, std::size_t i, std::size_t n, T& start) {
        const full<T> d;
        const std::ptrdiff_t at = lies<true>(n - width);
        const auto is_left = hn::FirstN(d, n - i);
        const V elements = codec::encode(
            hn::IfThenElse(is_left, hn::LoadU(d, x + at), hn::Set(d, Op::template identity<T>())));
        window_scan<true, Exclusive> scan(elements, everywhere(start));
        scan.advance();
        hn::BlendedStore(codec::decode(scan.out), is_left, d, y + at);
        start = last_of<true>(Exclusive ? op(scan.out, elements) : scan.out);
    }

    template <placement Where, bool Backwards>
    static HWY_NOINLINE T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        constexpr std::ptrdiff_t direction = Backwards ? -1 : 1;
        const bool exclusive = pass.exclusive;
        std::size_t i = Where == placement::streamed ? until_aligned<Backwards>(y, width, n) : 0;
        start = scan_scalar<Backwards>(x, y, i, start, exclusive);
        if (n - i >= width) {
            const input_ahead ahead = pass.ahead;  // a copy, which no store can change
            i = exclusive ? scan_windows<Where, Backwards, true>(x, y, i, n, start, ahead)
                          : scan_windows<Where, Backwards, false>(x, y, i, n, start, ahead);
        }
        if constexpr (has_masks && !Backwards) {
            if (n - i > most_scalar) {
                if (exclusive)
                    scan_few<true>(x + i, y + i, n - i, start);
                else
                    scan_few<false>(x + i, y + i, n - i, start);
                return start;
            }
        } else if constexpr (has_masks) {
            if (n - i > most_scalar && n >= width) {
                if (exclusive)
                    scan_last<true>(x, y, i, n, start);
                else
                    scan_last<false>(x, y, i, n, start);
                return start;
            }
        }
        const auto done = static_cast<std::ptrdiff_t>(i) * direction;
        return scan_scalar<Backwards>(x + done, y + done, n - i, start, exclusive);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
