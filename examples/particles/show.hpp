// One frame after the other: a step, a picture, a line of text; in a window or off screen.
#pragma once

#include <string>

#include "fountain.hpp"
#include "pictures.hpp"
#include "renderer.hpp"
#include "settings.hpp"
#include "stopwatch.hpp"
#include "text.hpp"

namespace particles {

class show {
  public:
    show(const settings& chosen, const upsweep::gl::function_loader& loader);

    // Advances by one step unless `still`, and draws into `target`, a framebuffer's name.
    void frame(GLuint target, bool still = false);
    // Steps without pictures.
    void skip(std::uint64_t steps);

    [[nodiscard]] fountain& system() { return fountain_; }
    settings& current() { return settings_; }
    [[nodiscard]] renderer& pictures() { return renderer_; }
    [[nodiscard]] stopwatch& times() { return times_; }
    // A report of a frame some frames ago, for the text; `milliseconds` is that of the clock on the wall for
    // a frame.
    void tell(const frame_report& report, double milliseconds);

  private:
    settings settings_;
    fountain fountain_;
    renderer renderer_;
    text_line text_;
    stopwatch times_;
    std::string words_;
};

// Reads the colour of a framebuffer as a picture, which waits for the GPU.
picture read_picture(GLuint framebuffer_name, int width, int height);

// Both return the program's exit code and throw std::exception.
int run_headless(const settings& chosen);
int run_in_window(const settings& chosen);

}  // namespace particles
