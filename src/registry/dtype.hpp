// Element types as run-time values: one table gives each its NumPy name, its .npy type code, its C++ type and
// the type of its running total; everything else in the command line is derived from that table.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/types.hpp"

namespace upsweep::registry {

// X(enumerator, NumPy name, .npy code without byte order, C++ type, type of a running total)
// The last column is the rule of numpy.cumulative_sum: floating-point and complex types keep theirs, integers
// narrower than 64 bits widen to 64 bits, bool counts in int64. bfloat16 has no .npy code: NumPy has no such
// type.
#define UPSWEEP_DTYPES(X)                                           \
    X(bool8, "bool", "b1", bool, int64)                             \
    X(int8, "int8", "i1", std::int8_t, int64)                       \
    X(uint8, "uint8", "u1", std::uint8_t, uint64)                   \
    X(int16, "int16", "i2", std::int16_t, int64)                    \
    X(uint16, "uint16", "u2", std::uint16_t, uint64)                \
    X(int32, "int32", "i4", std::int32_t, int64)                    \
    X(uint32, "uint32", "u4", std::uint32_t, uint64)                \
    X(int64, "int64", "i8", std::int64_t, int64)                    \
    X(uint64, "uint64", "u8", std::uint64_t, uint64)                \
    X(float16, "float16", "f2", upsweep::float16, float16)          \
    X(bfloat16, "bfloat16", "", upsweep::bfloat16, bfloat16)        \
    X(float32, "float32", "f4", float, float32)                     \
    X(float64, "float64", "f8", double, float64)                    \
    X(complex64, "complex64", "c8", std::complex<float>, complex64) \
    X(complex128, "complex128", "c16", std::complex<double>, complex128)

enum class dtype {
#define UPSWEEP_ENUMERATOR(enumerator, text, code, type, result) enumerator,
    UPSWEEP_DTYPES(UPSWEEP_ENUMERATOR)
#undef UPSWEEP_ENUMERATOR
};

// A type together with the byte order in which a file holds it.
struct dtype_layout {
    dtype type = dtype::bool8;
    std::endian order = std::endian::native;
    friend bool operator==(const dtype_layout&, const dtype_layout&) = default;
};

// The NumPy name: name(dtype::bool8) == "bool".
[[nodiscard]] std::string_view name(dtype type) noexcept;
// Bytes of one element.
[[nodiscard]] std::size_t size_of(dtype type) noexcept;
// The type of its running total unless the user names another.
[[nodiscard]] dtype scan_result(dtype type) noexcept;
[[nodiscard]] bool is_complex_type(dtype type) noexcept;
// Integers, without bool.
[[nodiscard]] bool is_integer_type(dtype type) noexcept;
// All names, separated by ", ", for help and error messages.
[[nodiscard]] std::string dtype_names();

// What users type and .npy headers hold: NumPy names ("float32"), codes ("f4") with an optional byte order
// ("<f4", ">f4", "=f4", "|b1"), and the words NumPy knows for the common ones ("float", "double", "int",
// "bool_").
[[nodiscard]] std::optional<dtype_layout> parse_dtype_layout(std::string_view text) noexcept;
// The same for places where a byte order has no meaning: nothing for the order that is not this machine's.
[[nodiscard]] std::optional<dtype> parse_dtype(std::string_view text) noexcept;

// The .npy description: npy_descr(dtype::float32, std::endian::little) == "<f4"; one-byte types have "|".
// Empty for bfloat16.
[[nodiscard]] std::string npy_descr(dtype type, std::endian order = std::endian::native);

}  // namespace upsweep::registry
