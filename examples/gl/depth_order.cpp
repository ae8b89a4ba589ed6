// What is drawn with blending is drawn from back to front: sprites sorted by their distance to the eye, on
// OpenGL, in place and with no look at their numbers. Those at the same distance stay in their order, so that
// nothing flickers.
#include <epoxy/gl.h>
#include <upsweep/gl/gl.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

struct sprite {
    float x, y, z;
    std::uint32_t colour;
    float size;
};

template <class T>
upsweep::gl::buffer_span<T> make_buffer(const std::vector<T>& contents) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(contents.size() * sizeof(T)), contents.data(),
                 GL_DYNAMIC_COPY);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    return {name, contents.size()};
}

}  // namespace

int main() {
    // Any context of yours will do; this one needs no window.
    const upsweep::gl::offscreen_context context;
    upsweep::gl::executor gpu(context.loader());

    std::vector<sprite> sprites(100'000);
    std::vector<float> depths(sprites.size());
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < sprites.size(); ++i) {
        random = random * 1664525u + 1013904223u;
        depths[i] = static_cast<float>(random >> 16) / 64.0f;
        sprites[i] = {0.0f, 0.0f, -depths[i], static_cast<std::uint32_t>(i), 1.0f};
    }

    const upsweep::gl::buffer_span<float> keys = make_buffer(depths);
    const upsweep::gl::buffer_span<sprite> values = make_buffer(sprites);
    upsweep::sort_by_key(gpu, keys, values, keys, values, {.descending = true});  // the farthest first

    std::vector<sprite> drawn(sprites.size());
    glBindBuffer(GL_COPY_READ_BUFFER, values.buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(drawn.size() * sizeof(sprite)),
                       drawn.data());
    for (const GLuint name : {keys.buffer, values.buffer}) glDeleteBuffers(1, &name);

    upsweep::cpu::executor cpu;
    std::vector<sprite> expected(sprites.size());
    upsweep::sort_by_key(cpu, depths, sprites, depths, expected, {.descending = true});
    std::printf("%s: from %.2f to %.2f\n", gpu.device().renderer.c_str(),
                static_cast<double>(-drawn.front().z), static_cast<double>(-drawn.back().z));
    const bool same = std::memcmp(drawn.data(), expected.data(), drawn.size() * sizeof(sprite)) == 0;
    std::puts(same ? "CPU and OpenGL agree" : "CPU and OpenGL differ");
    return same ? 0 : 1;
}
