// Glyphs as pen movements on a grid where capitals are 100 high and small letters 70, and their evaluation.
#include "cli/plot/stroke_font.hpp"

#include <charconv>
#include <cmath>
#include <numbers>

namespace upsweep::cli {
namespace {

// M x y: move. L x y: line. A cx cy rx ry from to: along an ellipse, angles in degrees, counterclockwise when
// `to` is larger, joined by a line to what came before; B: the same with the pen lifted first. O cx cy rx ry:
// a whole ellipse.
struct glyph {
    char32_t code;
    int width;  // of the ink; side bearings are added
    std::string_view path;
};

constexpr glyph glyphs[] = {
    {U' ', 16, ""},
    {U'!', 4, "M 2 100 L 2 32 M 2 1 L 2 2"},
    {U'"', 22, "M 2 100 L 2 74 M 22 100 L 22 74"},
    {U'#', 68, "M 14 0 L 26 100 M 42 0 L 54 100 M 0 34 L 64 34 M 4 66 L 68 66"},
    {U'$', 56, "B 28 74 24 22 35 270 A 28 26 28 26 90 -150 M 28 112 L 28 -12"},
    {U'%', 86, "O 18 78 18 22 O 68 22 18 22 M 72 100 L 14 0"},
    {U'&', 74, "M 74 0 L 17 66 A 35 81 19 19 200 -30 L 14 46 A 28 26 28 26 130 320 L 72 46"},
    {U'\'', 4, "M 2 100 L 2 74"},
    {U'(', 22, "B 52 42 52 74 126 234"},
    {U')', 22, "B -30 42 52 74 54 -54"},
    {U'*', 38, "M 19 98 L 19 56 M 0 87 L 38 67 M 38 87 L 0 67"},
    {U'+', 54, "M 0 42 L 54 42 M 27 69 L 27 15"},
    {U',', 8, "M 6 4 L 0 -16"},
    {U'-', 30, "M 0 38 L 30 38"},
    {U'.', 4, "M 2 1 L 2 2"},
    {U'/', 42, "M 0 -12 L 42 106"},
    {U'0', 52, "O 26 50 26 50"},
    {U'1', 52, "M 8 78 L 30 100 L 30 0"},
    {U'2', 52, "B 26 72 24 28 165 -38 L 1 0 L 52 0"},
    {U'3', 52, "B 24 76 22 24 155 -90 M 16 52 L 24 52 A 24 26 28 26 90 -155"},
    {U'4', 52, "M 38 0 L 38 100 L 0 30 L 54 30"},
    {U'5', 52, "M 46 100 L 8 100 L 4 54 A 24 32 28 32 128 -152"},
    {U'6', 52, "O 26 32 26 32 B 54 32 54 68 180 100"},
    {U'7', 52, "M 0 100 L 52 100 L 18 0"},
    {U'8', 52, "O 26 76 22 24 O 26 26 26 26"},
    {U'9', 52, "O 26 68 26 32 B -2 68 54 68 0 -80"},
    {U':', 4, "M 2 1 L 2 2 M 2 60 L 2 61"},
    {U';', 8, "M 6 4 L 0 -16 M 6 60 L 6 61"},
    {U'<', 50, "M 50 72 L 0 42 L 50 12"},
    {U'=', 54, "M 0 56 L 54 56 M 0 28 L 54 28"},
    {U'>', 50, "M 0 72 L 50 42 L 0 12"},
    {U'?', 46, "B 23 76 22 24 165 -50 L 23 44 L 23 31 M 23 1 L 23 2"},
    {U'@', 92, "O 44 40 20 24 M 64 64 L 64 28 A 78 28 14 14 180 360 L 92 42 A 46 42 46 52 0 290"},
    {U'A', 70, "M 0 0 L 35 100 L 70 0 M 12 34 L 58 34"},
    {U'B', 60, "M 0 52 L 32 52 M 32 52 A 32 76 23 24 -90 90 L 0 100 L 0 0 L 32 0 A 34 26 26 26 -90 90"},
    {U'C', 74, "B 42 50 42 50 42 318"},
    {U'D', 70, "M 0 0 L 0 100 L 26 100 A 26 50 44 50 90 -90 L 0 0"},
    {U'E', 54, "M 54 100 L 0 100 L 0 0 L 54 0 M 0 52 L 46 52"},
    {U'F', 52, "M 52 100 L 0 100 L 0 0 M 0 50 L 44 50"},
    {U'G', 78, "B 42 50 42 50 42 322 L 78 46 L 50 46"},
    {U'H', 66, "M 0 0 L 0 100 M 66 0 L 66 100 M 0 52 L 66 52"},
    {U'I', 4, "M 2 0 L 2 100"},
    {U'J', 40, "M 40 100 L 40 26 A 20 26 20 26 0 -170"},
    {U'K', 62, "M 0 0 L 0 100 M 58 100 L 0 36 M 22 60 L 62 0"},
    {U'L', 48, "M 0 100 L 0 0 L 48 0"},
    {U'M', 76, "M 0 0 L 0 100 L 38 16 L 76 100 L 76 0"},
    {U'N', 64, "M 0 0 L 0 100 L 64 0 L 64 100"},
    {U'O', 84, "O 42 50 42 50"},
    {U'P', 59, "M 0 0 L 0 100 L 32 100 A 32 73 27 27 90 -90 L 0 46"},
    {U'Q', 84, "O 42 50 42 50 M 52 22 L 82 -8"},
    {U'R', 62, "M 0 0 L 0 100 L 32 100 A 32 73 27 27 90 -90 L 0 46 M 34 46 L 62 0"},
    {U'S', 58, "B 29 75 26 25 35 270 A 29 25 29 25 90 -150"},
    {U'T', 62, "M 0 100 L 62 100 M 31 100 L 31 0"},
    {U'U', 66, "M 0 100 L 0 32 A 33 32 33 32 180 360 L 66 100"},
    {U'V', 68, "M 0 100 L 34 0 L 68 100"},
    {U'W', 98, "M 0 100 L 25 0 L 49 96 L 73 0 L 98 100"},
    {U'X', 62, "M 0 0 L 62 100 M 0 100 L 62 0"},
    {U'Y', 66, "M 0 100 L 33 48 L 66 100 M 33 48 L 33 0"},
    {U'Z', 60, "M 2 100 L 58 100 L 0 0 L 60 0"},
    {U'[', 18, "M 18 106 L 0 106 L 0 -20 L 18 -20"},
    {U'\\', 42, "M 0 106 L 42 -12"},
    {U']', 18, "M 0 106 L 18 106 L 18 -20 L 0 -20"},
    {U'^', 48, "M 0 66 L 24 100 L 48 66"},
    {U'_', 56, "M 0 -16 L 56 -16"},
    {U'`', 12, "M 0 100 L 12 82"},
    {U'a', 50, "O 25 35 25 35 M 50 70 L 50 0"},
    {U'b', 50, "M 0 100 L 0 0 O 25 35 25 35"},
    {U'c', 48, "B 28 35 28 35 48 312"},
    {U'd', 50, "O 25 35 25 35 M 50 100 L 50 0"},
    {U'e', 54, "M 0 37 L 54 37 A 27 35 27 35 4 318"},
    {U'f', 34, "B 34 80 18 20 75 180 L 16 0 M 0 70 L 32 70"},
    {U'g', 50, "O 25 35 25 35 M 50 70 L 50 -4 A 26 -4 24 24 0 -150"},
    {U'h', 46, "M 0 100 L 0 0 M 0 42 A 23 44 23 26 180 0 L 46 0"},
    {U'i', 4, "M 2 70 L 2 0 M 2 93 L 2 94"},
    {U'j', 12, "M 10 70 L 10 -10 A -6 -10 16 18 0 -80 M 10 93 L 10 94"},
    {U'k', 46, "M 0 100 L 0 0 M 42 70 L 0 26 M 17 44 L 46 0"},
    {U'l', 4, "M 2 100 L 2 0"},
    {U'm', 80, "M 0 70 L 0 0 M 0 44 A 20 46 20 24 180 0 L 40 0 M 40 44 A 60 46 20 24 180 0 L 80 0"},
    {U'n', 46, "M 0 70 L 0 0 M 0 42 A 23 44 23 26 180 0 L 46 0"},
    {U'o', 54, "O 27 35 27 35"},
    {U'p', 50, "M 0 70 L 0 -28 O 25 35 25 35"},
    {U'q', 50, "O 25 35 25 35 M 50 70 L 50 -28"},
    {U'r', 30, "M 0 70 L 0 0 M 0 38 A 26 42 26 28 180 80"},
    {U's', 42, "B 21 52.5 19 17.5 35 270 A 21 17.5 21 17.5 90 -150"},
    {U't', 34, "M 14 92 L 14 18 A 32 18 18 18 180 280 M 0 70 L 32 70"},
    {U'u', 46, "M 0 70 L 0 26 A 23 26 23 26 180 360 M 46 70 L 46 0"},
    {U'v', 50, "M 0 70 L 25 0 L 50 70"},
    {U'w', 76, "M 0 70 L 20 0 L 38 66 L 56 0 L 76 70"},
    {U'x', 48, "M 0 0 L 48 70 M 0 70 L 48 0"},
    {U'y', 50, "M 0 70 L 26 2 M 50 70 L 20 -16 A 8 -12 13 16 -20 -90"},
    {U'z', 46, "M 2 70 L 44 70 L 0 0 L 46 0"},
    {U'{', 26, "M 26 106 L 14 98 L 14 56 L 2 43 L 14 30 L 14 -12 L 26 -20"},
    {U'|', 4, "M 2 110 L 2 -24"},
    {U'}', 26, "M 0 106 L 12 98 L 12 56 L 24 43 L 12 30 L 12 -12 L 0 -20"},
    {U'~', 56, "B 14 38 14 12 180 0 A 42 38 14 12 180 360"},
    {U'°', 28, "O 14 84 14 16"},
    {U'²', 28, "B 14 88 12 12 160 -30 L 0 54 L 28 54"},
    {U'³', 28, "B 13 90 11 10 150 -90 A 13 66 14 14 90 -150"},
    {U'µ', 46, "M 0 70 L 0 -26 M 0 26 A 23 26 23 26 180 360 M 46 70 L 46 0"},
    {U'·', 4, "M 2 40 L 2 41"},
    {U'×', 48, "M 0 16 L 48 66 M 0 66 L 48 16"},
    {U'–', 52, "M 0 38 L 52 38"},
    {U'—', 86, "M 0 38 L 86 38"},
    {U'’', 8, "M 6 100 L 0 78"},
    {U'…', 60, "M 2 1 L 2 2 M 30 1 L 30 2 M 58 1 L 58 2"},
    {U'−', 54, "M 0 42 L 54 42"},
};
constexpr glyph missing = {U'\ufffd', 48, "M 0 0 L 0 84 L 48 84 L 48 0 L 0 0"};

constexpr double side_bearings = 24;    // both sides together
constexpr double capital_height = 0.7;  // of the size
constexpr double degrees_a_segment = 12;

// Letters of Latin-1 from U+00C0 on, without their accents.
constexpr std::u32string_view plain_letters =
    U"AAAAAAACEEEEIIIIDNOOOOO×OUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";

const glyph& glyph_of(char32_t code) {
    if (code >= 0xc0 && code <= 0xff) code = plain_letters[code - 0xc0];
    for (const glyph& one : glyphs) {
        if (one.code == code) return one;
    }
    return missing;
}

class pen {
  public:
    pen(std::vector<std::vector<plot_point>>& lines, double x, double scale)
        : lines_(lines), x_(x), scale_(scale) {}

    void follow(std::string_view path) {
        while (!path.empty()) {
            const char command = path.front();
            path.remove_prefix(1);
            if (command == ' ') continue;
            const std::size_t count = command == 'M' || command == 'L' ? 2 : command == 'O' ? 4 : 6;
            double value[6] = {0, 0, 0, 0, 0, 360};
            for (std::size_t i = 0; i < count; ++i) {
                path.remove_prefix(1);
                const char* const end = std::from_chars(path.data(), path.data() + path.size(), value[i]).ptr;
                path.remove_prefix(static_cast<std::size_t>(end - path.data()));
            }
            if (command != 'L' && command != 'A') lines_.emplace_back();
            if (count == 2)
                go(value[0], value[1]);
            else
                arc(value);
        }
    }

  private:
    void go(double x, double y) { lines_.back().push_back({x_ + scale_ * x, scale_ * y}); }
    void arc(const double (&value)[6]) {
        const double turn = value[5] - value[4];
        const int segments = static_cast<int>(std::ceil(std::abs(turn) / degrees_a_segment));
        for (int i = 0; i <= segments; ++i) {
            const double angle = (value[4] + turn * i / segments) * std::numbers::pi / 180;
            go(value[0] + value[2] * std::cos(angle), value[1] + value[3] * std::sin(angle));
        }
    }

    std::vector<std::vector<plot_point>>& lines_;
    double x_;
    double scale_;
};

}  // namespace

double text_width(std::string_view words, double size) {
    double width = 0;
    for (const char32_t code : decode_utf8(words)) width += glyph_of(code).width + side_bearings;
    return width * size * capital_height / 100;
}

std::vector<std::vector<plot_point>> text_strokes(std::string_view words, double size) {
    std::vector<std::vector<plot_point>> lines;
    const double scale = size * capital_height / 100;
    double x = side_bearings / 2;
    for (const char32_t code : decode_utf8(words)) {
        const glyph& one = glyph_of(code);
        pen(lines, x * scale, scale).follow(one.path);
        x += one.width + side_bearings;
    }
    return lines;
}

std::u32string decode_utf8(std::string_view words) {
    std::u32string codes;
    for (std::size_t i = 0; i < words.size();) {
        const auto lead = static_cast<unsigned char>(words[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        char32_t code = length == 1 ? lead : lead & (0x7fu >> length);
        std::size_t taken = 1;
        while (taken < length && i + taken < words.size() &&
               (static_cast<unsigned char>(words[i + taken]) & 0xc0) == 0x80) {
            code = code << 6 | (static_cast<unsigned char>(words[i + taken]) & 0x3fu);
            ++taken;
        }
        constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
        const bool valid = taken == length && code >= smallest[length] && code <= 0x10ffff &&
                           !(code >= 0xd800 && code < 0xe000) && (lead < 0x80 || lead >= 0xc2) && lead < 0xf5;
        codes += valid ? code : U'\ufffd';
        i += valid ? length : 1;
    }
    return codes;
}

void append_utf8(std::string& out, char32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string fitted(std::string_view words, double size, double width) {
    if (text_width(words, size) <= width) return std::string(words);
    std::string result;
    for (const char32_t code : decode_utf8(words)) {
        std::string longer = result;
        append_utf8(longer, code);
        if (text_width(longer + "…", size) > width) break;
        result = std::move(longer);
    }
    return result + "…";
}

}  // namespace upsweep::cli
