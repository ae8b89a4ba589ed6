// The part of a context's state that a call of the library changes, saved before and put back after it: the
// program in use, the bindings that the stages have, and the binding points through which buffers are made
// and copied. What only some calls change is asked for when it is first changed: a question costs the driver
// as much as the change.
//
// A buffer that the caller has deleted while it was bound is unbound by OpenGL itself, so every saved name is
// valid.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "gl/functions.hpp"

namespace upsweep::gl {

class saved_state {
  public:
    static constexpr std::size_t most_bindings = 8;

    // The program and the general binding point of storage buffers.
    explicit saved_state(const functions& gl);
    ~saved_state();
    saved_state(const saved_state&) = delete;
    saved_state& operator=(const saved_state&) = delete;

    // Whether the caller has a buffer at storage buffer binding `index`.
    bool is_occupied(std::size_t index);
    // Before that binding is changed.
    void save_binding(std::size_t index);
    // Before GL_COPY_READ_BUFFER or GL_COPY_WRITE_BUFFER is changed.
    void save_copy_buffers();

  private:
    struct binding {
        GLint buffer;
        GLint64 start, size;  // bytes; size 0: the whole buffer
        bool changed;
    };
    struct copy_buffers {
        GLint read, write;
    };
    binding& at(std::size_t index);

    const functions& gl_;
    GLint storage_ = 0, program_ = 0;
    std::array<std::optional<binding>, most_bindings> indexed_{};
    std::optional<copy_buffers> copy_;
};

}  // namespace upsweep::gl
