// A frame, and what the text line says.
#include "show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <glm/trigonometric.hpp>

namespace particles {
namespace {

// 1234567 as "1 234 567"
std::string grouped(std::uint64_t number) {
    std::string figures = std::to_string(number);
    for (std::size_t at = figures.size(); at > 3;) figures.insert(at -= 3, 1, ' ');
    return figures;
}

}  // namespace

show::show(const settings& chosen, const upsweep::gl::function_loader& loader)
    : settings_(chosen),
      fountain_(loader, chosen.particles, chosen.seed),
      renderer_(chosen.width, chosen.height, chosen.particles) {}

void show::skip(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) fountain_.advance(settings_.flow);
}

void show::frame(GLuint target, bool still) {
    times_.begin_frame();
    if (!still) {
        fountain_.advance(settings_.flow, &times_);
        settings_.from.around += glm::radians(settings_.orbit) / 60.0f;
    }
    const view seen = settings_.from.look(renderer_.width(), renderer_.height());
    renderer_.draw(seen, fountain_.living(), fountain_.step(), target,
                   {settings_.bloom, settings_.reflection, settings_.how, settings_.exposure});
    times_.mark(stage_of_frame::picture);
    if (settings_.text && !words_.empty()) text_.draw(words_, renderer_.width(), renderer_.height());
    times_.end_frame(fountain_.living().arguments, fountain::count_offset);
}

void show::tell(const frame_report& report, double milliseconds) {
    const auto of = [&](stage_of_frame stage) {
        return report.milliseconds.at(static_cast<std::size_t>(stage));
    };
    words_ = fmt::format(
        "{} particles   frame {:.1f} ms, GPU {:.2f} ms: motion {:.2f}, scan {:.2f}, compaction {:.2f}, "
        "picture {:.2f}",
        grouped(report.alive), milliseconds, report.total(), of(stage_of_frame::motion),
        of(stage_of_frame::scan), of(stage_of_frame::compaction), of(stage_of_frame::picture));
}

picture read_picture(GLuint framebuffer_name, int width, int height) {
    const std::size_t row = 3 * static_cast<std::size_t>(width);
    std::vector<std::uint8_t> upwards(row * static_cast<std::size_t>(height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_name);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upwards.data());
    picture made{width, height, std::vector<std::uint8_t>(upwards.size())};
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
        std::copy_n(upwards.end() - static_cast<std::ptrdiff_t>((y + 1) * row), row,
                    made.pixels.begin() + static_cast<std::ptrdiff_t>(y * row));
    return made;
}

}  // namespace particles
