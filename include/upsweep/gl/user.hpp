// An operator or a choice of items of the user's own, as a few lines of GLSL that are compiled at run time.
//
// docs/shaders.md has the rules for the text. A running bounding interval, for example:
//
//     gl::user_operator<interval> hull(executor, {.text = R"(
//         #define element vec2
//         element from_words(uvec2 words) { return uintBitsToFloat(words); }
//         uvec2 to_words(element value) { return floatBitsToUint(value); }
//         element combine(element a, element b) { return vec2(min(a.x, b.x), max(a.y, b.y)); }
//         element identity() { return uintBitsToFloat(uvec2(0x7f800000u, 0xff800000u)); })"});
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/gl/executor.hpp"
#include "upsweep/shader/operation.hpp"

namespace upsweep::gl {

struct operator_text {
    // Defines combine(earlier, later) and, with has_identity, identity() on uint, uvec2 or uvec4, as T has 1,
    // 2 or 4 words; or on another type, which it gives by `#define element` with from_words and to_words.
    std::string text;
    bool has_identity = true;
    // Promises that allow shorter ways; all may be left out.
    bool exact = false;        // every grouping of the same operands gives the same bits
    bool neutral = false;      // combining with identity() changes no bit of the other operand
    bool commutative = false;  // combine(a, b) is combine(b, a) in every bit
};

// T is the element as it lies in the buffer: 4, 8 or 16 bytes.
template <class T>
requires std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) class user_operator {
  public:
    // Compiles a stage with the text. Throws upsweep::error, errc::device, with the driver's log if it does
    // not compile. To be used with that executor only, by scans of buffer_span<T>.
    user_operator(executor& ex, const operator_text& from) {
        operation_.element_words = sizeof(T) / 4;
        operation_.exact = from.exact;
        operation_.neutral = from.neutral;
        operation_.commutative = from.commutative;
        operation_.has_identity = from.has_identity;
        number_ = ex.add_operator(operation_, from.text);
    }

    [[nodiscard]] const shader::operation& operation() const { return operation_; }
    [[nodiscard]] std::uint32_t number() const { return number_; }

  private:
    shader::operation operation_{};
    std::uint32_t number_ = 0;
};

// What compact and partition do with an item, in GLSL: `bool keep(uint item)` votes, `void move(uint item,
// uint place)` carries one that was kept to its place. The text declares its own storage buffers at bindings
// 5 and up, which the caller binds before the call.
class user_items {
  public:
    user_items(executor& ex, std::string text) : number_(ex.add_items(std::move(text))) {}
    [[nodiscard]] std::uint32_t number() const { return number_; }

  private:
    std::uint32_t number_ = 0;
};

// What histogram_by and bins_by ask of an item, in GLSL: `uint bin(uint item)`, a bin's number, or one that
// is not below the number of bins for none. It must always answer the same. The text declares its own storage
// buffers at bindings 5 and up, which the caller binds before the call.
class user_bins {
  public:
    user_bins(executor& ex, std::string text) : number_(ex.add_bins(std::move(text))) {}
    [[nodiscard]] std::uint32_t number() const { return number_; }

  private:
    std::uint32_t number_ = 0;
};

}  // namespace upsweep::gl
