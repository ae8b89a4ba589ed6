// Bits of keys as unsigned integers of the same order, and the records that carry them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/cpu/sort.hpp"

namespace upsweep::cpu {

template <class Word>
inline constexpr Word top_bit = static_cast<Word>(Word{1} << (std::numeric_limits<Word>::digits - 1));

// Integers: flips the sign, and all bits where the order is descending.
template <class Word>
struct integer_order {
    using word = Word;

    explicit integer_order(const key_order& order)
        : flip(static_cast<Word>((order.is_signed ? std::uint64_t{1} << (8 * order.bytes - 1) : 0) ^
                                 (order.descending ? ~std::uint64_t{0} >> (64 - 8 * order.bytes) : 0))) {}
    [[nodiscard]] Word operator()(Word bits) const { return static_cast<Word>(bits ^ flip); }

    Word flip;
};

// Floating-point bits as integers of the same order, which can be told back: -0 is just below +0, NaNs with a
// sign are below -infinity, others above +infinity.
template <class Word>
Word ascending_bits(Word bits) {
    constexpr int sign_place = std::numeric_limits<Word>::digits - 1;
    const auto sign = static_cast<Word>(Word{0} - static_cast<Word>(bits >> sign_place));
    return static_cast<Word>(bits ^ (sign | top_bit<Word>));
}
template <class Word>
Word floating_bits(Word ascending) {
    constexpr int sign_place = std::numeric_limits<Word>::digits - 1;
    const auto positive = static_cast<Word>(Word{0} - static_cast<Word>(ascending >> sign_place));
    return static_cast<Word>(ascending ^ (static_cast<Word>(~positive) | top_bit<Word>));
}

// What has no place of its own among those: -0 is +0, and a NaN is above all.
template <class Word>
struct floating_order {
    using word = Word;

    explicit floating_order(const key_order& order)
        : lowest(static_cast<Word>(~(top_bit<Word> | infinity_of(order)))),
          width(static_cast<Word>((top_bit<Word> | infinity_of(order)) - lowest)),
          flip(order.descending ? static_cast<Word>(~Word{0}) : Word{0}) {}
    [[nodiscard]] bool is_nan(Word ascending) const { return static_cast<Word>(ascending - lowest) > width; }
    // Whether the order of bits alone is not that of the keys.
    [[nodiscard]] bool is_special(Word ascending) const {
        return is_nan(ascending) || ascending == static_cast<Word>(top_bit<Word> - 1);
    }
    [[nodiscard]] Word operator()(Word ascending) const {
        const auto zeros = static_cast<Word>(ascending + (ascending == static_cast<Word>(top_bit<Word> - 1)));
        return static_cast<Word>((is_nan(ascending) ? static_cast<Word>(~Word{0}) : zeros) ^ flip);
    }

    Word lowest;  // -infinity
    Word width;   // from there to +infinity
    Word flip;

  private:
    static Word infinity_of(const key_order& order) {
        return static_cast<Word>(order.infinity << key_shift(order, sizeof(Word)));
    }
};

// A record's bits: of a key alone, or with a value.
template <class Word>
Word bits_of(Word key) {
    return key;
}
template <class Word>
Word bits_of(const keyed<Word>& record) {
    return record.bits;
}
template <class Word>
Word with_bits(Word, Word bits) {
    return bits;
}
template <class Word>
keyed<Word> with_bits(const keyed<Word>& record, Word bits) {
    return {bits, record.value};
}

// The smallest and the largest key, in order.
template <class Word>
struct key_bounds {
    Word lo = std::numeric_limits<Word>::max();
    Word hi = 0;

    void include(const key_bounds& other) {
        lo = other.lo < lo ? other.lo : lo;
        hi = other.hi > hi ? other.hi : hi;
    }
};

// Parts of records one after the other: (key - lo) >> shift == part for all of a part, which ends in front of
// ends[part].
template <class Word>
struct part_ends {
    const std::uint32_t* ends;
    std::size_t count;
    Word lo;
    int shift;
};

// Whether key_at(i) of all n are in order, looked at in blocks, which compilers make vectors of.
template <class KeyAt>
[[gnu::always_inline]] inline bool are_in_order(std::size_t n, const KeyAt& key_at) {
    constexpr std::size_t block = 64;
    for (std::size_t i = 1; i < n;) {
        unsigned descents = 0;
        for (const std::size_t end = n - i < block ? n : i + block; i < end; ++i)
            descents |= key_at(i) < key_at(i - 1) ? 1U : 0U;
        if (descents != 0) return false;
    }
    return true;
}

// Kernels on n records.
template <class Record, class Order>
struct sort_kernels {
    using word = typename Order::word;

    key_bounds<word> (*bounds)(const Record* records, std::size_t n, const Order& order);
    // Whether records are in order. Looks no further than a few behind the first that is not.
    bool (*in_order)(const Record* records, std::size_t n, const Order& order);
    // to = the records in order, n <= most_ranked; `to` may be `from`. `readable` records may be read.
    void (*rank)(const Record* from, std::size_t readable, Record* to, std::size_t n, const Order& order);
    // The same of each part of n records that has no more than most_ranked; others of `to` may be written
    // with what is at their places in `from`. The parts' shift is most_rank_shift at most.
    void (*rank_parts)(const Record* from, Record* to, std::size_t n, const Order& order,
                       const part_ends<word>& parts);
    // Of keys alone, with vectors: out = the records in order, n <= most_sorted, of more than which a
    // division is faster; `from` may be out.
    void (*sort)(const Record* from, Record* out, std::size_t n, const Order& order) = nullptr;
    std::size_t most_sorted = 0;
    // to = n < 2^32 records in 2^levels parts: counts[k] of them are less than pivots[k] and not less than
    // the one before; there are 2^levels - 1 pivots, in order. `from` may be `to`. Null: there is no such
    // kernel.
    void (*split)(const Record* from, Record* to, std::size_t n, const Order& order, const Record* pivots,
                  int levels, std::uint32_t* counts) = nullptr;

    [[nodiscard]] bool sorts_any() const { return most_sorted == std::numeric_limits<std::size_t>::max(); }
};
inline constexpr std::size_t most_ranked = 32;
template <class T>
inline constexpr std::array<T, most_ranked> numbers_from_0 = [] {
    std::array<T, most_ranked> made{};
    for (std::size_t i = 0; i < most_ranked; ++i) made[i] = static_cast<T>(i);
    return made;
}();
// A key's offset in its part with a record's number and no sign.
template <class Word>
inline constexpr int most_rank_shift = (sizeof(Word) == 8 ? 64 : 32) - 1 - 5;

template <class Record, class Order>
const sort_kernels<Record, Order>& sort_kernels_for(simd_level level);

// Floating-point records from their own bits to ascending ones, and back.
template <class Record>
struct floating_kernels {
    using order = floating_order<decltype(bits_of(Record()))>;

    // `to` may be `from`. Returns whether any is special.
    bool (*enter)(const Record* from, Record* to, std::size_t n, const order& by);
    void (*leave)(Record* records, std::size_t n);
    // As that of sort_kernels, of records that have not been entered.
    bool (*in_order)(const Record* records, std::size_t n, const order& by);
};
template <class Record>
const floating_kernels<Record>& floating_kernels_for(simd_level level);

// X(Record, Order) of all there are.
#define UPSWEEP_FOR_EACH_SORTED(X)                         \
    X(std::uint8_t, integer_order<std::uint8_t>)           \
    X(std::uint16_t, integer_order<std::uint16_t>)         \
    X(std::uint16_t, floating_order<std::uint16_t>)        \
    X(std::uint32_t, integer_order<std::uint32_t>)         \
    X(std::uint32_t, floating_order<std::uint32_t>)        \
    X(std::uint64_t, integer_order<std::uint64_t>)         \
    X(std::uint64_t, floating_order<std::uint64_t>)        \
    X(keyed<std::uint32_t>, integer_order<std::uint32_t>)  \
    X(keyed<std::uint32_t>, floating_order<std::uint32_t>) \
    X(keyed<std::uint64_t>, integer_order<std::uint64_t>)  \
    X(keyed<std::uint64_t>, floating_order<std::uint64_t>)
#define UPSWEEP_FOR_EACH_FLOATING(X) \
    X(std::uint16_t)                 \
    X(std::uint32_t)                 \
    X(std::uint64_t)                 \
    X(keyed<std::uint32_t>)          \
    X(keyed<std::uint64_t>)

}  // namespace upsweep::cpu
