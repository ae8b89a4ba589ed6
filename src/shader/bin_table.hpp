// Bins as a table of thresholds, which the stages search: see shaders/bin_classes.glsl.
//
// find_bin never decreases from one number to the next larger one, rounding or not, so a bin is an interval
// of numbers, and thresholds say all about it: threshold b is the least number whose bin is b or more. They
// are found by find_bin itself, and so are exact in every bit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "upsweep/shader/bins.hpp"

namespace upsweep::shader {

// A key is an unsigned integer of the order of the numbers, in as many words as an element, the low one
// first; -0 has the key of +0.
struct bin_table {
    std::uint32_t bins = 0;
    std::uint32_t element_words = 1;
    bool clamp = false;
    std::array<std::uint32_t, 2> bottom{}, top{};  // the least and the greatest key that has a bin
    // Whether (x - guess_from) * guess_scale is mostly within one of x's bin; for integers guess_from is 0
    // and x the distance of the keys.
    bool guesses = false;
    float guess_from = 0;
    float guess_scale = 0;
    // bins * element_words: threshold 0, which is `bottom`, and so on; a threshold that no number reaches is
    // above `top`.
    std::vector<std::uint32_t> words;
};

// 1 or 2
[[nodiscard]] std::uint32_t element_words_of(element_type type);

// Complexity: a few calls of find_bin for each bin.
[[nodiscard]] bin_table make_bin_table(const bin_bounds& bounds);

}  // namespace upsweep::shader
