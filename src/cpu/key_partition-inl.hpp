// Keys divided by a pivot, in place or from elsewhere: those that are less in front of the others.
//
// A vector is read, compared with the pivot, and permuted so that the lesser lanes come first. The whole of
// it is stored twice, behind the lesser keys and in front of the others; of either store the lanes that do
// not belong there lie in the gap between the two, where the next stores go. Once as many keys are left as
// the gap has room for, both stores of the last vector meet.
//
// In place the gap is opened by vectors held in registers, and a vector is read from the side of the gap that
// has less room. Which one that is cannot be predicted, so several vectors are read at a time.
//
// Source: Gueron and Krasnov, "Fast quicksort implementation using AVX instructions", 2016, and Bramas, "A
// novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake", 2017 (in place).

#if defined(UPSWEEP_KEY_PARTITION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_KEY_PARTITION_INL_HPP
#undef UPSWEEP_KEY_PARTITION_INL_HPP
#else
#define UPSWEEP_KEY_PARTITION_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "src/cpu/compress_group-inl.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Keys that are permuted at once, the chosen ones first and then the others.
#if HWY_TARGET == HWY_AVX3
// By a table: two compressions, for the chosen ones and for the others, and a masked store take 2.6 times as
// long for keys of eight bytes on a Zen 5, and 1.5 times for two halves of four bytes.
template <class Word>
struct partition_group {
    static constexpr std::size_t size = 8;
    using tag = hn::CappedTag<Word, size>;
    static HWY_INLINE hn::Vec<tag> packed(hn::Vec<tag> v, std::uint64_t bits) {
        const auto* const choice = reinterpret_cast<const __m128i*>(chosen_of_eight[bits].data());
        const __m128i lane = _mm_loadl_epi64(choice);
        if constexpr (sizeof(Word) == 8)
            return hn::Vec<tag>{_mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lane), v.raw)};
        else
            return hn::Vec<tag>{_mm256_permutevar8x32_epi32(v.raw, _mm256_cvtepu8_epi32(lane))};
    }
};
#else
template <class Word>
struct partition_group : compress_group<Word> {};
#endif

// Keys are turned by `flip` into signed integers of the same order.
template <class Word>
class key_partition {
    using group = partition_group<Word>;
    using tag = typename group::tag;
    using wide = full<Word>;  // of one group or two
    using V = hn::Vec<wide>;
    static constexpr std::size_t step = group::size;
    // Vectors that are read at once.
    static constexpr std::size_t vectors = 8, many = vectors * lanes<Word>;
    using per_vector = std::make_index_sequence<vectors>;

  public:
    using ranked = std::make_signed_t<Word>;

    key_partition(ranked pivot, Word flip) : pivot_(pivot), flip_(flip) {}

    // to[0, n) = the keys at `from`, first those that are less than the pivot, whose number is returned, then
    // the others; `to` is `from` or does not overlap it.
    HWY_INLINE std::size_t operator()(const Word* from, Word* to, std::size_t n) const {
        const std::size_t rest = n % step, whole = n - rest;
        if (from != to) {
            std::memcpy(to + whole, from + whole, rest * sizeof(Word));
            return include(to, copied(from, to, whole), whole, n);
        }
        if (whole >= 2 * many) return include(to, in_place(to, whole), whole, n);
        Word keys[2 * many];
        std::memcpy(keys, to, whole * sizeof(Word));
        return include(to, copied(keys, to, whole), whole, n);
    }

  private:
    // What has been divided, [0, front) and from front + gap on.
    struct ends {
        std::size_t front;
        std::size_t gap;
    };
    // Bits of the lanes that are less than the pivot.
    template <class Tag>
    HWY_INLINE std::uint64_t less_bits(Tag d, hn::Vec<Tag> keys) const {
        const hn::RebindToSigned<Tag> order;
        const auto turned = hn::BitCast(order, hn::Xor(keys, hn::Set(d, flip_)));
        std::uint8_t bytes[8];
        hn::StoreMaskBits(order, hn::Lt(turned, hn::Set(order, pivot_)), bytes);
        if constexpr (hn::MaxLanes(d) <= 8) return bytes[0];
        std::uint16_t both;
        std::memcpy(&both, bytes, sizeof both);
        return both;
    }
    static HWY_INLINE void put_group(hn::Vec<tag> keys, std::uint64_t less, Word* to, ends& at) {
        const tag d;
        const auto packed = group::packed(keys, less);
        at.gap -= step;
        hn::StoreU(packed, d, to + at.front);
        hn::StoreU(packed, d, to + at.front + at.gap);
        at.front += static_cast<std::size_t>(__builtin_popcountll(less));
    }
    HWY_INLINE void put(V keys, Word* to, ends& at) const {
        const std::uint64_t less = less_bits(wide(), keys);
        if constexpr (lanes<Word> == step) {
            put_group(keys, less, to, at);
        } else {
            put_group(hn::LowerHalf(tag(), keys), less & 255, to, at);
            put_group(hn::UpperHalf(tag(), keys), less >> 8, to, at);
        }
    }
    HWY_INLINE void put_one(const Word* from, Word* to, ends& at) const {
        const auto keys = hn::LoadU(tag(), from);
        put_group(keys, less_bits(tag(), keys), to, at);
    }
    // Whole vectors, from elsewhere.
    HWY_INLINE std::size_t copied(const Word* from, Word* to, std::size_t n) const {
        ends at{0, n};
        std::size_t i = 0;
        for (; i + lanes<Word> <= n; i += lanes<Word>) put(hn::LoadU(wide(), from + i), to, at);
        if (i != n) put_one(from + i, to, at);
        return at.front;
    }
    // Whole vectors, no fewer than twice as many as are read at once.
    HWY_INLINE std::size_t in_place(Word* keys, std::size_t n) const {
        V first[vectors], last[vectors];
        load(keys, first, per_vector());
        load(keys + n - many, last, per_vector());
        ends at{0, n};
        // Keys [begin, end) have not been read; on either side there is room for `many` behind every read.
        std::size_t begin = many, end = n - many;
        const auto next = [&](std::size_t count) HWY_ATTR {
            if (begin - at.front > many) return keys + (end -= count);
            return keys + std::exchange(begin, begin + count);
        };
        while (end - begin >= many) {
            V some[vectors];
            load(next(many), some, per_vector());
            put_all(some, keys, at, per_vector());
        }
        while (begin != end) put_one(next(step), keys, at);
        put_all(first, keys, at, per_vector());
        put_all(last, keys, at, per_vector());
        return at.front;
    }
    template <std::size_t... K>
    static HWY_INLINE void load(const Word* from, V (&keys)[vectors], std::index_sequence<K...>) {
        ((keys[K] = hn::LoadU(wide(), from + K * lanes<Word>)), ...);
    }
    template <std::size_t... K>
    HWY_INLINE void put_all(const V (&keys)[vectors], Word* to, ends& at, std::index_sequence<K...>) const {
        (put(keys[K], to, at), ...);
    }
    // Keys [first, n), less than a vector of them, behind what has been divided at `less`.
    HWY_INLINE std::size_t include(Word* keys, std::size_t less, std::size_t first, std::size_t n) const {
        for (std::size_t i = first; i < n; ++i) {
            const Word key = keys[i], other = keys[less];
            const bool is_less = static_cast<ranked>(static_cast<Word>(key ^ flip_)) < pivot_;
            keys[i] = is_less ? other : key;
            keys[less] = is_less ? key : other;
            less += is_less ? 1 : 0;
        }
        return less;
    }
    ranked pivot_;
    Word flip_;
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
