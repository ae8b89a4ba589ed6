// The passes of a picture.
#include "renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <glm/gtc/type_ptr.hpp>

#include "particle_shaders.hpp"
#include "physics.hpp"
#include "upsweep/gl/compact.hpp"

namespace particles {
namespace {

constexpr std::size_t most_levels = 7;
constexpr float metres = 1.0f / static_cast<float>(physics::metre);

// A million particles are 11 mm in radius; fewer are larger, more are smaller.
float radius_for(std::uint64_t capacity) {
    return 0.011f * std::pow(1e6f / static_cast<float>(std::max<std::uint64_t>(capacity, 1)), 0.25f);
}

program full_screen(std::string_view name, std::string_view fragment) {
    return make_program({{GL_VERTEX_SHADER, "fullscreen.vert", shaders::fullscreen_vert},
                         {GL_FRAGMENT_SHADER, name, fragment}});
}

float seconds(std::uint32_t step) { return static_cast<float>(step % 216000u) / 60.0f; }

}  // namespace

renderer::renderer(int width, int height, std::uint64_t capacity)
    : radius_(radius_for(capacity)),
      scene_program_(full_screen("scene.frag", shaders::scene_frag)),
      points_program_(make_program({{GL_VERTEX_SHADER, "points.vert", shaders::points_vert},
                                    {GL_FRAGMENT_SHADER, "points.frag", shaders::points_frag}})),
      splat_program_(make_program({{GL_COMPUTE_SHADER, "splat.comp", shaders::splat_comp}})),
      resolve_program_(full_screen("resolve.frag", shaders::resolve_frag)),
      down_program_(full_screen("bloom_down.frag", shaders::bloom_down_frag)),
      up_program_(full_screen("bloom_up.frag", shaders::bloom_up_frag)),
      tone_program_(full_screen("tone.frag", shaders::tone_frag)),
      empty_(make_vertex_array()),
      points_array_(make_vertex_array()) {
    // The light of all particles together is the same whatever their number.
    intensity_ = 21.0f / (static_cast<float>(capacity) * radius_ * radius_);
    glBindVertexArray(points_array_.name());
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribIFormat(0, 4, GL_INT, offsetof(physics::particle, position));
    glVertexAttribIFormat(1, 4, GL_INT, offsetof(physics::particle, velocity));
    glVertexAttribBinding(0, 0);
    glVertexAttribBinding(1, 0);
    glBindVertexArray(0);
    resize(width, height);
}

void renderer::resize(int width, int height) {
    width = std::max(width, 1);
    height = std::max(height, 1);
    if (width == width_ && height == height_) return;
    width_ = width;
    height_ = height;
    light_ = make_texture(GL_RGBA16F, width, height);
    depth_ = make_texture(GL_DEPTH_COMPONENT32F, width, height);
    light_target_ = make_framebuffer(light_, &depth_);
    sums_ = buffer();
    levels_.clear();
    while (levels_.size() < most_levels && std::min(width, height) > 8) {
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        level made{make_texture(GL_RGBA16F, width, height), {}, width, height};
        made.target = make_framebuffer(made.color);
        levels_.push_back(std::move(made));
    }
}

void renderer::use_target(const framebuffer& target, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.name());
    glViewport(0, 0, width, height);
}

void renderer::draw_scene(const view& from, std::uint32_t step) {
    glUseProgram(scene_program_.name());
    glUniformMatrix4fv(0, 1, GL_FALSE, glm::value_ptr(from.view_projection));
    glUniform3fv(1, 1, glm::value_ptr(from.eye));
    glUniformMatrix3fv(2, 1, GL_FALSE, glm::value_ptr(from.rays));
    glUniform1f(3, seconds(step));
    glUniform1f(4, 1.0f);
    std::array<float, 4 * physics::sphere_count> spheres{};
    for (std::uint32_t k = 0; k < physics::sphere_count; ++k) {
        const glm::ivec3 center = physics::sphere_center(k, step);
        for (int axis = 0; axis < 3; ++axis)
            spheres.at(4 * k + static_cast<std::uint32_t>(axis)) = static_cast<float>(center[axis]) * metres;
        spheres.at(4 * k + 3) = static_cast<float>(physics::sphere_radius) * metres;
    }
    glUniform4fv(5, physics::sphere_count, spheres.data());
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glBindVertexArray(empty_.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// The uniforms of light.glsl, but for `mirrored`.
void renderer::set_light(const view& from, std::uint32_t step) const {
    glUniformMatrix4fv(0, 1, GL_FALSE, glm::value_ptr(from.view_projection));
    glUniform3fv(1, 1, glm::value_ptr(from.eye));
    glUniform1f(2, seconds(step));
    glUniform1f(4, radius_);
    glUniform1f(5, from.focal);
    glUniform1f(6, intensity_);
}

void renderer::draw_points(const view& from, const particle_buffers& what, std::uint32_t step,
                           bool reflection) {
    glUseProgram(points_program_.name());
    set_light(from, step);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glBindVertexArray(points_array_.name());
    glBindVertexBuffer(0, what.particles, 0, sizeof(physics::particle));
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, what.arguments);
    for (int mirrored = 0; mirrored < (reflection ? 2 : 1); ++mirrored) {
        glUniform1i(3, mirrored);
        glDrawArraysIndirect(GL_POINTS, nullptr);
    }
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
}

void renderer::draw_splats(const view& from, const particle_buffers& what, std::uint32_t step,
                           bool reflection) {
    if (sums_.name() == 0) sums_ = make_buffer(GLsizeiptr{12} * width_ * height_);
    glBindBuffer(GL_COPY_WRITE_BUFFER, sums_.name());
    glClearBufferData(GL_COPY_WRITE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    // The depth of the scene is read here, no longer written.
    glDisable(GL_DEPTH_TEST);
    glUseProgram(splat_program_.name());
    set_light(from, step);
    glUniform2i(7, width_, height_);
    glUniform1ui(8, upsweep::gl::count_offset / sizeof(GLuint));
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, depth_.name());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, what.particles);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, what.arguments);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, sums_.name());
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, what.arguments);
    for (int mirrored = 0; mirrored < (reflection ? 2 : 1); ++mirrored) {
        glUniform1i(3, mirrored);
        glDispatchComputeIndirect(upsweep::gl::dispatch_offset);
    }
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, 0);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);

    glUseProgram(resolve_program_.name());
    glUniform1i(0, width_);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(empty_.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_BLEND);
}

void renderer::spread_light() {
    glBindVertexArray(empty_.name());
    glActiveTexture(GL_TEXTURE0);
    glUseProgram(down_program_.name());
    const texture* source = &light_;
    int width = width_, height = height_;
    for (const level& each : levels_) {
        use_target(each.target, each.width, each.height);
        glBindTexture(GL_TEXTURE_2D, source->name());
        glUniform2f(0, 1.0f / static_cast<float>(width), 1.0f / static_cast<float>(height));
        glDrawArrays(GL_TRIANGLES, 0, 3);
        source = &each.color;
        width = each.width;
        height = each.height;
    }
    glUseProgram(up_program_.name());
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (std::size_t k = levels_.size(); k-- > 1;) {
        const level& from = levels_[k];
        const level& to = levels_[k - 1];
        use_target(to.target, to.width, to.height);
        glBindTexture(GL_TEXTURE_2D, from.color.name());
        glUniform2f(0, 1.0f / static_cast<float>(from.width), 1.0f / static_cast<float>(from.height));
        glUniform1f(1, 0.85f);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glDisable(GL_BLEND);
}

void renderer::draw(const view& from, const particle_buffers& what, std::uint32_t step, GLuint target,
                    const picture_options& options) {
    use_target(light_target_, width_, height_);
    draw_scene(from, step);
    if (options.how == drawing::points)
        draw_points(from, what, step, options.reflection);
    else
        draw_splats(from, what, step, options.reflection);
    const bool bloom = options.bloom && !levels_.empty();
    if (bloom) spread_light();

    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, width_, height_);
    glUseProgram(tone_program_.name());
    glUniform1f(0, options.exposure);
    glUniform1f(1, bloom ? 0.055f : 0.0f);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, bloom ? levels_.front().color.name() : light_.name());
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, light_.name());
    glBindVertexArray(empty_.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace particles
