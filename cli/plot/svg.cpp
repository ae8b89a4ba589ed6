// The canvas as SVG 1.1: paths, rectangles and text, no style sheet, no script.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "cli/plot/canvas.hpp"
#include "cli/plot/stroke_font.hpp"

namespace upsweep::cli {
namespace {

// Two decimals of a CSS pixel at most.
void append_number(std::string& out, double value) {
    auto hundredths = std::llround(value * 100);
    if (hundredths < 0) out += '-';
    hundredths = std::llabs(hundredths);
    fmt::format_to(std::back_inserter(out), "{}", hundredths / 100);
    hundredths %= 100;
    if (hundredths == 0) return;
    out += '.';
    out += static_cast<char>('0' + hundredths / 10);
    if (hundredths % 10 != 0) out += static_cast<char>('0' + hundredths % 10);
}

std::string number(double value) {
    std::string text;
    append_number(text, value);
    return text;
}

std::string hex(plot_color color) {
    return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

// Valid UTF-8 and valid XML whatever comes in.
std::string escaped(std::string_view words) {
    std::string out;
    for (const char32_t code : decode_utf8(words)) {
        if (code == '&')
            out += "&amp;";
        else if (code == '<')
            out += "&lt;";
        else if (code == '>')
            out += "&gt;";
        else if (code == '"')
            out += "&quot;";
        else
            append_utf8(out, code < 0x20 || code == 0xfffe || code == 0xffff ? U'\ufffd' : code);
    }
    return out;
}

class svg_canvas final : public canvas {
  public:
    svg_canvas(double width, double height, std::string_view title) {
        const std::string w = number(width);
        const std::string h = number(height);
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
            "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            w, h, escaped(title));
    }

    void rectangles(std::span<const plot_rectangle> all, plot_color color) override {
        if (all.empty()) return;
        out_ += "<path fill=\"" + hex(color) + "\" d=\"";
        for (const plot_rectangle& one : all) {
            out_ += 'M';
            append_number(out_, one.x);
            out_ += ' ';
            append_number(out_, one.y);
            out_ += 'h';
            append_number(out_, one.width);
            out_ += 'v';
            append_number(out_, one.height);
            out_ += 'h';
            append_number(out_, -one.width);
            out_ += 'z';
        }
        out_ += "\"/>\n";
    }

    void polyline(std::span<const plot_point> points, double width, plot_color color) override {
        if (points.empty()) return;
        out_ += fmt::format(
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" "
            "stroke-linecap=\"round\" points=\"",
            hex(color), number(width));
        for (const plot_point& p : points) {
            append_number(out_, p.x);
            out_ += ',';
            append_number(out_, p.y);
            out_ += ' ';
        }
        // One point alone draws nothing; twice the same is a dot.
        if (points.size() == 1)
            out_ += number(points[0].x) + "," + number(points[0].y);
        else
            out_.pop_back();
        out_ += "\"/>\n";
    }

    void dots(std::span<const plot_point> centers, double radius, plot_color color) override {
        for (const plot_point& p : centers) {
            out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(p.x),
                                number(p.y), number(radius), hex(color));
        }
    }

    void text(double x, double y, std::string_view words, const text_style& style) override {
        if (words.empty()) return;
        constexpr const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
        out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n", number(x),
                            number(y), number(style.size), hex(style.color),
                            anchors[static_cast<int>(style.anchor)],
                            style.bold ? " font-weight=\"bold\"" : "", escaped(words));
    }

    std::string finish() override { return std::move(out_) + "</svg>\n"; }

  private:
    std::string out_;
};

}  // namespace

std::unique_ptr<canvas> make_svg_canvas(double width, double height, std::string_view title) {
    return std::make_unique<svg_canvas>(width, height, title);
}

}  // namespace upsweep::cli
