// The part of a context's state that a call of the library changes, saved before and put back after it: the
// program in use, the bindings that the stages have, and the binding points through which buffers are made
// and copied.
//
// A buffer that the caller has deleted while it was bound is unbound by OpenGL itself, so every saved name is
// valid.
#pragma once

#include <array>
#include <cstddef>

#include "gl/functions.hpp"

namespace upsweep::gl {

class saved_state {
  public:
    // Of the storage buffer bindings 0 .. bindings - 1.
    static constexpr std::size_t most_bindings = 8;

    saved_state(const functions& gl, std::size_t bindings);
    ~saved_state();
    saved_state(const saved_state&) = delete;
    saved_state& operator=(const saved_state&) = delete;

  private:
    struct binding {
        GLint buffer;
        GLint64 start, size;  // bytes; size 0: the whole buffer
    };
    const functions& gl_;
    std::size_t count_;
    std::array<binding, most_bindings> indexed_{};
    GLint storage_ = 0, copy_read_ = 0, copy_write_ = 0, program_ = 0;
};

}  // namespace upsweep::gl
