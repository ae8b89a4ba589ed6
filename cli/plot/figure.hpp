// What a picture shows, independent of how it is drawn: panels one above the other with a common x axis, each
// with lines, steps or bars. One description gives SVG or PNG.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/io/output_file.hpp"

namespace upsweep::cli {

struct plot_point {
    double x = 0;
    double y = 0;
};

enum class plot_mark {
    line,
    dotted_line,  // a line with a dot at every point, for few measurements
    step,         // holds each value until the next x
    bars,         // from 0 to each value
    intervals,    // the same, each from its x to the next point's; the last point ends the last one
};

struct plot_series {
    std::string label;  // written beside the last point; UTF-8
    plot_mark mark = plot_mark::line;
    std::vector<plot_point> points;  // ascending x; a y that is not finite interrupts a line
    bool reference = false;          // drawn grey, behind the others
};

struct plot_panel {
    std::string y_label;  // above the axis, read from the left
    std::vector<plot_series> series;
    double height_share = 1;  // relative to the other panels
};

struct plot_figure {
    std::string title;
    std::string subtitle;
    std::string x_label;
    bool log_x = false;                                   // points with x <= 0 are left out
    bool whole_x = false;                                 // x counts something: no ticks between integers
    std::vector<std::pair<double, std::string>> x_ticks;  // instead of computed ones
    std::vector<plot_panel> panels;
    double width = 960;  // CSS pixels; PNG has two device pixels for each
    double height = 540;
};

enum class picture_format { svg, png };
// By the ending of the name, in any case.
[[nodiscard]] std::optional<picture_format> picture_format_of(std::string_view path);

// The whole file as bytes.
[[nodiscard]] std::string draw_picture(const plot_figure& figure, picture_format format);

inline void write_picture(output_file& output, const plot_figure& figure, picture_format format) {
    output.write(draw_picture(figure, format));
}

}  // namespace upsweep::cli
