// Forty neighbours in the buffer, in four rows: motion, vote, scan, compaction; above them the whole buffer.
#include "stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "fountain.hpp"

namespace particles {
namespace {

constexpr std::size_t columns = 40;
constexpr std::size_t bins = 160;
// In pixels of the picture.
constexpr double left = 118, cell = 21, top_bar = 48, bar_height = 60, row_motion = 196, row_vote = 236,
                 row_scan = 284, row_packed = 402;
constexpr std::array<std::string_view, physics::emitter_count> ink = {"#2f7fd6", "#e07b1c", "#159c86",
                                                                      "#a24ac8"};

double x_of(std::size_t column) { return left + cell * static_cast<double>(column); }

template <class T>
std::vector<T> read_buffer(GLuint name, std::size_t count, GLintptr offset = 0) {
    std::vector<T> made(count);
    glBindBuffer(GL_COPY_READ_BUFFER, name);
    if (count != 0)
        glGetBufferSubData(GL_COPY_READ_BUFFER, offset, static_cast<GLsizeiptr>(count * sizeof(T)),
                           made.data());
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    return made;
}

// Why a particle ended, as one letter.
std::string_view reason_of(const physics::particle& ended) {
    switch (ended.age) {
        case physics::on_ground:
            return "g";
        case physics::on_sphere:
            return "s";
        case physics::out_of_scene:
            return "b";
        default:
            return "l";
    }
}

// The first of the forty neighbours that show most: votes that change often, and more than one way to end.
std::size_t choose_window(const step_record& what) {
    std::size_t best = 0, best_score = 0;
    for (std::size_t first = 0; first + columns <= what.votes.size(); ++first) {
        std::size_t changes = 0;
        unsigned ways = 0;  // a bit each
        for (std::size_t i = first; i < first + columns; ++i) {
            if (i != first && what.votes[i] != what.votes[i - 1]) ++changes;
            if (what.votes[i] == 0) ways |= 1u << static_cast<unsigned>(-what.moved[i].age);
        }
        const std::size_t score = changes + 4 * static_cast<std::size_t>(std::popcount(ways));
        if (score > best_score) {
            best = first;
            best_score = score;
        }
    }
    return best;
}

class drawing_of_step {
  public:
    explicit drawing_of_step(const step_record& what) : what_(what), first_(choose_window(what)) {}

    std::string make() {
        fmt::format_to(
            to_,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 480\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"980\" height=\"480\" fill=\"#ffffff\"/>\n");
        draw_buffer();
        draw_window();
        text_ += "</svg>\n";
        return std::move(text_);
    }

  private:
    void label(double x, double y, std::string_view words, std::string_view attributes = "") {
        fmt::format_to(to_, "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#222222\" {}>{}</text>\n", x, y,
                       attributes, words);
    }

    // Every bin a bar: above the line those that live on, below it those that ended, in the colours of the
    // emitters.
    void draw_buffer() {
        const std::size_t n = what_.moved.size();
        const double width = cell * static_cast<double>(columns) / static_cast<double>(bins);
        const double full = static_cast<double>(n) / static_cast<double>(bins);
        label(
            left, top_bar - 26,
            fmt::format(
                "The whole buffer after step {}: {} particles, the oldest first; {} live on, {} ended (grey)",
                what_.step, n, what_.living.size(), n - what_.living.size()));
        for (std::size_t bin = 0; bin < bins; ++bin) {
            const std::size_t from = bin * n / bins, to = (bin + 1) * n / bins;
            std::array<std::size_t, physics::emitter_count> living{};
            std::size_t ended = 0;
            for (std::size_t i = from; i < to; ++i) {
                if (what_.votes[i] != 0)
                    ++living.at(physics::emitter_of(what_.moved[i]));
                else
                    ++ended;
            }
            double y = top_bar - 14 + bar_height;
            const double x = left + width * static_cast<double>(bin);
            const auto bar = [&](std::size_t count, std::string_view color) {
                const double height = bar_height * static_cast<double>(count) / full;
                y -= height;
                if (count != 0)
                    fmt::format_to(
                        to_,
                        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                        x, y, width, height, color);
            };
            for (std::size_t e = 0; e < living.size(); ++e) bar(living.at(e), ink.at(e));
            bar(ended, "#9a9a9a");
        }
        const double scale = cell * static_cast<double>(columns) / static_cast<double>(n);
        const double y = top_bar - 14 + bar_height;
        const double a = left + scale * static_cast<double>(first_),
                     b = a + scale * static_cast<double>(columns);
        fmt::format_to(
            to_,
            "<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f} L{:.1f} {:.1f} L{:.1f} {:.1f} Z\" fill=\"#000000\" "
            "opacity=\"0.12\"/>\n",
            a, y, b, y, x_of(columns), row_motion - 34, x_of(0), row_motion - 34);
        fmt::format_to(to_,
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#222222\" text-anchor=\"end\">no. {}</text>\n",
                       left - 8, row_motion - 38, first_);
        for (std::size_t e = 0; e < ink.size(); ++e) {
            constexpr std::array<std::string_view, physics::emitter_count> names = {"column", "wheel",
                                                                                    "crown", "comets"};
            const double at = top_bar - 4 + 15 * static_cast<double>(e);
            fmt::format_to(to_, "<circle cx=\"36\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", at - 4, ink.at(e));
            label(48, at, names.at(e));
        }
    }

    void draw_window() {
        label(8, row_motion + 4, "motion");
        label(8, row_motion + 17, "age in steps", "font-size=\"10\"");
        label(8, row_vote + 4, "vote");
        label(8, row_scan + 4, "scan of the votes");
        label(8, row_packed + 4, "compaction");
        const std::uint32_t base = what_.places[first_];
        for (std::size_t k = 0; k < columns; ++k) {
            const std::size_t i = first_ + k;
            const physics::particle& one = what_.moved[i];
            const bool lives = what_.votes[i] != 0;
            const double x = x_of(k) + cell / 2;
            const std::string_view color = ink.at(physics::emitter_of(one));
            disc(x, row_motion, lives ? color : "#ffffff", color);
            if (lives)
                label(x, row_motion + 20, fmt::format("{}", one.age), centered);
            else
                label(x, row_motion + 4, reason_of(one), centered);
            fmt::format_to(to_,
                           "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"17\" fill=\"{}\" "
                           "stroke=\"#888888\" "
                           "stroke-width=\"0.6\"/>\n",
                           x - cell / 2 + 1, row_vote - 9, cell - 2, lives ? "#dff0dc" : "#f4f4f4");
            label(x, row_vote + 4, lives ? "1" : "0", centered);
            fmt::format_to(to_,
                           "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
                           "font-size=\"10\" "
                           "fill=\"{}\">{}</text>\n",
                           x + 3.5, row_scan, lives ? "#222222" : "#b0b0b0", what_.places[i]);
            if (!lives) continue;
            const double to = x_of(what_.places[i] - base) + cell / 2;
            fmt::format_to(to_,
                           "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                           "stroke-width=\"1\"/>\n",
                           x, row_scan + 22, to, row_packed - 9, color);
            const physics::particle& packed = what_.living.at(what_.places[i]);
            disc(to, row_packed, ink.at(physics::emitter_of(packed)), ink.at(physics::emitter_of(packed)));
            label(to, row_packed + 20, fmt::format("{}", packed.age), centered);
        }
        label(left, row_packed + 52,
              "White discs ended in this step: l at the end of their lives, g on the ground, s on a sphere, "
              "b at the border "
              "of the scene.");
    }

    void disc(double x, double y, std::string_view fill, std::string_view stroke) {
        fmt::format_to(
            to_,
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
            x, y, fill, stroke);
    }

    static constexpr std::string_view centered = "text-anchor=\"middle\" font-size=\"9\"";

    const step_record& what_;
    std::size_t first_;
    std::string text_;
    std::back_insert_iterator<std::string> to_{text_};
};

}  // namespace

step_record read_step(fountain& from) {
    step_record made;
    made.step = from.step();
    const auto moved = read_buffer<std::uint32_t>(from.work(), 1, fountain::before_count_offset).front();
    made.moved = read_buffer<physics::particle>(from.before_compaction(), moved);
    made.votes = read_buffer<std::uint32_t>(from.votes(), moved);
    made.places = read_buffer<std::uint32_t>(from.scan_votes(moved).name(), moved);
    const auto living =
        read_buffer<std::uint32_t>(from.living().arguments, 1, fountain::count_offset).front();
    made.living = read_buffer<physics::particle>(from.living().particles, living);
    return made;
}

void write_stages(const std::string& path, const step_record& what) {
    if (what.moved.size() < columns) {
        throw std::invalid_argument("a picture of the stages needs " + std::to_string(columns) +
                                    " particles, but there are " + std::to_string(what.moved.size()));
    }
    std::ofstream file(path);
    file << drawing_of_step(what).make();
    file.close();
    if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace particles
