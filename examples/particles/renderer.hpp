// Draws the fountain: scene, particles and their image in the water as light added up in floating point,
// bloom, then a film-like curve to 8 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "camera.hpp"
#include "gl_objects.hpp"

namespace particles {

// Where the particles lie: packed from the start of `particles`; `arguments` are
// upsweep::gl::indirect_arguments, of an indirect draw and an indirect dispatch of 256 particles a work
// group.
struct particle_buffers {
    GLuint particles;
    GLuint arguments;
};

enum class drawing { points, splats };  // by the rasteriser, by a compute shader

struct picture_options {
    bool bloom = true;
    bool reflection = true;
    drawing how = drawing::points;
    float exposure = 1.0f;
};

class renderer {
  public:
    // `capacity` is the number of particles for which the brightness of one is chosen.
    renderer(int width, int height, std::uint64_t capacity);

    void resize(int width, int height);
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

    // Draws into `target`, a framebuffer's name, as big as this. `step` is the simulation's, for what moves
    // by itself.
    void draw(const view& from, const particle_buffers& what, std::uint32_t step, GLuint target,
              const picture_options& options = {});

  private:
    struct level {
        texture color;
        framebuffer target;
        int width, height;
    };

    void draw_scene(const view& from, std::uint32_t step);
    void set_light(const view& from, std::uint32_t step) const;
    void draw_points(const view& from, const particle_buffers& what, std::uint32_t step, bool reflection);
    void draw_splats(const view& from, const particle_buffers& what, std::uint32_t step, bool reflection);
    void spread_light();
    void use_target(const framebuffer& target, int width, int height);

    int width_ = 0, height_ = 0;
    float radius_, intensity_;
    program scene_program_, points_program_, splat_program_, resolve_program_, down_program_, up_program_,
        tone_program_;
    vertex_array empty_, points_array_;
    texture light_, depth_;
    framebuffer light_target_;
    buffer sums_;  // of splats
    std::vector<level> levels_;
};

}  // namespace particles
