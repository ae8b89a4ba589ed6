// Series as strokes: from values to pixels, and from points to lines, steps and bars.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cli/plot/canvas.hpp"

namespace upsweep::cli {

// Within this bound, sums and differences of coordinates stay finite.
[[nodiscard]] inline double bounded_coordinate(double value) { return std::clamp(value, -1e300, 1e300); }

[[nodiscard]] inline bool is_bars(plot_mark mark) {
    return mark == plot_mark::bars || mark == plot_mark::intervals;
}

// Between points that no line joins.
inline constexpr plot_point pen_up = {0, std::numeric_limits<double>::quiet_NaN()};

// Values in [low, high] to pixels.
struct axis_scale {
    double low, high;
    double pixel_low, pixel_high;
    bool logarithmic;

    [[nodiscard]] double operator()(double value) const {
        const double a = position(low);
        const double share = (position(bounded_coordinate(value)) - a) / (position(high) - a);
        return pixel_low + share * (pixel_high - pixel_low);
    }

  private:
    [[nodiscard]] double position(double value) const { return logarithmic ? std::log10(value) : value; }
};

// `points` in pixels, ascending x, with pen_up where the line is interrupted; bars stand on `floor`.
void draw_mark(canvas& out, plot_mark mark, std::span<const plot_point> points, double floor,
               plot_color color);

}  // namespace upsweep::cli
