// Which operators on which element types the GLSL stages know, and what is known about each: the part of the
// support matrix that OpenGL and Vulkan share. What is not supported does not compile.
//
// An element lies in a buffer as in memory on the CPU: uint32, int32, float, uint64, int64, double, or
// affine_map<float> as two floats. double needs a device feature; nothing else does. What is only read may be
// of fewer bytes: it is converted when it is loaded.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::shader {

// The numbers are those of shaders/constants.glsl.
enum class element_type : std::uint8_t { uint32, int32, float32, uint64, int64, affine32, float64 };

// Of an input: the element's own, or one that is converted to it. The numbers are those of
// shaders/constants.glsl.
enum class input_type : std::uint8_t {
    same,
    uint8,
    int8,
    uint16,
    int16,
    float16,
    bfloat16,
    uint32,
    int32,
    float32
};

// The lines of operators.def, from 0, by which the stages know an operator.
enum class operator_line : std::uint8_t {
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) name,
#include "upsweep/operators.def"
};

// An operator on a type, as a value.
struct operation {
    element_type type = element_type::uint32;
    operator_line line = operator_line::plus;  // without meaning for affine32, which has one operator
    std::uint32_t element_words = 1;           // 32-bit words: 1, 2, or 4 for a user's own
    bool exact = false;                        // every grouping gives the same bits
    bool neutral = false;                      // the identity changes no bit of the other operand
    bool commutative = false;
    bool has_identity = true;
    input_type input = input_type::same;

    friend constexpr bool operator==(const operation&, const operation&) = default;
};

namespace detail {

template <class T>
inline constexpr int type_number = -1;
template <>
inline constexpr int type_number<std::uint32_t> = 0;
template <>
inline constexpr int type_number<std::int32_t> = 1;
template <>
inline constexpr int type_number<float> = 2;
template <>
inline constexpr int type_number<std::uint64_t> = 3;
template <>
inline constexpr int type_number<std::int64_t> = 4;
template <>
inline constexpr int type_number<affine_map<float>> = 5;
template <>
inline constexpr int type_number<double> = 6;

template <class T>
inline constexpr input_type input_type_of = input_type::same;
template <>
inline constexpr input_type input_type_of<std::uint8_t> = input_type::uint8;
template <>
inline constexpr input_type input_type_of<std::int8_t> = input_type::int8;
template <>
inline constexpr input_type input_type_of<std::uint16_t> = input_type::uint16;
template <>
inline constexpr input_type input_type_of<std::int16_t> = input_type::int16;
template <>
inline constexpr input_type input_type_of<float16> = input_type::float16;
template <>
inline constexpr input_type input_type_of<bfloat16> = input_type::bfloat16;
template <>
inline constexpr input_type input_type_of<std::uint32_t> = input_type::uint32;
template <>
inline constexpr input_type input_type_of<std::int32_t> = input_type::int32;
template <>
inline constexpr input_type input_type_of<float> = input_type::float32;
#if defined(UPSWEEP_HAS_FLOAT16)
template <>
inline constexpr input_type input_type_of<_Float16> = input_type::float16;
#endif

template <class T>
inline constexpr bool is_input = input_type_of<T> != input_type::same;
template <class T>
inline constexpr bool is_number = type_number<T> >= 0 && !std::same_as<T, affine_map<float>>;
template <class In, class T>
inline constexpr bool has_fewer_bytes = sizeof(In) < sizeof(T);
template <class T>
inline constexpr bool is_floating = std::floating_point<T> || is_half<T>;

template <class Op>
inline constexpr int line_number = -1;
#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    template <>                                                      \
    inline constexpr int line_number<upsweep::name> = static_cast<int>(operator_line::name);
#include "upsweep/operators.def"
template <>
inline constexpr int line_number<affine> = 0;

}  // namespace detail

// T is an element type of the stages, Op one of operators.def, and Op combines T.
template <class Op, class T>
concept supported = detail::type_number<T>
>= 0 && detail::line_number<core::known_operator_t<Op, T>> >= 0 && combines<Op, T>;

// Elements of In become elements of T when they are loaded: numbers of fewer bytes, integers any number,
// floating-point ones floating-point ones. Every value is kept, but negative ones as an unsigned T, modulo
// 2^(its bits).
template <class In, class T>
concept converts_to = detail::is_input<In> && detail::is_number<T> && detail::has_fewer_bytes<In, T> &&
    (detail::is_floating<T> || !detail::is_floating<In>);

// What elements of In are accumulated in, of which the results are: the type that Acc names, or else their
// own, but float for floating-point types of 16 bits. (Stages have no bool for logical operators.)
template <class Acc, class In>
using accumulator_for =
    std::conditional_t<std::same_as<Acc, deduced>, accumulator_type<std::remove_const_t<In>>, Acc>;

// Op combines elements of In as values of T.
template <class Op, class In, class T>
concept loads_and_combines = supported<Op, T> &&
    (std::same_as<std::remove_const_t<In>, T> || converts_to<std::remove_const_t<In>, T>);

template <class Op, class T, class In = T>
requires loads_and_combines<Op, In, T>
[[nodiscard]] constexpr operation operation_of() {
    using Known = core::known_operator_t<Op, T>;
    constexpr bool composed = std::same_as<Known, affine>;
    return {static_cast<element_type>(detail::type_number<T>),
            static_cast<operator_line>(detail::line_number<Known>),
            sizeof(T) / 4,
            is_exact<Known, T>,
            !composed,
            is_commutative<Known>,
            true,
            std::same_as<std::remove_const_t<In>, T> ? input_type::same
                                                     : detail::input_type_of<std::remove_const_t<In>>};
}

// Bytes of an element of the input.
[[nodiscard]] constexpr std::uint32_t input_bytes(const operation& op) {
    switch (op.input) {
        case input_type::same:
            return 4 * op.element_words;
        case input_type::uint8:
        case input_type::int8:
            return 1;
        case input_type::uint16:
        case input_type::int16:
        case input_type::float16:
        case input_type::bfloat16:
            return 2;
        case input_type::uint32:
        case input_type::int32:
        case input_type::float32:
            break;
    }
    return 4;
}

// The words of an element of at most 16 bytes, as the stages take an initial value.
template <class T>
requires std::is_trivially_copyable_v<T> &&(sizeof(T) % 4 == 0) &&
    (sizeof(T) <= 16) [[nodiscard]] constexpr std::array<std::uint32_t, 4> words_of(const T& value) {
    const auto words = std::bit_cast<std::array<std::uint32_t, sizeof(T) / 4>>(value);
    std::array<std::uint32_t, 4> made{};
    for (std::size_t i = 0; i < words.size(); ++i) made[i] = words[i];
    return made;
}

}  // namespace upsweep::shader
