// Reads the state and puts it back.
#include "gl/state.hpp"

namespace upsweep::gl {

saved_state::saved_state(const functions& gl, std::size_t bindings) : gl_(gl), count_(bindings) {
    gl_.get_integer(GL_SHADER_STORAGE_BUFFER_BINDING, &storage_);
    gl_.get_integer(GL_COPY_READ_BUFFER_BINDING, &copy_read_);
    gl_.get_integer(GL_COPY_WRITE_BUFFER_BINDING, &copy_write_);
    gl_.get_integer(GL_CURRENT_PROGRAM, &program_);
    for (std::size_t i = 0; i < count_; ++i) {
        binding& at = indexed_.at(i);
        const auto index = static_cast<GLuint>(i);
        gl_.get_indexed(GL_SHADER_STORAGE_BUFFER_BINDING, index, &at.buffer);
        gl_.get_indexed64(GL_SHADER_STORAGE_BUFFER_START, index, &at.start);
        gl_.get_indexed64(GL_SHADER_STORAGE_BUFFER_SIZE, index, &at.size);
    }
}

saved_state::~saved_state() {
    for (std::size_t i = 0; i < count_; ++i) {
        const binding& at = indexed_.at(i);
        const auto index = static_cast<GLuint>(i);
        const auto buffer = static_cast<GLuint>(at.buffer);
        if (buffer == 0 || at.size == 0)
            gl_.bind_buffer_base(GL_SHADER_STORAGE_BUFFER, index, buffer);
        else
            gl_.bind_buffer_range(GL_SHADER_STORAGE_BUFFER, index, buffer, static_cast<GLintptr>(at.start),
                                  static_cast<GLsizeiptr>(at.size));
    }
    // After the indexed bindings, each of which changes this one too.
    gl_.bind_buffer(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(storage_));
    gl_.bind_buffer(GL_COPY_READ_BUFFER, static_cast<GLuint>(copy_read_));
    gl_.bind_buffer(GL_COPY_WRITE_BUFFER, static_cast<GLuint>(copy_write_));
    gl_.use_program(static_cast<GLuint>(program_));
}

}  // namespace upsweep::gl
