// Segments of all lengths, for the tests of what is done in them on OpenGL and Vulkan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "upsweep/shader/segments.hpp"

namespace upsweep::test {

inline constexpr std::array<shader::segments_by, 3> segment_descriptions{
    shader::segments_by::offsets, shader::segments_by::head_flags, shader::segments_by::keys};

// How long segments are: of `long`, a tile of 2048 or 1024 is all inside of one, or has both its ends.
inline constexpr std::array<std::string_view, 7> segment_kinds{
    "up to 40", "one", "of one", "long", "of 100", "at borders", "of all lengths"};

// From 0 to n. Some segments are empty.
inline std::vector<std::int64_t> offsets_of(std::string_view kind, std::size_t n, std::uint64_t seed) {
    random_bits random(seed);
    const auto length = [&]() -> std::uint64_t {
        if (kind == "one") return n;
        if (kind == "of one") return 1;
        if (kind == "of 100") return 100;
        if (kind == "long") return random.below(7000);
        if (kind == "at borders") return 512 * (1 + random.below(8)) + random.below(3) - 1;
        if (kind == "of all lengths") return random.below(std::uint64_t{1} << random.below(15));
        return random.below(40);
    };
    std::vector<std::int64_t> made{0};
    const auto end = static_cast<std::int64_t>(n);
    while (made.back() != end) {
        const auto next = static_cast<std::int64_t>(std::min<std::uint64_t>(length(), 2 * n));
        made.push_back(std::clamp<std::int64_t>(made.back() + next, made.back(), end));
        if (kind != "one" && random.below(20) == 0) made.push_back(made.back());
    }
    return made;
}

}  // namespace upsweep::test
