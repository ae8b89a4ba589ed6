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
constexpr double bar_distance = 1;  // between intervals, if there is room
constexpr double narrowest_bar = 1;
constexpr double dense_column = 2;  // bars closer than narrowest_bar become one outline in columns this wide

// Bars on a floor. Those too close to be told apart become columns from the lowest to the highest of them.
class bar_chart {
  public:
    explicit bar_chart(double floor) : floor_(floor) {}

    void add(double middle, double width, double y, bool crowded) {
        const double top = std::min(y, floor_), bottom = std::max(y, floor_);
        const double column = crowded ? (std::floor(middle / dense_column) + 0.5) * dense_column : middle;
        if (crowded && !bars_.empty() && column == last_column_) {
            const double lowest = std::max(bars_.back().y + bars_.back().height, bottom);
            bars_.back().y = std::min(bars_.back().y, top);
            bars_.back().height = lowest - bars_.back().y;
        } else if (bottom > top) {
            const double taken = crowded ? dense_column : std::max(width, narrowest_bar);
            bars_.push_back({column - taken / 2, top, taken, bottom - top});
            last_column_ = crowded ? column : -1;
        }
    }
    [[nodiscard]] const std::vector<plot_rectangle>& bars() const { return bars_; }

  private:
    double floor_;
    std::vector<plot_rectangle> bars_;
    double last_column_ = -1;
};

void draw_bars(canvas& out, std::span<const plot_point> points, double floor, plot_color color) {
    double gap = widest_bar / 0.8;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double distance = points[i].x - points[i - 1].x;
        if (distance > 0) gap = std::min(gap, distance);
    }
    bar_chart chart(floor);
    for (const plot_point& p : points)
        if (std::isfinite(p.y)) chart.add(p.x, 0.8 * gap, p.y, gap < narrowest_bar);
    out.rectangles(chart.bars(), color);
}

void draw_intervals(canvas& out, std::span<const plot_point> points, double floor, plot_color color) {
    bar_chart chart(floor);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const plot_point &from = points[i], &to = points[i + 1];
        if (!std::isfinite(from.y) || !std::isfinite(to.y)) continue;
        const double width = to.x - from.x;
        chart.add(from.x + width / 2, width > 4 * bar_distance ? width - bar_distance : width, from.y,
                  width < narrowest_bar);
    }
    out.rectangles(chart.bars(), color);
}

}  // namespace

void draw_mark(canvas& out, plot_mark mark, std::span<const plot_point> points, double floor,
               plot_color color) {
    if (mark == plot_mark::bars) return draw_bars(out, points, floor, color);
    if (mark == plot_mark::intervals) return draw_intervals(out, points, floor, color);
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
