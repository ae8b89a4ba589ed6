// A small stroke font for pictures without fonts of their own: ASCII and the signs that units need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/plot/figure.hpp"

namespace upsweep::cli {

// Width of `words` in the unit of `size`; also a fair estimate for a sans-serif font of the viewer.
[[nodiscard]] double text_width(std::string_view words, double size);

// Lines to draw with a round pen, relative to the start of the base line, y upwards. Characters without a
// glyph are an empty box.
[[nodiscard]] std::vector<std::vector<plot_point>> text_strokes(std::string_view words, double size);

// Code points; U+FFFD for each byte that is no part of valid UTF-8.
[[nodiscard]] std::u32string decode_utf8(std::string_view words);
void append_utf8(std::string& out, char32_t code);

// `words`, cut with an ellipsis where it is wider than `width`.
[[nodiscard]] std::string fitted(std::string_view words, double size, double width);

}  // namespace upsweep::cli
