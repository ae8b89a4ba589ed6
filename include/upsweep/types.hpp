// Element types that C++20 lacks, the value types of the struct-valued operators, and the accumulator rule.
#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep {

namespace detail {

// The number as a float on its way to one of 16 bits: where it is none, the one next to it, towards zero,
// with its last bit set. 13 or more bits follow those that stay, so rounding that to nearest is rounding the
// number itself. By way of the nearest float 1 + 2^-11 + 2^-40 would be a tie in float16, and become 1.
template <std::floating_point T>
constexpr float float_for_rounding(T value) {
    constexpr T largest = std::numeric_limits<float>::max();
    if (value > largest) return std::numeric_limits<float>::infinity();
    if (value < -largest) return -std::numeric_limits<float>::infinity();
    const auto nearest = static_cast<float>(value);
    const auto back = static_cast<T>(nearest);
    if (back == value || value != value) return nearest;
    const auto word = std::bit_cast<std::uint32_t>(nearest);
    const bool away = value < T(0) ? back < value : back > value;
    return std::bit_cast<float>((away ? word - 1 : word) | 1u);
}
template <std::integral T>
constexpr float float_for_rounding(T value) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    if constexpr (sizeof(T) < sizeof(std::uint64_t)) {
        return float_for_rounding(static_cast<double>(value));
    } else {  // 53 bits fit into a double: the last of them stands for the 11 below as well
        bool negative = false;
        if constexpr (std::is_signed_v<T>) negative = value < 0;
        auto magnitude = static_cast<std::uint64_t>(value);
        if (negative) magnitude = 0 - magnitude;
        if (magnitude >> 53 != 0)
            magnitude = (magnitude & ~std::uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800u : 0u);
        const float made = float_for_rounding(static_cast<double>(magnitude));
        return negative ? -made : made;
    }
}
template <class T>
concept number_but_float = std::integral<T> || std::same_as<T, double> || std::same_as<T, long double>;

}  // namespace detail

// IEEE 754 binary16 as storage: 1 sign, 5 exponent and 10 fraction bits. Arithmetic happens in float; a
// number of any type is rounded once, to nearest even, when it is stored. Overflow gives infinity, a NaN
// stays a quiet NaN.
struct float16 {
    std::uint16_t bits = 0;

    float16() = default;
    constexpr float16(float value) : bits(round(value)) {}
    template <detail::number_but_float T>
    constexpr float16(T value) : float16(detail::float_for_rounding(value)) {}
    constexpr operator float() const {
        const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
        const std::uint32_t magnitude = bits & 0x7fffu;
        if (magnitude >= 0x7c00u)
            return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
        if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
        const float value = static_cast<float>(magnitude) * 0x1p-24f;  // zero or subnormal: exact
        return sign != 0 ? -value : value;
    }
    static constexpr float16 from_bits(std::uint16_t bits) {
        float16 value;
        value.bits = bits;
        return value;
    }

  private:
    static constexpr std::uint16_t round(float value) {
        const auto word = std::bit_cast<std::uint32_t>(value);
        const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
        const std::uint32_t magnitude = word & 0x7fffffffu;
        if (magnitude > 0x7f800000u)
            return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
        if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 65520
        if (magnitude >= 0x38800000u) {                                                   // >= 2^-14: normal
            const std::uint32_t odd = (magnitude >> 13) & 1u;
            return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
        }
        // Adding 2^-1 * 2^0 aligns the last subnormal bit (2^-24) with float's last bit, so the sum rounds
        // right.
        const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
    }
};

// The upper half of a binary32 as storage, with the same rules as float16.
struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    constexpr bfloat16(float value) : bits(round(value)) {}
    template <detail::number_but_float T>
    constexpr bfloat16(T value) : bfloat16(detail::float_for_rounding(value)) {}
    constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
    static constexpr bfloat16 from_bits(std::uint16_t bits) {
        bfloat16 value;
        value.bits = bits;
        return value;
    }

  private:
    static constexpr std::uint16_t round(float value) {
        const auto word = std::bit_cast<std::uint32_t>(value);
        if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((word >> 16) | 0x40u);
        return static_cast<std::uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
};

namespace detail {

// std::numeric_limits of a binary format of 16 bits that has so many digits, its leading one included.
template <class T, int Digits, int MaxExponent, int MaxExponent10, int MinExponent10>
struct half_limits {
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
    static constexpr std::float_denorm_style has_denorm = std::denorm_present;
    static constexpr bool has_denorm_loss = false;
    static constexpr std::float_round_style round_style = std::round_to_nearest;
    static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false;
    static constexpr int radix = 2, digits = Digits;
    static constexpr int digits10 = (Digits - 1) * 30103 / 100000;
    static constexpr int max_digits10 = 2 + Digits * 30103 / 100000;
    static constexpr int max_exponent = MaxExponent, min_exponent = 3 - MaxExponent;
    static constexpr int max_exponent10 = MaxExponent10, min_exponent10 = MinExponent10;
    static constexpr bool traps = false, tinyness_before = false;

    static constexpr T min() noexcept { return T::from_bits(hidden); }
    static constexpr T max() noexcept { return T::from_bits(exponent_bits - 1); }
    static constexpr T lowest() noexcept { return T::from_bits(0x8000u | (exponent_bits - 1)); }
    static constexpr T epsilon() noexcept {
        return T(std::bit_cast<float>(static_cast<std::uint32_t>(128 - Digits) << 23));
    }
    static constexpr T round_error() noexcept { return T(0.5f); }
    static constexpr T infinity() noexcept { return T::from_bits(exponent_bits); }
    static constexpr T quiet_NaN() noexcept { return T::from_bits(exponent_bits | hidden / 2); }
    static constexpr T signaling_NaN() noexcept { return T::from_bits(exponent_bits | hidden / 4); }
    static constexpr T denorm_min() noexcept { return T::from_bits(1); }

  private:
    static constexpr std::uint16_t hidden = 1u << (Digits - 1);  // where the leading digit would be
    static constexpr std::uint16_t exponent_bits = 0x8000u - hidden;
};

}  // namespace detail
}  // namespace upsweep

template <>
class std::numeric_limits<upsweep::float16>
    : public upsweep::detail::half_limits<upsweep::float16, 11, 16, 4, -4> {};
template <>
class std::numeric_limits<upsweep::bfloat16>
    : public upsweep::detail::half_limits<upsweep::bfloat16, 8, 128, 38, -37> {};

namespace upsweep {

// The map x -> a x + b, the element of a first-order linear recurrence (operator `affine`).
template <class T>
struct affine_map {
    T a{};
    T b{};
    friend constexpr bool operator==(const affine_map&, const affine_map&) = default;
};

// A value and where it stands, the element of `argmin` and `argmax`.
template <class T>
struct indexed {
    T value{};
    std::int64_t index = 0;
    friend constexpr bool operator==(const indexed&, const indexed&) = default;
};

// For engines: whether T is a complex number.
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

// For engines. Before version 13 g++ has _Float16 on x86 alone, but the macro that describes it on arm64 as
// well.
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || __GNUC__ >= 13 || defined(__SSE2__))
#define UPSWEEP_HAS_FLOAT16 \
    1  // the compiler's own _Float16 exists; it is stored and accumulated like float16
template <class T>
inline constexpr bool is_half =
    std::same_as<T, float16> || std::same_as<T, bfloat16> || std::same_as<T, _Float16>;
#else
template <class T>
inline constexpr bool is_half = std::same_as<T, float16> || std::same_as<T, bfloat16>;
#endif

// The type in which elements of type T are combined unless the caller names another: T itself, but float for
// the 16-bit floating-point types.
template <class T>
using accumulator_type = std::conditional_t<is_half<T>, float, T>;

}  // namespace upsweep
