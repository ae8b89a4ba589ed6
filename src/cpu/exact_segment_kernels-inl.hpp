// Totals of segments under operators that let their operands be grouped at will, without the tree.
//
// Where segments are short, vectors are scanned in registers, by doubling as Hillis and Steele (1986) do it:
// a lane takes what a lane 1, 2, 4, ... places before it has unless its segment begins between the two. Which
// lanes do is known from the heads' bits alone, of 64 elements at once, and nothing depends on how they lie:
// there is no branch. What goes on from vector to vector is one lane, which costs one operation there.
//
// Where segments are long, each is folded by itself, side by side. Where it ends cannot be foretold, and that
// is one branch.

#if defined(UPSWEEP_EXACT_SEGMENT_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_EXACT_SEGMENT_KERNELS_INL_HPP
#undef UPSWEEP_EXACT_SEGMENT_KERNELS_INL_HPP
#else
#define UPSWEEP_EXACT_SEGMENT_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/compress_kernels-inl.hpp"
#include "src/cpu/exact_folds-inl.hpp"
#include "src/cpu/exact_kernels-inl.hpp"
#include "src/cpu/register_scan-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Of eight lanes, how many before it the head of its segment is, or the first lane, for every choice of
// heads.
alignas(64) inline constexpr auto distances_of_eight = [] {
    std::array<std::array<std::int8_t, 8>, 256> table{};
    for (std::size_t heads = 0; heads < 256; ++heads) {
        for (std::size_t lane = 1; lane < 8; ++lane)
            table[heads][lane] =
                static_cast<std::int8_t>((heads >> lane & 1) != 0 ? 0 : table[heads][lane - 1] + 1);
    }
    return table;
}();

// Elements of T under Op are lanes of Codec.
template <class T, class Op, class Codec>
struct segment_folds {
    using codec = Codec;
    using Lane = typename codec::lane;
    using V = vector<Lane>;
    using registers = register_scan<T, Op, codec>;
    static constexpr std::size_t width = lanes<Lane>;
    static constexpr std::size_t word = 64;  // elements of which one word has the bits

    template <class W>
    static HWY_INLINE W op(W a, W b) {
        return combine(Op(), a, b);
    }
    static HWY_INLINE V everywhere(T value) { return registers::everywhere(value); }
    static HWY_INLINE V identity() { return everywhere(Op::template identity<T>()); }

    // Lane l: bit l of `bits`; those past the last lane do not count.
    static HWY_INLINE auto lanes_of(std::uint64_t bits) {
        const full<Lane> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
        using mask = decltype(hn::FirstN(d, 1));
        return mask{static_cast<decltype(mask::raw)>(bits)};
#else
        std::uint8_t bytes[8];
        std::memcpy(bytes, &bits, 8);
        if constexpr (width < 8) bytes[0] &= static_cast<std::uint8_t>((1u << width) - 1);
        return hn::LoadMaskBits(d, bytes);
#endif
    }
    // Lane l: bit i + l of a word; i is a multiple of the lanes. AVX-512 moves a mask from memory at half of
    // what it costs from a register, of which compilers make one where they can.
    static HWY_INLINE auto lanes_at(const std::uint64_t& bits, std::size_t i) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
        decltype(lanes_of(0)) mask;
        using raw = decltype(mask.raw);
        const auto& from =
            reinterpret_cast<const char(&)[sizeof(raw)]>(reinterpret_cast<const char*>(&bits)[i / 8]);
        if constexpr (sizeof(raw) == 1)
            asm("kmovb %1, %0" : "=k"(mask.raw) : "m"(from));
        else if constexpr (sizeof(raw) == 2)
            asm("kmovw %1, %0" : "=k"(mask.raw) : "m"(from));
        else if constexpr (sizeof(raw) == 4)
            asm("kmovd %1, %0" : "=k"(mask.raw) : "m"(from));
        else
            asm("kmovq %1, %0" : "=k"(mask.raw) : "m"(from));
        return mask;
#else
        return lanes_of(bits >> i);
#endif
    }
    // The last lane, in all.
    template <class U>
    static constexpr auto last_lane = [] {
        std::array<hwy::MakeSigned<U>, lanes<U>> places{};
        places.fill(static_cast<hwy::MakeSigned<U>>(lanes<U> - 1));
        return places;
    }();
    static HWY_INLINE V last_everywhere(V v) {
        const full<Lane> d;
        if constexpr (sizeof(Lane) >= 4) {
            return hn::TableLookupLanes(v, hn::SetTableIndices(d, last_lane<Lane>.data()));
        } else {
            const full<std::uint32_t> words;
            const full<std::uint8_t> bytes;
            const auto last = hn::TableLookupLanes(
                hn::BitCast(words, v), hn::SetTableIndices(words, last_lane<std::uint32_t>.data()));
            const auto places = hn::Set(words, sizeof(Lane) == 1 ? 0x03030303u : 0x03020302u);
            return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, last), hn::BitCast(bytes, places)));
        }
    }

    // The first lane of every vector of a word.
    static constexpr std::uint64_t first_lanes = [] {
        std::uint64_t bits = 0;
        for (std::size_t lane = 0; lane < word; lane += width) bits |= std::uint64_t{1} << lane;
        return bits;
    }();
    // Of the vectors of a word, which lanes take what the lane 2^k before them has, and which lie in front of
    // the first head of their vector.
    struct head_lanes {
        static constexpr std::size_t steps = std::bit_width(width) - 1;
        std::uint64_t takes[steps];
        std::uint64_t old;

        explicit HWY_INLINE head_lanes(std::uint64_t heads) {
            std::uint64_t here = ~(heads | first_lanes);
            std::uint64_t first = first_lanes;  // 2^k lanes
            old = ~heads;
            for (std::size_t k = 0; k < steps; ++k) {
                const std::size_t distance = std::size_t{1} << k;
                takes[k] = here;
                here &= here << distance;
                old &= old << distance | first;
                first |= first << distance;
            }
        }
    };
    // The vector of a word that begins with element i. Masks of few lanes take three instructions each
    // without AVX-512, and one of how far before a lane the head or the first lane is.
    static constexpr bool by_distance = width <= 8 && (sizeof(Lane) == 2 || sizeof(Lane) == 4);
    struct bit_steps {
        const head_lanes& at;
        std::size_t i;

        HWY_INLINE bit_steps(const head_lanes& lanes, std::uint64_t, std::size_t element)
            : at(lanes), i(element) {}
        template <std::size_t K>
        HWY_INLINE auto takes() const {
            return lanes_at(at.takes[K], i);
        }
    };
    struct distance_steps {
        using distance = hwy::MakeSigned<Lane>;
        vector<distance> before;

        HWY_INLINE distance_steps(const head_lanes&, std::uint64_t heads, std::size_t i) {
            const hn::Rebind<std::int8_t, full<distance>> bytes;
            const std::size_t choice = heads >> i & ((std::size_t{1} << width % word) - 1);
            before = hn::PromoteTo(full<distance>(), hn::LoadU(bytes, distances_of_eight[choice].data()));
        }
        template <std::size_t K>
        HWY_INLINE auto takes() const {
            constexpr auto less = static_cast<distance>((std::size_t{1} << K) - 1);
            return hn::RebindMask(full<Lane>(), hn::Gt(before, hn::Set(full<distance>(), less)));
        }
    };
    using steps_of = std::conditional_t<by_distance, distance_steps, bit_steps>;

    template <std::size_t K = 0, class Steps>
    static HWY_INLINE V scan_lanes(V v, const Steps& within) {
        if constexpr (K == head_lanes::steps) {
            return v;
        } else {
            const V moved = registers::template follow<std::size_t{1} << K, false>(v, v);
            return scan_lanes<K + 1>(hn::IfThenElse(within.template takes<K>(), op(moved, v), v), within);
        }
    }
    // store(i, v) of the results of a word's elements from the i-th on.
    template <class Store>
    static HWY_INLINE void scan_word(const T* x, std::uint64_t heads, V& carry, const Store& store) {
        const head_lanes at(heads);
        for (std::size_t i = 0; i < word; i += width) {
            const V v = scan_lanes(load_as<codec>(x + i), steps_of(at, heads, i));
            const V results = hn::IfThenElse(lanes_at(at.old, i), op(carry, v), v);
            carry = last_everywhere(results);
            store(i, codec::decode(results));
        }
    }
    // store(i, v) of all results. Returns the last.
    template <class Store>
    static HWY_INLINE T scan_words(const T* x, std::size_t n, const std::uint64_t* heads, T start,
                                   const Store& store) {
        V carry = everywhere(start);
        T rest[word];
        for (std::size_t i = 0; i < n; i += word) {
            const T* from = x + i;
            if (HWY_UNLIKELY(n - i < word)) {
                std::fill_n(rest, word, Op::template identity<T>());
                std::memcpy(rest, from, (n - i) * sizeof(T));
                from = rest;
            }
            scan_word(from, heads[i / word], carry,
                      [&](std::size_t k, vector<T> v) HWY_ATTR { store(i + k, v); });
        }
        return hn::GetLane(codec::decode(carry));
    }
    static HWY_INLINE T fold_short(const T* x, std::size_t n, const std::uint64_t* heads,
                                   const std::uint64_t* ends, T* totals, T start) {
        using bits = hwy::UnsignedFromSize<sizeof(T)>;
        auto* const to = reinterpret_cast<bits*>(totals);
        if constexpr (compress_group<bits>::size == width) {
            const full<bits> d;
            constexpr std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
            std::size_t at = 0;
            return scan_words(x, n, heads, start, [&](std::size_t i, vector<T> v) HWY_ATTR {
                const std::uint64_t chosen = ends[i / word] >> (i % word) & all;
                hn::StoreU(compress_group<bits>::packed(hn::BitCast(d, v), chosen), d, to + at);
                at += static_cast<std::size_t>(__builtin_popcountll(chosen));
            });
        } else {
            bits scanned[most_elements];
            const T last = scan_words(x, n, heads, start, [&](std::size_t i, vector<T> v) HWY_ATTR {
                hn::StoreU(hn::BitCast(full<bits>(), v), full<bits>(), scanned + i);
            });
            compression::compress<bits>(to, n, scanned, ends, n);
            return last;
        }
    }
    static constexpr std::size_t most_elements = core::tile_size;

    static HWY_INLINE T fold_all(V v) {
        const Lane value = fold_lanes(Op(), full<Lane>(), v);
        if constexpr (codec::is_free)
            return value;
        else  // as the codec decodes vectors
            return std::bit_cast<T>(value < 0 ? value ^ hwy::LimitsMax<Lane>() : value);
    }
    // The fold of `sum` and Count vectors of x.
    template <std::size_t Count>
    static HWY_INLINE V fold_vectors(V sum, const T* x) {
        if constexpr (Count == 0)
            return sum;
        else
            return fold_vectors<Count - 1>(op(sum, load_as<codec>(x)), x + width);
    }
    // The fold of `sum` and x[0], ..., x[n - 1], lane by lane, of which `readable` may be read.
    static HWY_INLINE V fold_onto(V sum, const T* x, std::size_t n, std::size_t readable) {
        constexpr std::size_t block = 16 * width;
        for (; n >= block; x += block, n -= block, readable -= block) {
            const V first = fold_vectors<8>(sum, x);
            sum = op(first, fold_vectors<7>(load_as<codec>(x + 8 * width), x + 9 * width));
        }
        for (std::size_t left = n / width; left != 0; --left, x += width) sum = op(sum, load_as<codec>(x));
        return fold_few(sum, x, n % width, readable - (n - n % width));
    }
    // The same of fewer elements than a vector has lanes.
    static HWY_INLINE V fold_few(V sum, const T* x, std::size_t n, std::size_t readable) {
        const auto there = lanes_of((std::uint64_t{1} << n) - 1);
        const auto fold = [&](V v) HWY_ATTR { return hn::IfThenElse(there, op(sum, v), sum); };
        if constexpr (HWY_ARCH_X86 && HWY_TARGET <= (sizeof(T) < 4 ? HWY_AVX3 : HWY_AVX2)) {
            const full<T> d;
            return fold(codec::encode(hn::MaskedLoad(hn::RebindMask(d, there), d, x)));
        } else {
            if (HWY_LIKELY(width <= readable)) return fold(load_as<codec>(x));
            T rest[width] = {};
            std::copy_n(x, n, rest);
            return fold(load_as<codec>(rest));
        }
    }
    static HWY_INLINE T fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count,
                                  T* totals, T start) {
        const full<Lane> d;
        // What is before them, in the first lane.
        V sum = hn::IfThenElse(hn::FirstN(d, 1), everywhere(start), identity());
        std::size_t begin = 0;
        for (std::size_t k = 0;; ++k) {
            const std::size_t end = k == count ? n : ends[k];
            const T total = fold_all(fold_onto(sum, x + begin, end - begin, n - begin));
            if (k == count) return total;
            totals[k] = total;
            begin = end;
            sum = identity();
        }
    }
};

template <class T, class Op>
struct exact_segments {
    using mapped = segment_folds<T, Op, lane_codec<T, Op>>;
    using plain = segment_folds<T, Op, plain_codec<T>>;

    static HWY_ATTR void fold_short(const T* x, std::size_t n, const std::uint64_t* heads,
                                    const std::uint64_t* ends, T* totals, T& running) {
        if constexpr (std::is_floating_point_v<T>) {
            if (exact<T, Op>::is_plain(running) && exact<T, Op>::are_plain(x, n)) {
                running = plain::fold_short(x, n, heads, ends, totals, running);
                return;
            }
        }
        running = mapped::fold_short(x, n, heads, ends, totals, running);
    }
    static HWY_ATTR void fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count,
                                   T* totals, T& running) {
        running = mapped::fold_long(x, n, ends, count, totals, running);
    }
    static constexpr exact_segment_kernels<T> table{&fold_short, &fold_long};
};

// As in exact_kernels-inl.hpp: those of signed integers that wrap around are those of unsigned ones.
template <class T, class Op>
requires(std::is_signed_v<T>&& std::is_integral_v<T> && !selects<Op>) struct exact_segments<T, Op> {
    using U = std::make_unsigned_t<T>;
    using same = exact_segments<U, Op>;

    static const U* from(const T* x) { return reinterpret_cast<const U*>(x); }
    static U* from(T* x) { return reinterpret_cast<U*>(x); }
    static void fold_short(const T* x, std::size_t n, const std::uint64_t* heads, const std::uint64_t* ends,
                           T* totals, T& running) {
        same::fold_short(from(x), n, heads, ends, from(totals), *from(&running));
    }
    static void fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count, T* totals,
                          T& running) {
        same::fold_long(from(x), n, ends, count, from(totals), *from(&running));
    }
    static constexpr exact_segment_kernels<T> table{&fold_short, &fold_long};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
