// Keys of a radix sort and their digits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace upsweep::cuda::detail {

inline constexpr unsigned sort_digit_bits = 8;
inline constexpr unsigned sort_digits = 1u << sort_digit_bits;

// A digit in two forms.
struct sort_digit {
    unsigned bits;    // the lowest eight are the same for equal digits and differ for others
    unsigned offset;  // 4 times the digit
};

// Keys as unsigned integers of the same order. `Key` is what lies in memory, `Word` what registers hold.
template <class KeyType, bool Floating>
struct ordered_key {
    using Key = KeyType;
    using Word = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
    static constexpr bool is_floating = Floating;
    static constexpr Word ones = static_cast<Key>(~Word{0});
    static constexpr Word sign = ones ^ (ones >> 1);
    static_assert(sizeof(Key) > 1 || !Floating);

    Word flip;      // integers: the sign, if they have one; descending: all bits as well
    Word infinity;  // of floating-point keys

    __device__ __forceinline__ Word order(Word bits) const { return ordered(bits) ^ flip; }

    // Of a key that not has_equals().
    __device__ __forceinline__ Word order_of_distinct(Word bits) const {
        if constexpr (Floating)
            return bits ^ magnitude_if_negative(bits) ^ (flip ^ sign);
        else
            return bits ^ flip;
    }

    // Whether all keys of an order have the same bits: not of zeros and NaNs.
    __device__ __forceinline__ bool is_of_one(Word order) const {
        return !Floating || ((order ^ flip) != sign && (order ^ flip) != ones);
    }
    // These bits.
    __device__ __forceinline__ Word bits_of(Word order) const {
        if constexpr (!Floating) return order ^ flip;
        const Word bits = order ^ (flip ^ sign);
        return bits ^ magnitude_if_negative(bits);
    }

    // Whether equal keys may differ in their bits: NaNs, and zeros of either sign.
    __device__ __forceinline__ bool has_equals(Word bits) const {
        return Floating && (bits == sign || (bits & (ones ^ sign)) > infinity);
    }

    // Whether any of some keys has_equals().
    class equals_seen {
      public:
        __device__ __forceinline__ void look_at(const ordered_key& order, Word bits) {
            if constexpr (Floating && sizeof(Key) <= 4) {
                // -0 is the least of all integers; without their signs, NaNs are the greatest.
                const auto number = static_cast<std::int32_t>(bits << unused);
                const std::uint32_t magnitude = bits << unused << 1;
                least_ = number < least_ ? number : least_;
                most_ = magnitude > most_ ? magnitude : most_;
            } else {
                any_ = any_ || order.has_equals(bits);
            }
        }
        [[nodiscard]] __device__ __forceinline__ bool any(const ordered_key& order) const {
            if constexpr (Floating && sizeof(Key) <= 4)
                return least_ == INT32_MIN || most_ > order.infinity << unused << 1;
            else
                return any_;
        }

      private:
        static constexpr unsigned unused = 32 - 8 * (sizeof(Key) < 4 ? sizeof(Key) : 4);
        std::int32_t least_ = 0;
        std::uint32_t most_ = 0;
        bool any_ = false;
    };

    // The digit of a key from bit `shift` of its order on, a multiple of 8. `Distinct`: no key has_equals().
    template <bool Distinct>
    struct digit_at {
        static constexpr bool is_simple = Floating && Distinct;

        ordered_key key;
        unsigned shift;      // within its half
        unsigned rotation;   // to the left: brings the digit's lowest bit to bit 2
        unsigned flip;       // of the half
        unsigned magnitude;  // likewise, without the sign
        bool is_upper;       // half, of a key of 64 bits
        unsigned flip_offset;

        __device__ __forceinline__ digit_at(const ordered_key& of, unsigned from)
            : key(of), shift(from % 32), rotation((34 - shift) % 32), is_upper(from >= 32) {
            flip = half(is_simple ? of.flip ^ sign : of.flip);
            magnitude = half(ones ^ sign);
            flip_offset = __funnelshift_l(flip, flip, rotation) & offset_mask;
        }
        __device__ __forceinline__ unsigned half(Word word) const {
            if constexpr (sizeof(Key) == 8)
                return static_cast<unsigned>(is_upper ? word >> 32 : word);
            else
                return word;
        }
        // Bits that are flipped in all keys need not be for telling digits apart.
        __device__ __forceinline__ sort_digit operator()(Word bits) const {
            unsigned own = 0;
            if constexpr (is_simple)
                own = half(bits) ^ (all_if_negative(bits) & magnitude);
            else
                own = half(key.ordered(bits));
            return {own >> shift, (__funnelshift_l(own, own, rotation) & offset_mask) ^ flip_offset};
        }
        // The last digit, which what fills up a tile has.
        __device__ __forceinline__ sort_digit last() const {
            return {(flip >> shift) ^ (sort_digits - 1), offset_mask};
        }
    };

  private:
    // All 32 bits of a negative key, no bit of another.
    __device__ __forceinline__ static unsigned all_if_negative(Word bits) {
        unsigned top = 0;  // the sign in the highest bit
        if constexpr (sizeof(Key) == 8)
            top = static_cast<unsigned>(bits >> 32);
        else
            top = bits << (32 - 8 * sizeof(Key));
        return static_cast<unsigned>(static_cast<std::int32_t>(top) >> 31);
    }

    // All bits but the sign of a negative key, no bit of another.
    __device__ __forceinline__ static Word magnitude_if_negative(Word bits) {
        const unsigned all = all_if_negative(bits);
        if constexpr (sizeof(Key) == 8)
            return (Word{all} << 32 | all) & (ones ^ sign);
        else
            return all & (ones ^ sign);
    }

    static constexpr unsigned offset_mask = (sort_digits - 1) * 4;

    __device__ __forceinline__ Word ordered(Word bits) const {
        if constexpr (!Floating) {
            return bits;
        } else {
            const Word magnitude = bits & (ones ^ sign);
            Word order = bits >= sign ? bits ^ ones : bits | sign;
            if (magnitude == 0) order = sign;
            return magnitude > infinity ? ones : order;
        }
    }
};

}  // namespace upsweep::cuda::detail
