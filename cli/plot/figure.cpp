// The layout of a figure: ranges, margins, axes, then series and the labels beside them, drawn on a canvas.
#include "cli/plot/figure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/plot/canvas.hpp"
#include "cli/plot/marks.hpp"
#include "cli/plot/palette.hpp"
#include "cli/plot/stroke_font.hpp"
#include "cli/plot/ticks.hpp"

namespace upsweep::cli {
namespace {

constexpr double outer_margin = 20;
constexpr double title_size = 19;
constexpr double subtitle_size = 13;
constexpr double text_size = 12;
constexpr double label_size = 13;
constexpr double label_distance = 16;  // between base lines of neighbours
constexpr double panel_gap = 16;
constexpr double y_label_height = 24;  // above each panel
constexpr double widest_label = 220;
constexpr double viewer_font = 1.2;  // room for a font in bold that runs wider than the one measured

struct range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void include(double value) {
        value = bounded_coordinate(value);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return !(low <= high); }
};

struct placed_panel {
    const plot_panel* panel;
    double top, bottom;  // pixels
    range y;
    std::vector<axis_tick> ticks;
};

bool shown(const plot_figure& figure, const plot_point& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && (!figure.log_x || p.x > 0);
}

range x_range(const plot_figure& figure) {
    range x;
    double bar_room = 0;
    for (const plot_panel& panel : figure.panels) {
        for (const plot_series& series : panel.series) {
            range own;
            for (const plot_point& p : series.points) {
                if (shown(figure, p)) own.include(p.x);
            }
            if (own.empty()) continue;
            x.include(own.low);
            x.include(own.high);
            const auto gaps = static_cast<double>(series.points.size() - 1);
            if (series.mark == plot_mark::bars && gaps > 0)
                bar_room = std::max(bar_room, (own.high - own.low) / gaps / 2);
        }
    }
    if (x.empty()) return {figure.log_x ? 1.0 : 0.0, figure.log_x ? 10.0 : 1.0};
    if (figure.log_x) return x.low < x.high ? x : range{x.low / 2, x.high * 2};
    if (x.low == x.high) bar_room = std::max(0.5, std::abs(x.low) * 1e-6);
    return {x.low - bar_room, x.high + bar_room};
}

// Widened to round numbers; from 0 where bars stand on it or the values are not far from it.
range y_range(const plot_figure& figure, const plot_panel& panel, int target) {
    range y;
    bool bars = false;
    for (const plot_series& series : panel.series) {
        bars = bars || is_bars(series.mark);
        for (const plot_point& p : series.points) {
            if (shown(figure, p)) y.include(p.y);
        }
    }
    if (y.empty()) return {0, 1};
    if (bars || (y.low > 0 && y.low < 0.6 * y.high)) y.include(0);
    if (y.high < 0 && y.high > 0.6 * y.low) y.include(0);
    if (y.low == y.high) {
        const double room = y.low == 0 ? 1 : std::abs(y.low) * 0.1;
        y = {y.low - room, y.high + room};
    }
    const double step = nice_step(y.high - y.low, target);
    if (step > 0) y = {std::floor(y.low / step + 1e-9) * step, std::ceil(y.high / step - 1e-9) * step};
    return y;
}

struct side_label {
    double y;  // base line
    std::string words;
    plot_color color;
};

// Moves labels apart where they would overlap, inside [top, bottom]; leaves out what has no room, evenly.
void spread(std::vector<side_label>& labels, double top, double bottom) {
    std::stable_sort(labels.begin(), labels.end(),
                     [](const side_label& a, const side_label& b) { return a.y < b.y; });
    const auto room = static_cast<std::size_t>(std::max(1.0, (bottom - top) / label_distance + 1));
    if (labels.size() > room) {
        const std::size_t kept = std::max<std::size_t>(room - 1, 1);
        std::vector<side_label> few;
        for (std::size_t i = 0; i < kept; ++i) {
            few.push_back(labels[kept == 1 ? 0 : i * (labels.size() - 1) / (kept - 1)]);
        }
        few.push_back({bottom, "and " + std::to_string(labels.size() - kept) + " more", soft_ink});
        labels = std::move(few);
    }
    double lowest = top;
    for (side_label& label : labels) {
        label.y = std::max(label.y, lowest);
        lowest = label.y + label_distance;
    }
    double highest = bottom;
    for (std::size_t i = labels.size(); i-- > 0;) {
        labels[i].y = std::min(labels[i].y, highest);
        highest = labels[i].y - label_distance;
    }
}

plot_color color_of(const plot_panel& panel, std::size_t index) {
    if (panel.series[index].reference) return axis_color;
    const auto is_reference = [](const plot_series& series) { return series.reference; };
    const auto before = std::count_if(
        panel.series.begin(), panel.series.begin() + static_cast<std::ptrdiff_t>(index), is_reference);
    const auto all = std::count_if(panel.series.begin(), panel.series.end(), is_reference);
    return series_color(index - static_cast<std::size_t>(before),
                        panel.series.size() - static_cast<std::size_t>(all));
}

void draw_axes(canvas& out, const placed_panel& placed, double left, double right) {
    const axis_scale y{placed.y.low, placed.y.high, placed.bottom, placed.top, false};
    out.text(outer_margin, placed.top - 12, fitted(placed.panel->y_label, text_size, right - outer_margin),
             {text_size, soft_ink});
    std::vector<plot_rectangle> lines;
    for (const axis_tick& tick : placed.ticks) lines.push_back({left, y(tick.value) - 0.5, right - left, 1});
    out.rectangles(lines, grid_color);
    for (const axis_tick& tick : placed.ticks) {
        out.text(left - 8, y(tick.value) + 4, tick.label, {text_size, soft_ink, text_anchor::end});
    }
}

void draw_series(canvas& out, const plot_figure& figure, const placed_panel& placed, axis_scale x) {
    const axis_scale y{placed.y.low, placed.y.high, placed.bottom, placed.top, false};
    const plot_panel& panel = *placed.panel;
    std::vector<side_label> labels;
    for (const bool reference : {true, false}) {
        for (std::size_t i = 0; i < panel.series.size(); ++i) {
            const plot_series& series = panel.series[i];
            if (series.reference != reference) continue;
            std::vector<plot_point> points;
            for (const plot_point& p : series.points) {
                if (shown(figure, p))
                    points.push_back({x(p.x), y(p.y)});
                else if (!points.empty() && std::isfinite(points.back().y))
                    points.push_back(pen_up);
            }
            if (points.empty()) continue;
            draw_mark(out, series.mark, points, y(std::clamp(0.0, placed.y.low, placed.y.high)),
                      color_of(panel, i));
            if (!series.label.empty()) {
                const double end =
                    std::isfinite(points.back().y) ? points.back().y : points[points.size() - 2].y;
                labels.push_back(
                    {end + 4.5, fitted(series.label, label_size, widest_label), color_of(panel, i)});
            }
        }
    }
    // The line of 0, or the floor of the panel.
    const double floor = y(std::clamp(0.0, placed.y.low, placed.y.high));
    const plot_rectangle line[] = {{x.pixel_low, floor - 0.5, x.pixel_high - x.pixel_low, 1}};
    out.rectangles(line, axis_color);
    spread(labels, placed.top + 4.5, placed.bottom + 4.5);
    for (const side_label& label : labels) {
        const plot_color color = label.color.red == axis_color.red ? soft_ink : label.color;
        out.text(x.pixel_high + 9, label.y, label.words, {label_size, color, text_anchor::start, true});
    }
}

void draw_x_axis(canvas& out, const plot_figure& figure, axis_scale x, double bottom) {
    std::vector<axis_tick> ticks;
    const int target = static_cast<int>((x.pixel_high - x.pixel_low) / 85);
    if (!figure.x_ticks.empty()) {
        for (const auto& [value, label] : figure.x_ticks) {
            if (value >= x.low && value <= x.high) ticks.push_back({value, label});
        }
    } else {
        ticks = figure.log_x ? log_ticks(x.low, x.high, target)
                             : linear_ticks(x.low, x.high, target, figure.whole_x);
    }
    std::vector<plot_rectangle> marks;
    double free_from = 0;
    for (const axis_tick& tick : ticks) {
        const double place = x(tick.value);
        const double half = text_width(tick.label, text_size) / 2;
        if (place - half < free_from) continue;
        free_from = place + half + 8;
        marks.push_back({place - 0.5, bottom, 1, 5});
        out.text(place, bottom + 19, tick.label, {text_size, soft_ink, text_anchor::middle});
    }
    out.rectangles(marks, axis_color);
    out.text((x.pixel_low + x.pixel_high) / 2, bottom + 40,
             fitted(figure.x_label, text_size, x.pixel_high - x.pixel_low),
             {text_size, soft_ink, text_anchor::middle});
}

}  // namespace

std::optional<picture_format> picture_format_of(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    std::string ending(path.substr(dot + 1));
    for (char& character : ending) {
        if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    }
    if (ending == "svg") return picture_format::svg;
    if (ending == "png") return picture_format::png;
    return std::nullopt;
}

std::string draw_picture(const plot_figure& figure, picture_format format) {
    const auto out = format == picture_format::svg
                         ? make_svg_canvas(figure.width, figure.height, figure.title)
                         : make_png_canvas(figure.width, figure.height);
    const double inner = figure.width - 2 * outer_margin;
    double top = outer_margin;
    if (!figure.title.empty()) {
        out->text(outer_margin, top + 16, fitted(figure.title, title_size, inner),
                  {title_size, ink, text_anchor::start, true});
        top += 28;
    }
    if (!figure.subtitle.empty()) {
        out->text(outer_margin, top + 11, fitted(figure.subtitle, subtitle_size, inner),
                  {subtitle_size, soft_ink});
        top += 22;
    }
    const double bottom = figure.height - outer_margin - (figure.x_label.empty() ? 18 : 34);

    double shares = 0;
    for (const plot_panel& panel : figure.panels) shares += panel.height_share;
    const auto gaps = static_cast<double>(figure.panels.size());
    const double drawn = std::max(bottom - top - gaps * y_label_height - (gaps - 1) * panel_gap, 10.0);
    std::vector<placed_panel> panels;
    double label_room = 0;
    double tick_room = 0;
    bool crowded_labels = false;
    for (const plot_panel& panel : figure.panels) {
        placed_panel placed{&panel, top + y_label_height, 0, {}, {}};
        placed.bottom = placed.top + drawn * panel.height_share / shares;
        top = placed.bottom + panel_gap;
        const int target = std::max(2, static_cast<int>((placed.bottom - placed.top) / 45));
        placed.y = y_range(figure, panel, target);
        placed.ticks = linear_ticks(placed.y.low, placed.y.high, target);
        for (const axis_tick& tick : placed.ticks)
            tick_room = std::max(tick_room, text_width(tick.label, text_size));
        const auto series_count = static_cast<double>(panel.series.size());
        crowded_labels = crowded_labels || series_count * label_distance > placed.bottom - placed.top;
        for (const plot_series& series : panel.series) {
            label_room = std::max(label_room,
                                  std::min(text_width(series.label, label_size) * viewer_font, widest_label));
        }
        panels.push_back(std::move(placed));
    }
    if (crowded_labels)
        label_room = std::max(label_room, text_width("and 000 more", label_size) * viewer_font);
    const double left = outer_margin + tick_room + 10;
    const double right =
        std::max(figure.width - outer_margin - (label_room > 0 ? label_room + 6 : 8), left + 10);
    const range limits = x_range(figure);
    const axis_scale x{limits.low, limits.high, left, right, figure.log_x};
    for (const placed_panel& placed : panels) {
        draw_axes(*out, placed, left, right);
        draw_series(*out, figure, placed, x);
    }
    if (!panels.empty()) draw_x_axis(*out, figure, x, panels.back().bottom);
    return out->finish();
}

}  // namespace upsweep::cli
