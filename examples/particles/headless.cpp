// The show off screen: pictures, a video, and a table of times.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "show.hpp"
#include "stages.hpp"
#include "upsweep/gl/offscreen_context.hpp"

namespace particles {
namespace {

// Of values in any order, 0 <= share <= 1.
double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::llround(share * static_cast<double>(values.size() - 1)))];
}

void print_times(const std::vector<frame_report>& reports) {
    fmt::print(stderr, "{:<12}{:>10}{:>10}   ms on the GPU\n", "", "median", "95 %");
    std::vector<double> values(reports.size());
    double scan = 0;
    for (std::size_t k = 0; k < stages_of_frame; ++k) {
        std::transform(reports.begin(), reports.end(), values.begin(),
                       [&](const frame_report& report) { return report.milliseconds.at(k); });
        fmt::print(stderr, "{:<12}{:>10.3f}{:>10.3f}\n", stage_names.at(k), quantile(values, 0.5),
                   quantile(values, 0.95));
        if (k == static_cast<std::size_t>(stage_of_frame::scan)) scan = quantile(values, 0.5);
    }
    std::transform(reports.begin(), reports.end(), values.begin(),
                   [](const frame_report& r) { return r.total(); });
    const double frame = quantile(values, 0.5);
    fmt::print(stderr, "{:<12}{:>10.3f}{:>10.3f}   the scan is {:.1f} % of it\n", "frame", frame,
               quantile(values, 0.95), frame == 0 ? 0 : 100 * scan / frame);
}

}  // namespace

int run_headless(const settings& chosen) {
    const upsweep::gl::offscreen_context context;
    fmt::print(stderr, "{}, OpenGL {}\n", context.renderer(), context.version());
    show running(chosen, context.loader());
    const texture color = make_texture(GL_RGBA8, chosen.width, chosen.height);
    const framebuffer target = make_framebuffer(color);
    std::optional<video> film;
    if (!chosen.video.empty()) film.emplace(chosen.video, chosen.width, chosen.height);
    running.skip(chosen.skip);
    glFinish();

    std::vector<frame_report> reports;
    using clock = std::chrono::steady_clock;
    const clock::time_point began = clock::now();
    clock::time_point before = began;
    for (std::uint64_t i = 0; i < chosen.frames; ++i) {
        running.frame(target.name());
        glFlush();  // as showing the frame would
        if (film || !chosen.png.empty()) {
            const picture drawn = read_picture(target.name(), chosen.width, chosen.height);
            if (!chosen.png.empty()) write_png(numbered(chosen.png, i), drawn);
            if (film) film->add(drawn);
        }
        const clock::time_point now = clock::now();
        while (const std::optional<frame_report> report = running.times().next_report()) {
            reports.push_back(*report);
            running.tell(*report, std::chrono::duration<double, std::milli>(now - before).count());
        }
        before = now;
    }
    while (const std::optional<frame_report> report = running.times().next_report(true))
        reports.push_back(*report);
    const double seconds = std::chrono::duration<double>(clock::now() - began).count();
    if (film) film->finish();
    if (!chosen.stages.empty()) write_stages(chosen.stages, read_step(running.system()));
    if (reports.size() != chosen.frames) throw std::runtime_error("the GPU did not finish its frames");

    const auto [least, most] = std::minmax_element(
        reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.alive < b.alive; });
    fmt::print(stderr, "{} frames of {} x {}; {} to {} particles alive, {} at the end\n", chosen.frames,
               chosen.width, chosen.height, least->alive, most->alive, reports.back().alive);
    print_times(reports);
    fmt::print(stderr, "{:.3f} ms a frame by the clock, {:.1f} frames a second\n",
               1e3 * seconds / static_cast<double>(chosen.frames),
               static_cast<double>(chosen.frames) / seconds);
    return 0;
}

}  // namespace particles
