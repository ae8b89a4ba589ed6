// Colors that people with any color vision tell apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "cli/plot/canvas.hpp"

namespace upsweep::cli {

inline constexpr plot_color ink = {0x26, 0x2b, 0x33};
inline constexpr plot_color soft_ink = {0x5c, 0x64, 0x70};
inline constexpr plot_color grid_color = {0xe4, 0xe7, 0xeb};
inline constexpr plot_color axis_color = {0x9a, 0xa2, 0xad};

// Up to 7 series: the set of Okabe and Ito (2008) without yellow, which is too light on white. More: a ramp
// from dark blue over green to ochre, ascending in lightness, as groups usually have an order.
[[nodiscard]] inline plot_color series_color(std::size_t index, std::size_t count) {
    constexpr std::array<plot_color, 7> distinct = {{{0x00, 0x72, 0xb2},
                                                     {0xd5, 0x5e, 0x00},
                                                     {0x00, 0x9e, 0x73},
                                                     {0xcc, 0x79, 0xa7},
                                                     {0xe6, 0x9f, 0x00},
                                                     {0x56, 0xb4, 0xe9},
                                                     {0x3d, 0x3d, 0x3d}}};
    if (count <= distinct.size()) return distinct[index];
    constexpr std::array<plot_color, 5> ramp = {
        {{0x1f, 0x1a, 0x5c}, {0x2b, 0x5c, 0x9a}, {0x21, 0x90, 0x8c}, {0x6a, 0xb0, 0x4c}, {0xd8, 0xa8, 0x1e}}};
    const double place = static_cast<double>(index) / static_cast<double>(count - 1) * (ramp.size() - 1);
    const std::size_t left = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
    const double share = place - static_cast<double>(left);
    const auto mix = [&](std::uint8_t plot_color::*channel) {
        const double mixed = ramp[left].*channel * (1 - share) + ramp[left + 1].*channel * share;
        return static_cast<std::uint8_t>(std::lround(mixed));
    };
    return {mix(&plot_color::red), mix(&plot_color::green), mix(&plot_color::blue)};
}

}  // namespace upsweep::cli
