// One element of a run-time type: initial values and totals, to and from text.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "registry/dtype.hpp"

namespace upsweep::registry {

class value {
  public:
    template <class T>
    static value of(dtype type, const T& element) {
        value made;
        made.type_ = type;
        std::memcpy(made.bytes_.data(), static_cast<const void*>(&element), sizeof(T));
        return made;
    }
    // Of the element at `element`, which need not be aligned.
    static value at(dtype type, const void* element) {
        value made;
        made.type_ = type;
        std::memcpy(made.bytes_.data(), element, size_of(type));
        return made;
    }

    [[nodiscard]] dtype type() const { return type_; }
    template <class T>
    [[nodiscard]] T as() const {
        T element;
        std::memcpy(static_cast<void*>(&element), bytes_.data(), sizeof(T));
        return element;
    }
    [[nodiscard]] const std::byte* data() const { return bytes_.data(); }

  private:
    dtype type_ = dtype::bool8;
    alignas(16) std::array<std::byte, 16> bytes_{};
};

// The whole of `text`: decimal digits, for floating point also fraction, exponent, nan and inf; "true" and
// "false"; complex numbers as NumPy writes them, "1.5-2j". Throws upsweep::error (invalid_argument) when it
// is no such number or does not fit the type.
[[nodiscard]] value parse_value(std::string_view text, dtype type);

// The shortest text that parse_value reads as the same value.
[[nodiscard]] std::string format_value(const value& element);
// The same for the element of that type at `element`.
[[nodiscard]] std::string format_value(dtype type, const void* element);

}  // namespace upsweep::registry
