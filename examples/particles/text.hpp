// A line of text over the picture, from the font of stb_easy_font.h.
#pragma once

#include <string>

#include "gl_objects.hpp"

namespace particles {

class text_line {
  public:
    text_line();
    // Near the lower left corner of the current framebuffer, which is width x height pixels; printable ASCII.
    void draw(const std::string& text, int width, int height);

  private:
    program program_;
    vertex_array array_;
    buffer corners_;
};

}  // namespace particles
