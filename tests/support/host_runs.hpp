// Calls that give one result for each segment or run, of host memory as words: as the tests of OpenGL and
// Vulkan carry them to a device, and what must be true of all that comes back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/host_segments.hpp"
#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::test {

struct host_runs {
    shader::run_values values = shader::run_values::none;
    shader::operation op{};  // of totals
    std::optional<std::array<std::uint32_t, 4>> initial{};
    host_segments segments{};
    std::vector<std::uint32_t> in{};  // elements of so many words
    std::uint32_t in_words = 1;
    std::size_t size = 0;  // elements
    // The device reads that number from a buffer, and the arrays have so many elements more.
    bool length_in_buffer = false;
    std::size_t surplus = 0;
    std::size_t room = 0;  // results
    bool has_keys = false;
    std::size_t keys_room = 0;

    [[nodiscard]] bool by_offsets() const { return segments.kind == shader::segments_by::offsets; }
    [[nodiscard]] std::uint32_t out_words() const {
        if (values == shader::run_values::totals) return op.element_words;
        return values == shader::run_values::first ? in_words : 1;
    }
    [[nodiscard]] std::uint32_t key_words() const { return segments.wide ? 2 : 1; }
};

// With the elements behind the length, each of which would begin a segment.
inline host_runs with_surplus(const host_runs& asked) {
    host_runs made = asked;
    if (!asked.length_in_buffer) return made;
    if (!asked.in.empty()) made.in.resize((asked.size + asked.surplus) * asked.in_words, 77);
    while (made.segments.count() < asked.size + asked.surplus)
        made.segments.words.push_back(static_cast<std::uint32_t>(made.segments.words.size()) + 5);
    return made;
}
// Every third call takes its length from a buffer.
inline host_runs with_length(const host_runs& asked, unsigned turn) {
    host_runs made = asked;
    if (turn % 3 != 1 || asked.by_offsets()) return made;
    made.length_in_buffer = true;
    made.surplus = turn % 11 * (asked.size > 10000 ? 800 : 37) + 1;
    return made;
}

// All words of the outputs, written or not.
struct run_results {
    std::vector<std::uint32_t> out, keys_out;
    std::vector<std::uint32_t> arguments;  // those of a compaction
};

// How many segments there are. Nothing but results is written, which is where `poison` no longer is; the
// arguments are those of as many as all outputs have room for.
inline std::size_t check_runs(const host_runs& asked, const run_results& got, std::uint32_t poison) {
    const auto is_poison = [&](const std::vector<std::uint32_t>& words, std::size_t first) {
        return std::all_of(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(),
                           [&](std::uint32_t word) { return word == poison; });
    };
    if (asked.by_offsets()) {
        EXPECT_TRUE(is_poison(got.arguments, 0)) << "wrote arguments";
        return asked.segments.count() - 1;
    }
    const std::size_t found = got.arguments.at(8);
    std::size_t count = found;
    if (asked.values != shader::run_values::none) {
        count = std::min(count, asked.room);
        EXPECT_TRUE(is_poison(got.out, std::min(found, asked.room) * asked.out_words()))
            << "wrote behind the results";
    }
    if (asked.has_keys) {
        count = std::min(count, asked.keys_room);
        EXPECT_TRUE(is_poison(got.keys_out, std::min(found, asked.keys_room) * asked.key_words()))
            << "wrote behind the keys";
    }
    const auto word = static_cast<std::uint32_t>(count), groups = (word + 255) / 256;
    const auto others = static_cast<std::uint32_t>(asked.size - found);
    // Rows of groups, of which the last may be longer than needed.
    const std::uint32_t x = got.arguments[4], y = got.arguments[5];
    EXPECT_TRUE(y >= 1 && x * y >= groups && (groups == 0 || x * (y - 1) < groups)) << x << " by " << y;
    EXPECT_EQ(got.arguments, (std::vector<std::uint32_t>{word, 1, 0, 0, x, y, 1, word,
                                                         static_cast<std::uint32_t>(found), others, 0, 0}));
    return found;
}

}  // namespace upsweep::test
