// Exact comparison: two values are the same if their bits are, and any NaN is any other NaN.
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

#include "upsweep/types.hpp"

namespace upsweep::test {

template <class T>
bool same_bits(const T& a, const T& b) {
    if constexpr (std::integral<T>) {
        return a == b;
    } else if constexpr (std::same_as<T, float>) {
        return (a != a && b != b) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    } else if constexpr (std::same_as<T, double>) {
        return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    } else if constexpr (is_half<T>) {
        const auto x = std::bit_cast<std::uint16_t>(a);
        const auto y = std::bit_cast<std::uint16_t>(b);
        return x == y || (static_cast<float>(a) != static_cast<float>(a) &&
                          static_cast<float>(b) != static_cast<float>(b));
    } else if constexpr (is_complex<T>) {
        return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
    } else if constexpr (requires {
                             a.value;
                             a.index;
                         }) {
        return same_bits(a.value, b.value) && a.index == b.index;
    } else if constexpr (requires {
                             a.a;
                             a.b;
                             a.a* a.b;
                         }) {
        return same_bits(a.a, b.a) && same_bits(a.b, b.b);
    } else {
        return a == b;
    }
}

// For messages: floats also as hexadecimal, so that equal decimals do not hide different bits.
template <class T>
std::string describe(const T& value) {
    std::ostringstream out;
    if constexpr (std::same_as<T, bool>) {
        out << (value ? "true" : "false");
    } else if constexpr (std::integral<T>) {
        out << +value;
    } else if constexpr (std::floating_point<T>) {
        out << std::setprecision(std::numeric_limits<T>::max_digits10) << value << " (" << std::hexfloat
            << value << ')';
    } else if constexpr (is_half<T>) {
        out << static_cast<float>(value) << " (bits 0x" << std::hex << std::bit_cast<std::uint16_t>(value)
            << ')';
    } else if constexpr (is_complex<T>) {
        out << '(' << describe(value.real()) << ", " << describe(value.imag()) << ')';
    } else if constexpr (requires {
                             value.value;
                             value.index;
                         }) {
        out << '[' << describe(value.value) << " at " << value.index << ']';
    } else if constexpr (requires {
                             value.a;
                             value.b;
                             value.a* value.b;
                         }) {
        out << '{' << describe(value.a) << ", " << describe(value.b) << '}';
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else {
        out << "(a value of " << sizeof(T) << " bytes)";
    }
    return out.str();
}

// The first index at which two arrays differ, or n.
template <class T>
std::size_t first_difference(const T* a, const T* b, std::size_t n) {
    if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>) {
        if (n == 0 || std::memcmp(a, b, n * sizeof(T)) == 0) return n;
    } else if constexpr (std::is_floating_point_v<T> || is_complex<T>) {
        if (n == 0 ||
            std::memcmp(static_cast<const void*>(a), static_cast<const void*>(b), n * sizeof(T)) == 0)
            return n;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!same_bits(a[i], b[i])) return i;
    }
    return n;
}

}  // namespace upsweep::test
