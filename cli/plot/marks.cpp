// Lines, steps and bars.
#include "cli/plot/marks.hpp"

#include <vector>

namespace upsweep::cli {
namespace {

constexpr double line_width = 2;
constexpr double dense_line_width = 1.25;  // more points than pixels: a thick line would hide the shape
constexpr std::size_t dense = 1500;
constexpr double dot_radius = 3;
constexpr double widest_bar = 48;
constexpr double widest_wide_bar = 400;
constexpr double bar_distance = 1;  // between wide ones, if there is room
constexpr double narrowest_bar = 1;
constexpr double dense_column = 2;  // bars closer than narrowest_bar become one outline in columns this wide

// Bars too close to be told apart become columns from the lowest to the highest of them.
void draw_bars(canvas& out, bool wide, std::span<const plot_point> points, double floor, plot_color color) {
    double gap = wide ? widest_wide_bar : widest_bar / 0.8;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double distance = points[i].x - points[i - 1].x;
        if (distance > 0) gap = std::min(gap, distance);
    }
    const bool crowded = gap < narrowest_bar;
    const double usual = !wide ? 0.8 * gap : gap > 4 * bar_distance ? gap - bar_distance : gap;
    const double bar_width = crowded ? dense_column : std::max(usual, narrowest_bar);
    std::vector<plot_rectangle> bars;
    double last_column = -1;
    for (const plot_point& p : points) {
        if (!std::isfinite(p.y)) continue;
        const double top = std::min(p.y, floor), bottom = std::max(p.y, floor);
        const double column = crowded ? (std::floor(p.x / dense_column) + 0.5) * dense_column : p.x;
        if (!bars.empty() && column == last_column) {
            const double lowest = std::max(bars.back().y + bars.back().height, bottom);
            bars.back().y = std::min(bars.back().y, top);
            bars.back().height = lowest - bars.back().y;
        } else if (bottom > top) {
            bars.push_back({column - bar_width / 2, top, bar_width, bottom - top});
            last_column = column;
        }
    }
    out.rectangles(bars, color);
}

}  // namespace

void draw_mark(canvas& out, plot_mark mark, std::span<const plot_point> points, double floor,
               plot_color color) {
    if (is_bars(mark)) return draw_bars(out, mark == plot_mark::wide_bars, points, floor, color);
    const double width = points.size() > dense ? dense_line_width : line_width;
    std::vector<plot_point> stroke;
    const auto finish = [&] {
        out.polyline(stroke, width, color);
        if (mark == plot_mark::dotted_line) out.dots(stroke, dot_radius, color);
        stroke.clear();
    };
    for (const plot_point& p : points) {
        if (!std::isfinite(p.y)) {
            finish();
            continue;
        }
        if (mark == plot_mark::step && !stroke.empty()) stroke.push_back({p.x, stroke.back().y});
        stroke.push_back(p);
    }
    finish();
}

}  // namespace upsweep::cli
