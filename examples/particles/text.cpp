// Each letter is a few rectangles; each rectangle becomes two triangles.
#include "text.hpp"

#include <stb/stb_easy_font.h>

#include <algorithm>
#include <array>
#include <vector>

#include "particle_shaders.hpp"

namespace particles {
namespace {

struct corner {
    float x, y;
};
// What stb_easy_font_print writes, four of them a rectangle.
struct font_vertex {
    float x, y, z;
    std::uint32_t color;
};

std::vector<corner> triangles(std::string text) {
    std::vector<font_vertex> rectangles(64 * text.size());
    const int count = stb_easy_font_print(0, 0, text.data(), nullptr, rectangles.data(),
                                          static_cast<int>(rectangles.size() * sizeof(font_vertex)));
    std::vector<corner> made;
    made.reserve(6 * static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        for (const std::size_t k : {0u, 1u, 2u, 0u, 2u, 3u})
            made.push_back({rectangles[4 * i + k].x, rectangles[4 * i + k].y});
    }
    return made;
}

}  // namespace

text_line::text_line()
    : program_(make_program({{GL_VERTEX_SHADER, "text.vert", shaders::text_vert},
                             {GL_FRAGMENT_SHADER, "text.frag", shaders::text_frag}})),
      array_(make_vertex_array()) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    corners_ = buffer(name);
    glBindVertexArray(array_.name());
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(corner), nullptr);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindVertexArray(0);
}

void text_line::draw(const std::string& text, int width, int height) {
    const std::vector<corner> corners = triangles(text);
    if (corners.empty()) return;
    glBindBuffer(GL_ARRAY_BUFFER, corners_.name());
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(corners.size() * sizeof(corner)), corners.data(),
                 GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);

    // Whole pixels, two for 720 lines.
    const auto scale = static_cast<float>(std::max(1, height / 360));
    const float margin = 6.0f * scale;
    glUseProgram(program_.name());
    glUniform2f(0, static_cast<float>(width), static_cast<float>(height));
    glUniform1f(2, scale);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(array_.name());
    // Twice: a shadow one pixel of the font away, then the letters.
    const float top = static_cast<float>(height) - margin - 8.0f * scale;
    for (const bool shadow : {true, false}) {
        const float shift = shadow ? scale : 0.0f;
        glUniform2f(1, margin + shift, top + shift);
        glUniform4f(3, shadow ? 0.0f : 0.85f, shadow ? 0.0f : 0.92f, shadow ? 0.0f : 1.0f,
                    shadow ? 0.6f : 0.9f);
        glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(corners.size()));
    }
    glDisable(GL_BLEND);
}

}  // namespace particles
