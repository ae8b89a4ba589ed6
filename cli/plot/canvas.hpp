// The few strokes every picture is made of; SVG and PNG each implement them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/plot/figure.hpp"

namespace upsweep::cli {

struct plot_color {
    std::uint8_t red, green, blue;
};

struct plot_rectangle {
    double x, y, width, height;
};

enum class text_anchor { start, middle, end };

struct text_style {
    double size;  // CSS pixels
    plot_color color;
    text_anchor anchor = text_anchor::start;
    bool bold = false;
};

// Coordinates are CSS pixels, y downwards, and finite.
class canvas {
  public:
    virtual ~canvas() = default;
    virtual void rectangles(std::span<const plot_rectangle> all, plot_color color) = 0;
    virtual void polyline(std::span<const plot_point> points, double width, plot_color color) = 0;
    virtual void dots(std::span<const plot_point> centers, double radius, plot_color color) = 0;
    // `y` is the base line.
    virtual void text(double x, double y, std::string_view words, const text_style& style) = 0;
    // The bytes of the file.
    virtual std::string finish() = 0;
};

[[nodiscard]] std::unique_ptr<canvas> make_svg_canvas(double width, double height, std::string_view title);
[[nodiscard]] std::unique_ptr<canvas> make_png_canvas(double width, double height);

}  // namespace upsweep::cli
