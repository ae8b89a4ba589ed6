// The canvas as PNG: an anti-aliased raster at two device pixels a CSS pixel, compressed by libpng.
#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/io/message.hpp"
#include "cli/plot/canvas.hpp"
#include "cli/plot/stroke_font.hpp"

namespace upsweep::cli {
namespace {

constexpr double pixel_ratio = 2;

// Strokes collect their coverage in a mask, the largest value at each pixel, and color is blended once
// through it: joints of a polyline are neither doubled nor open, whatever the order.
class png_canvas final : public canvas {
  public:
    png_canvas(double width, double height)
        : width_(static_cast<int>(std::lround(std::clamp(width, 1.0, 8192.0) * pixel_ratio))),
          height_(static_cast<int>(std::lround(std::clamp(height, 1.0, 8192.0) * pixel_ratio))),
          pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3, 255),
          mask_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0) {
        reset_dirty();
    }

    void rectangles(std::span<const plot_rectangle> all, plot_color color) override {
        for (const plot_rectangle& one : all) cover_rectangle(one);
        blend(color);
    }

    void polyline(std::span<const plot_point> points, double width, plot_color color) override {
        stroke(points, width);
        blend(color);
    }

    void dots(std::span<const plot_point> centers, double radius, plot_color color) override {
        for (const plot_point& p : centers) cover_segment(p, p, radius);
        blend(color);
    }

    void text(double x, double y, std::string_view words, const text_style& style) override {
        const double width = text_width(words, style.size);
        if (style.anchor == text_anchor::middle) x -= width / 2;
        if (style.anchor == text_anchor::end) x -= width;
        const double thickness = style.size * (style.bold ? 0.125 : 0.085);
        for (const auto& line : text_strokes(words, style.size)) {
            std::vector<plot_point> placed(line);
            for (plot_point& p : placed) p = {x + p.x, y - p.y};
            stroke(placed, thickness);
        }
        blend(style.color);
    }

    std::string finish() override {
        png_image image = {};
        image.version = PNG_IMAGE_VERSION;
        image.width = static_cast<png_uint_32>(width_);
        image.height = static_cast<png_uint_32>(height_);
        image.format = PNG_FORMAT_RGB;
        png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
        std::string file(bytes, '\0');
        if (png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels_.data(), 0, nullptr) == 0) {
            fail("PNG", image.message);
        }
        file.resize(bytes);
        return file;
    }

  private:
    void stroke(std::span<const plot_point> points, double width) {
        if (points.size() == 1) cover_segment(points[0], points[0], width / 2);
        for (std::size_t i = 1; i < points.size(); ++i) cover_segment(points[i - 1], points[i], width / 2);
    }

    void cover(int x, int y, double coverage) {
        const auto value = static_cast<std::uint8_t>(std::lround(std::clamp(coverage, 0.0, 1.0) * 255));
        std::uint8_t& place = mask_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                    static_cast<std::size_t>(x)];
        place = std::max(place, value);
    }

    // A segment with round ends: coverage falls from 1 to 0 over one pixel at distance `radius`.
    void cover_segment(plot_point from, plot_point to, double radius) {
        const double r = radius * pixel_ratio;
        const double ax = from.x * pixel_ratio, ay = from.y * pixel_ratio;
        const double bx = to.x * pixel_ratio, by = to.y * pixel_ratio;
        const double dx = bx - ax, dy = by - ay;
        const double length_squared = dx * dx + dy * dy;
        const double reach = r + 1;
        const int y0 = row_at(std::min(ay, by) - reach), y1 = row_at(std::max(ay, by) + reach);
        for (int y = y0; y <= y1; ++y) {
            // Only the part of the segment within reach of this row matters.
            const double center = y + 0.5;
            double t0 = 0, t1 = 1;
            if (std::abs(dy) > 1e-9) {
                t0 = std::clamp((center - reach - ay) / dy, 0.0, 1.0);
                t1 = std::clamp((center + reach - ay) / dy, 0.0, 1.0);
            }
            const double xa = ax + t0 * dx, xb = ax + t1 * dx;
            const int x0 = column_at(std::min(xa, xb) - reach), x1 = column_at(std::max(xa, xb) + reach);
            for (int x = x0; x <= x1; ++x) {
                const double px = x + 0.5 - ax, py = center - ay;
                const double t =
                    length_squared > 0 ? std::clamp((px * dx + py * dy) / length_squared, 0.0, 1.0) : 0;
                const double coverage = r + 0.5 - std::hypot(px - t * dx, py - t * dy);
                if (coverage > 0) cover(x, y, std::min(coverage, 2 * r));
            }
            mark_dirty(x0, x1, y);
        }
    }

    void cover_rectangle(const plot_rectangle& one) {
        const double left = one.x * pixel_ratio, right = left + one.width * pixel_ratio;
        const double top = one.y * pixel_ratio, bottom = top + one.height * pixel_ratio;
        const int x0 = column_at(left), x1 = column_at(right);
        for (int y = row_at(top), y1 = row_at(bottom); y <= y1; ++y) {
            const double rows = std::min(bottom, y + 1.0) - std::max<double>(top, y);
            for (int x = x0; x <= x1; ++x) {
                cover(x, y, rows * (std::min(right, x + 1.0) - std::max<double>(left, x)));
            }
            mark_dirty(x0, x1, y);
        }
    }

    [[nodiscard]] int column_at(double x) const {
        return static_cast<int>(std::clamp(std::floor(x), 0.0, width_ - 1.0));
    }
    [[nodiscard]] int row_at(double y) const {
        return static_cast<int>(std::clamp(std::floor(y), 0.0, height_ - 1.0));
    }

    void mark_dirty(int x0, int x1, int y) {
        dirty_left_ = std::min(dirty_left_, x0);
        dirty_right_ = std::max(dirty_right_, x1);
        dirty_top_ = std::min(dirty_top_, y);
        dirty_bottom_ = std::max(dirty_bottom_, y);
    }
    void reset_dirty() {
        dirty_left_ = width_;
        dirty_top_ = height_;
        dirty_right_ = dirty_bottom_ = -1;
    }

    // Puts `color` where the mask is and clears the mask.
    void blend(plot_color color) {
        const std::uint8_t channels[] = {color.red, color.green, color.blue};
        for (int y = dirty_top_; y <= dirty_bottom_; ++y) {
            for (int x = dirty_left_; x <= dirty_right_; ++x) {
                const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                      static_cast<std::size_t>(x);
                const int alpha = mask_[i];
                if (alpha == 0) continue;
                for (std::size_t c = 0; c < 3; ++c) {
                    std::uint8_t& channel = pixels_[3 * i + c];
                    channel = static_cast<std::uint8_t>(
                        (channel * (255 - alpha) + channels[c] * alpha + 127) / 255);
                }
                mask_[i] = 0;
            }
        }
        reset_dirty();
    }

    int width_;
    int height_;
    std::vector<std::uint8_t> pixels_;
    std::vector<std::uint8_t> mask_;
    int dirty_left_ = 0, dirty_right_ = 0, dirty_top_ = 0, dirty_bottom_ = 0;
};

}  // namespace

std::unique_ptr<canvas> make_png_canvas(double width, double height) {
    return std::make_unique<png_canvas>(width, height);
}

}  // namespace upsweep::cli
