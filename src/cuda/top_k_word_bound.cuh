// A quick test of keys: whether they may be up to a bound. It never misses one that is; of floating-point
// keys it takes four instructions, where their word of the order (sort_key.cuh) takes three times as many.
#pragma once

#include <cstdint>

#include "sort_key.cuh"
#include "top_k_elements.cuh"

namespace upsweep::cuda::detail {

template <class Order>
class word_bound {
    using Key = typename Order::Key;
    using Word = typename Order::Word;

  public:
    template <class Record>
    __device__ __forceinline__ word_bound(const Order& order, const Record& bound)
        : index_(bound.index()),
          flip_(order.flip),
          at_index_(range_of(order, static_cast<Word>(bound.word()))),
          behind_(bound.word() == 0 ? at_index_ : range_of(order, static_cast<Word>(bound.word() - 1))),
          has_behind_(bound.word() != 0) {}

    // Whether one of the keys may be, the first of which is element `first`.
    template <int Count>
    __device__ __forceinline__ bool has_any(const Key (&keys)[Count], std::uint64_t first) const {
        const word_range range = range_from(first);
        bool any = false;
#pragma unroll
        for (int m = 0; m < Count; ++m) any |= has(range, keys[m]);
        return any && (first <= index_ || has_behind_);
    }
    // Which of them may be, a bit each.
    template <int Count>
    __device__ __forceinline__ unsigned which(const Key (&keys)[Count], std::uint64_t first) const {
        const word_range range = range_from(first);
        unsigned bits = 0;
#pragma unroll
        for (int m = 0; m < Count; ++m) bits |= has(range, keys[m]) ? 1u << m : 0u;
        return first <= index_ || has_behind_ ? bits : 0;
    }

  private:
    // Words from begin on, as many as span and one more, round about zero.
    struct word_range {
        Word begin, span;
    };
    // Behind the bound's index a word as great as its own is above it.
    __device__ __forceinline__ word_range range_from(std::uint64_t first) const {
        const bool is_behind = first > index_;
        return {is_behind ? behind_.begin : at_index_.begin, is_behind ? behind_.span : at_index_.span};
    }
    __device__ __forceinline__ bool has(const word_range& range, Key key) const {
        return static_cast<Word>(simple_order(key) - range.begin) <= range.span;
    }
    static constexpr unsigned unused_bits = 8 * (sizeof(Word) - sizeof(Key));

    // An order that is that of all numbers but -0, which it puts just below +0, and in which NaNs are above
    // or below all else; of all bits of a word. Integers are flipped already.
    __device__ __forceinline__ Word simple_order(Key key) const {
        if constexpr (!Order::is_floating) {
            return Word{key} ^ flip_;
        } else {
            const Word bits = Word{key} << unused_bits;
            Word all = 0;  // bits of a negative one
            if constexpr (sizeof(Word) == 8)
                all = static_cast<Word>(static_cast<std::int64_t>(bits) >> 63);
            else
                all = static_cast<Word>(static_cast<std::int32_t>(bits) >> 31);
            return bits ^ (all | top);
        }
    }
    // The simple orders of keys whose words are at most `most`.
    __device__ __forceinline__ static word_range range_of(const Order& order, Word most) {
        if constexpr (!Order::is_floating) {
            return {0, most};
        } else {
            // The negative infinity's simple order is the first; NaNs are behind that of the positive one.
            const Word infinity = order.infinity << unused_bits;
            const Word first = ~(infinity | top), last_number = infinity | top;
            const Word filled = (Word{1} << unused_bits) - 1;
            const Word asked = (most ^ order.flip) << unused_bits;
            const bool is_nan = (most ^ order.flip) > (order.infinity | Order::sign);
            if (order.flip == 0)  // ascending: up to what is asked for
                return {first,
                        is_nan ? static_cast<Word>(~Word{0}) : static_cast<Word>(asked + filled - first)};
            // Descending: what is asked for and all above, NaNs too, which end in front of the first.
            Word begin = is_nan ? last_number + 1 : asked;
            if (asked == top) begin -= filled + 1;  // -0 as well
            return {begin, static_cast<Word>(first - 1 - begin)};
        }
    }
    static constexpr Word top = Word{1} << (8 * sizeof(Word) - 1);

    std::uint64_t index_;
    Word flip_;
    word_range at_index_, behind_;
    bool has_behind_;
};

}  // namespace upsweep::cuda::detail
