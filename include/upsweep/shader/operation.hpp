// Which operators on which element types the GLSL stages know, and what is known about each: the part of the
// support matrix that OpenGL and Vulkan share. What is not supported does not compile.
//
// An element lies in a buffer as in memory on the CPU: uint32, int32, float, uint64, int64, double, or
// affine_map<float> as two floats. double needs a device feature; nothing else does.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/concepts.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/types.hpp"

namespace upsweep::shader {

// The numbers are those of shaders/constants.glsl.
enum class element_type : std::uint8_t { uint32, int32, float32, uint64, int64, affine32, float64 };

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

template <class Op, class T>
requires supported<Op, T>
[[nodiscard]] constexpr operation operation_of() {
    using Known = core::known_operator_t<Op, T>;
    constexpr bool composed = std::same_as<Known, affine>;
    return {static_cast<element_type>(detail::type_number<T>),
            static_cast<operator_line>(detail::line_number<Known>),
            sizeof(T) / 4,
            is_exact<Known, T>,
            !composed,
            is_commutative<Known>,
            true};
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
