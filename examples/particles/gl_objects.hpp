// OpenGL's objects as C++ values that release themselves, and programs that compile or say why not.
#pragma once

#include <epoxy/gl.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace particles {

// Owns one name; `Release` deletes it.
template <auto Release>
class handle {
  public:
    handle() = default;
    explicit handle(GLuint name) : name_(name) {}
    handle(handle&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~handle() {
        if (name_ != 0) Release(name_);
    }
    [[nodiscard]] GLuint name() const { return name_; }

  private:
    GLuint name_ = 0;
};

inline void delete_buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void delete_query(GLuint name) { glDeleteQueries(1, &name); }
inline void delete_program(GLuint name) { glDeleteProgram(name); }

using buffer = handle<delete_buffer>;
using texture = handle<delete_texture>;
using framebuffer = handle<delete_framebuffer>;
using vertex_array = handle<delete_vertex_array>;
using query = handle<delete_query>;
using program = handle<delete_program>;

// `bytes` bytes of unspecified contents. Throws std::runtime_error where the driver has no room.
buffer make_buffer(GLsizeiptr bytes, GLenum usage = GL_DYNAMIC_COPY);
// One level, clamped at its edges, with linear filtering.
texture make_texture(GLenum format, int width, int height);
framebuffer make_framebuffer(const texture& color, const texture* depth = nullptr);
vertex_array make_vertex_array();
query make_query();

struct stage {
    GLenum kind;            // GL_COMPUTE_SHADER
    std::string_view name;  // for messages
    std::string_view text;  // without its #version line
};
// Throws std::runtime_error with the driver's log.
program make_program(std::initializer_list<stage> stages);

}  // namespace particles
