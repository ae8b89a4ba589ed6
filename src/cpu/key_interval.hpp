// Keys that are at most a bound, in an order, as bits in an interval: what vectors look for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "src/cpu/sort_order.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/cpu/sort.hpp"

namespace upsweep::cpu {

// Bits x, of floating-point keys ascending_bits(x), with x - base <= span, modulo 2^digits.
template <class Word>
struct key_interval {
    Word base;
    Word span;
};

// The order of keys by their own bits.
template <class Word, bool Floating>
class keys_in_order {
    using order = std::conditional_t<Floating, floating_order<Word>, integer_order<Word>>;

  public:
    static constexpr Word last = std::numeric_limits<Word>::max();

    explicit keys_in_order(const key_order& by)
        : order_(by), sign_(by.is_signed ? top_bit<Word> : Word{0}), descending_(by.descending) {}

    // An integer for each key; of those that are equal the same one.
    [[nodiscard]] Word operator()(Word bits) const {
        if constexpr (Floating) bits = ascending_bits(bits);
        return order_(bits);
    }
    // Those whose integer is at most `bound`; none if no key's is.
    [[nodiscard]] std::optional<key_interval<Word>> up_to(Word bound) const {
        if constexpr (Floating)
            return floating_up_to(bound);
        else
            return key_interval<Word>{static_cast<Word>((descending_ ? ~bound : 0) - sign_), bound};
    }

  private:
    // Of ascending bits NaNs are those that are not between -infinity and +infinity, on either side, and -0
    // is next to +0.
    [[nodiscard]] std::optional<key_interval<Word>> floating_up_to(Word bound) const {
        constexpr Word zero = top_bit<Word>, below_zero = static_cast<Word>(zero - 1);
        const Word lowest = order_.lowest, highest = static_cast<Word>(order_.lowest + order_.width);
        if (!descending_) {
            if (bound == last) return everything;
            if (bound < lowest) return std::nullopt;
            Word to = std::min(bound, highest);
            if (to == below_zero) --to;  // less than zero
            return key_interval<Word>{lowest, static_cast<Word>(to - lowest)};
        }
        const auto least = static_cast<Word>(~bound);
        if (least <= lowest) return everything;
        Word from = std::min(least, static_cast<Word>(highest + 1));  // or the NaNs above
        if (from == zero) --from;
        return key_interval<Word>{from, static_cast<Word>(lowest - 1 - from)};
    }
    static constexpr key_interval<Word> everything{0, last};

    order order_;
    Word sign_;
    bool descending_;
};

// How far a kernel came, and how many keys it found.
struct found_keys {
    std::size_t examined;
    std::size_t found;
};
// Appends to `places`, which has room for `room` of them, first + i of every key[i] in the interval, in
// order; ends early where fewer than found_at_once are left.
template <class Word>
using find_keys = found_keys (*)(const Word* keys, std::size_t n, const key_interval<Word>& interval,
                                 std::uint32_t first, std::uint32_t* places, std::size_t room);
inline constexpr std::size_t found_at_once = 64;

template <class Word, bool Floating>
find_keys<Word> find_keys_for(simd_level level);

// X(Word, Floating) of all there are.
#define UPSWEEP_FOR_EACH_FOUND(X) \
    X(std::uint8_t, false)        \
    X(std::uint16_t, false)       \
    X(std::uint16_t, true)        \
    X(std::uint32_t, false)       \
    X(std::uint32_t, true)        \
    X(std::uint64_t, false)       \
    X(std::uint64_t, true)

namespace portable {

template <class Word, bool Floating>
found_keys find(const Word* keys, std::size_t n, const key_interval<Word>& interval, std::uint32_t first,
                std::uint32_t* places, std::size_t room) {
    const auto [base, span] = interval;
    std::size_t i = 0, found = 0;
    while (i < n && room - found >= found_at_once) {
        for (const std::size_t end = std::min(n, i + found_at_once); i < end; ++i) {
            const Word bits = Floating ? ascending_bits(keys[i]) : keys[i];
            places[found] = first + static_cast<std::uint32_t>(i);
            found += static_cast<Word>(bits - base) <= span ? 1 : 0;
        }
    }
    return {i, found};
}

}  // namespace portable
}  // namespace upsweep::cpu
