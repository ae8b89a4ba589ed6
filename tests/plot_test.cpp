// Pictures: ticks, reduction of many points, the scene as SVG and as pixels, and hostile values.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/plot/accumulator.hpp"
#include "cli/plot/canvas.hpp"
#include "cli/plot/figure.hpp"
#include "cli/plot/palette.hpp"
#include "cli/plot/stroke_font.hpp"
#include "cli/plot/ticks.hpp"

namespace {

using namespace upsweep::cli;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> labels(const std::vector<axis_tick>& ticks) {
    std::vector<std::string> words;
    words.reserve(ticks.size());
    for (const axis_tick& tick : ticks) words.push_back(tick.label);
    return words;
}
using words = std::vector<std::string>;

struct pixels {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    [[nodiscard]] plot_color at(std::size_t x, std::size_t y) const {
        const std::uint8_t* p = &rgb[3 * (y * width + x)];
        return {p[0], p[1], p[2]};
    }
    [[nodiscard]] std::size_t count(plot_color color) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i < rgb.size(); i += 3) {
            found += rgb[i] == color.red && rgb[i + 1] == color.green && rgb[i + 2] == color.blue;
        }
        return found;
    }
};

pixels decoded(const std::string& file) {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
    image.format = PNG_FORMAT_RGB;
    pixels result{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    EXPECT_NE(png_image_finish_read(&image, nullptr, result.rgb.data(), 0, nullptr), 0) << image.message;
    return result;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++found;
    return found;
}

plot_figure simple_figure() {
    plot_figure figure;
    figure.title = "Rain & <sun>";
    figure.x_label = "day";
    figure.panels = {{"input", {{"", plot_mark::bars, {{0, 1}, {1, 0}, {2, 3}}}}, 0.5},
                     {"running total",
                      {{"2012", plot_mark::line, {{0, 1}, {1, 1}, {2, 4}}},
                       {"2013", plot_mark::step, {{0, 2}, {1, 3}, {2, 5}}}},
                      1}};
    return figure;
}

TEST(plot_test, linear_ticks_follow_1_2_5) {
    EXPECT_EQ(labels(linear_ticks(0, 10, 5)), (words{"0", "2", "4", "6", "8", "10"}));
    EXPECT_EQ(labels(linear_ticks(-1, 1, 4)), (words{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
    EXPECT_EQ(labels(linear_ticks(0, 3e6, 3)), (words{"0", "1M", "2M", "3M"}));
    EXPECT_EQ(labels(linear_ticks(0, 2e-6, 2)), (words{"0", "1µ", "2µ"}));
    EXPECT_EQ(labels(linear_ticks(2012, 2015, 4)), (words{"2012", "2013", "2014", "2015"}));
    EXPECT_EQ(labels(linear_ticks(0, 2, 10, true)), (words{"0", "1", "2"}));
    EXPECT_EQ(labels(linear_ticks(1e6, 1e6 + 3, 3)), (words{"1M", "1.000001M", "1.000002M", "1.000003M"}));
    for (const auto& [low, high] :
         {std::pair{1.0, 1.0}, {2.0, 1.0}, {nan, 1.0}, {0.0, infinity}, {1e17, 1e17 + 16}}) {
        EXPECT_LE(linear_ticks(low, high, 5).size(), 10u) << low << ' ' << high;
    }
}

TEST(plot_test, log_ticks_are_decades) {
    EXPECT_EQ(labels(log_ticks(256, 2e8, 10)), (words{"1k", "10k", "100k", "1M", "10M", "100M"}));
    EXPECT_EQ(labels(log_ticks(1, 50, 10)), (words{"1", "2", "5", "10", "20", "50"}));
    EXPECT_LE(log_ticks(1e-300, 1e300, 8).size(), 10u);
    EXPECT_GE(log_ticks(1e-300, 1e300, 8).size(), 4u);
    EXPECT_TRUE(log_ticks(0, 10, 5).empty());
}

TEST(plot_test, si_suffixes) {
    EXPECT_EQ(si_number(1500), "1.5k");
    EXPECT_EQ(si_number(999999.99), "1M");
    EXPECT_EQ(si_number(-2e9), "-2G");
    EXPECT_EQ(si_number(0.25), "250m");
    EXPECT_EQ(si_number(0), "0");
    EXPECT_EQ(si_number(1e30), "1e+30");
}

TEST(plot_test, few_points_are_kept_as_they_are) {
    plot_accumulator all(64);
    for (int i = 0; i < 256; ++i) all.add(i, i % 7);
    const auto points = all.points();
    ASSERT_EQ(points.size(), 256u);
    for (std::size_t i = 0; i < 256; ++i) {
        EXPECT_EQ(points[i].x, static_cast<double>(i));
        EXPECT_EQ(points[i].y, static_cast<double>(i % 7));
    }
}

// In every slice of x as wide as two buckets or more, the reduced points have the extremes of all points.
void expect_same_outline(const std::vector<plot_point>& all, std::size_t buckets) {
    plot_accumulator reduced(buckets);
    for (const plot_point p : all) reduced.add(p.x, p.y);
    const auto points = reduced.points();
    ASSERT_LE(points.size(), 4 * buckets);
    ASSERT_GE(points.size(), buckets / 2);
    EXPECT_TRUE(
        std::is_sorted(points.begin(), points.end(), [](plot_point a, plot_point b) { return a.x < b.x; }));
    const auto by_x = [](plot_point a, plot_point b) { return a.x < b.x; };
    const auto by_y = [](plot_point a, plot_point b) { return a.y < b.y; };
    EXPECT_EQ(points.front().x, std::min_element(all.begin(), all.end(), by_x)->x);
    EXPECT_EQ(points.back().x, std::max_element(all.begin(), all.end(), by_x)->x);
    EXPECT_EQ(std::min_element(points.begin(), points.end(), by_y)->y,
              std::min_element(all.begin(), all.end(), by_y)->y);
    EXPECT_EQ(std::max_element(points.begin(), points.end(), by_y)->y,
              std::max_element(all.begin(), all.end(), by_y)->y);

    // A bucket is at most 2 / `buckets` of the range (4 when it just doubled): compare slices of eight such.
    const double left = points.front().x;
    const double slice = (points.back().x - left) * 32 / static_cast<double>(buckets);
    std::vector<double> high_all(64, -infinity), high_reduced(64, -infinity);
    for (const plot_point p : all) {
        const auto i = static_cast<std::size_t>((p.x - left) / slice);
        high_all[i] = std::max(high_all[i], p.y);
    }
    for (const plot_point p : points) {
        const auto i = static_cast<std::size_t>((p.x - left) / slice);
        high_reduced[i] = std::max(high_reduced[i], p.y);
    }
    for (std::size_t i = 0; i < 64; ++i) EXPECT_LE(high_reduced[i], high_all[i]) << i;
    const double top = std::max_element(all.begin(), all.end(), by_y)->y;
    EXPECT_NE(std::find(high_reduced.begin(), high_reduced.end(), top), high_reduced.end());
}

TEST(plot_test, many_points_keep_their_outline_in_any_order) {
    std::vector<plot_point> all;
    std::uint32_t state = 1;
    for (int i = 0; i < 100000; ++i) {
        state = state * 1664525u + 1013904223u;
        all.push_back({i * 0.37 - 5000, static_cast<double>(state >> 8) + i * 100.0});
    }
    expect_same_outline(all, 512);
    std::reverse(all.begin(), all.end());
    expect_same_outline(all, 512);
    for (std::size_t i = all.size(); i-- > 1;) {
        state = state * 1664525u + 1013904223u;
        std::swap(all[i], all[state % i]);
    }
    expect_same_outline(all, 512);
}

TEST(plot_test, every_spike_survives) {
    constexpr int count = 1000000;
    constexpr int every = 50000;
    plot_accumulator reduced(1024);
    for (int i = 0; i < count; ++i) reduced.add(i, i % every == every / 2 ? 1000 + i : i % 3);
    const auto points = reduced.points();
    for (int i = every / 2; i < count; i += every) {
        EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](plot_point p) {
            return p.x == i && p.y == 1000 + i;
        })) << i;
    }
}

TEST(plot_test, points_that_are_not_finite_are_counted) {
    plot_accumulator reduced(4);
    for (int i = 0; i < 1000; ++i) reduced.add(i % 10 == 0 ? infinity : i, i % 10 == 5 ? nan : i);
    EXPECT_EQ(reduced.count(), 1000u);
    EXPECT_EQ(reduced.not_finite(), 200u);
    for (const plot_point p : reduced.points()) EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
    plot_accumulator same(2);
    for (int i = 0; i < 100; ++i) same.add(7, i);
    same.add(-1.7e308, 1);
    same.add(1.7e308, 2);
    same.add(5e-324, 3);
    for (const plot_point p : same.points()) EXPECT_TRUE(std::isfinite(p.x));
}

TEST(plot_test, svg_holds_the_scene) {
    const std::string svg = draw_picture(simple_figure(), picture_format::svg);
    EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"540\""));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_EQ(occurrences(svg, "<polyline"), 2u);
    EXPECT_EQ(occurrences(svg, "Rain &amp; &lt;sun&gt;</text>"), 1u);
    EXPECT_EQ(occurrences(svg, ">2012</text>"), 1u);
    EXPECT_EQ(occurrences(svg, ">day</text>"), 1u);
    EXPECT_EQ(svg.find("<sun>"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(plot_test, text_of_any_bytes_is_valid_xml) {
    plot_figure figure = simple_figure();
    for (int i = 0; i < 256; ++i) figure.title += static_cast<char>(i);
    figure.title = figure.title.substr(12, 60);
    figure.x_label = "\xff\xc3(\xed\xa0\x80\x01\xef\xbf\xbf]]>\"'ü\xf0\x9f\x8c\xa7";
    const std::string svg = draw_picture(figure, picture_format::svg);
    for (const char character : svg)
        EXPECT_TRUE(character == '\n' || static_cast<unsigned char>(character) >= 0x20);
    const auto codes = decode_utf8(svg);
    EXPECT_EQ(occurrences(svg, "\xff"), 0u);
    EXPECT_NE(codes.find(U'\U0001f327'), std::u32string::npos);
    std::string again;
    for (const char32_t code : codes) append_utf8(again, code);
    EXPECT_TRUE(again == svg);
}

TEST(plot_test, png_shows_lines_bars_and_labels_in_their_colors) {
    const pixels picture = decoded(draw_picture(simple_figure(), picture_format::png));
    EXPECT_EQ(picture.width, 1920u);
    EXPECT_EQ(picture.height, 1080u);
    EXPECT_GT(picture.count(series_color(0, 2)), 5000u);
    EXPECT_GT(picture.count(series_color(1, 2)), 2000u);
    EXPECT_GT(picture.count(ink), 200u);
    EXPECT_GT(picture.count({255, 255, 255}), 1500000u);
    plot_figure without = simple_figure();
    without.panels[1].series.pop_back();
    EXPECT_EQ(decoded(draw_picture(without, picture_format::png)).count(series_color(1, 2)), 0u);
}

TEST(plot_test, png_strokes_are_where_they_belong) {
    const auto canvas = make_png_canvas(100, 50);
    const plot_point line[] = {{10, 10}, {90, 10}};
    canvas->polyline(line, 2, {200, 0, 0});
    const plot_rectangle box[] = {{20, 20, 10, 10}, {95, 45, 100, 100}, {-50, -50, 51, 51}};
    canvas->rectangles(box, {0, 0, 200});
    const pixels picture = decoded(canvas->finish());
    const auto is = [&](std::size_t x, std::size_t y, plot_color color) {
        const plot_color found = picture.at(x, y);
        return found.red == color.red && found.green == color.green && found.blue == color.blue;
    };
    constexpr plot_color white = {255, 255, 255};
    EXPECT_TRUE(is(100, 19, {200, 0, 0}) && is(100, 20, {200, 0, 0}));
    EXPECT_TRUE(is(100, 15, white) && is(100, 24, white) && is(14, 20, white) && is(186, 20, white));
    EXPECT_TRUE(is(40, 40, {0, 0, 200}) && is(59, 59, {0, 0, 200}));
    EXPECT_TRUE(is(39, 40, white) && is(60, 59, white) && is(40, 60, white));
    EXPECT_TRUE(is(199, 99, {0, 0, 200}) && is(0, 0, {0, 0, 200}));
}

TEST(plot_test, hostile_values_do_no_harm) {
    for (const bool log_x : {false, true}) {
        plot_figure figure;
        figure.log_x = log_x;
        figure.title = std::string(5000, 'x');
        figure.panels.resize(3);
        const std::vector<plot_point> points = {{-1.7e308, 1.7e308}, {0, nan}, {1e-320, -1.7e308},
                                                {1, infinity},       {nan, 1}, {1.7e308, 0}};
        for (const plot_mark mark : {plot_mark::line, plot_mark::dotted_line, plot_mark::step,
                                     plot_mark::bars, plot_mark::intervals}) {
            figure.panels[0].series.push_back({std::string(500, 'y'), mark, points});
            figure.panels[1].series.push_back({"one", mark, {{3, 4}}});
            figure.panels[2].series.push_back({"none", mark, {}});
        }
        const std::string svg = draw_picture(figure, picture_format::svg);
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(decoded(draw_picture(figure, picture_format::png)).width, 1920u);
        figure.panels.clear();
        EXPECT_FALSE(draw_picture(figure, picture_format::svg).empty());
    }
}

TEST(plot_test, labels_never_overlap) {
    plot_figure figure;
    figure.panels.resize(1);
    for (int i = 0; i < 60; ++i) {
        figure.panels[0].series.push_back(
            {"group " + std::to_string(i), plot_mark::line, {{0, 0}, {1, 5.0 + i / 100.0}}});
    }
    const std::string svg = draw_picture(figure, picture_format::svg);
    std::vector<double> heights;
    for (std::size_t i = svg.find("font-size=\"13\""); i != std::string::npos;
         i = svg.find("font-size=\"13\"", i + 1)) {
        const std::size_t y = svg.rfind(" y=\"", i) + 4;
        heights.push_back(std::stod(svg.substr(y)));
    }
    ASSERT_GE(heights.size(), 10u);
    std::sort(heights.begin(), heights.end());
    for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 15.9);
    EXPECT_GE(heights.front(), 0);
    EXPECT_LE(heights.back(), 540);
    EXPECT_NE(svg.find(" more</text>"), std::string::npos);
}

TEST(plot_test, formats_by_name) {
    EXPECT_EQ(picture_format_of("a.b.SVG"), picture_format::svg);
    EXPECT_EQ(picture_format_of("x.png"), picture_format::png);
    EXPECT_EQ(picture_format_of("x.jpg"), std::nullopt);
    EXPECT_EQ(picture_format_of("png"), std::nullopt);
}

TEST(plot_test, every_printable_character_has_a_glyph) {
    const auto box = text_strokes("\xff", 100);
    ASSERT_EQ(box.size(), 1u);
    for (char character = '!'; character <= '~'; ++character) {
        const auto strokes = text_strokes(std::string(1, character), 100);
        ASSERT_FALSE(strokes.empty()) << character;
        const bool is_box =
            strokes.size() == 1 && strokes[0].size() == box[0].size() && strokes[0][2].y == box[0][2].y;
        EXPECT_FALSE(is_box) << character;
        for (const auto& line : strokes) {
            for (const plot_point p : line) {
                EXPECT_TRUE(p.x >= 0 && p.x <= text_width(std::string(1, character), 100))
                    << character << ' ' << p.x;
                EXPECT_TRUE(p.y >= -30 && p.y <= 85) << character << ' ' << p.y;
            }
        }
    }
    EXPECT_EQ(fitted("abc", 10, 1000), "abc");
    EXPECT_LE(text_width(fitted(std::string(100, 'm'), 10, 50), 10), 50);
}

}  // namespace
