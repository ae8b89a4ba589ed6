// Reads the state and puts it back.
#include "gl/state.hpp"

namespace upsweep::gl {

saved_state::saved_state(const functions& gl) : gl_(gl) {
    gl_.get_integer(GL_SHADER_STORAGE_BUFFER_BINDING, &storage_);
    gl_.get_integer(GL_CURRENT_PROGRAM, &program_);
}

saved_state::binding& saved_state::at(std::size_t index) {
    std::optional<binding>& found = indexed_.at(index);
    if (found) return *found;
    binding& asked = found.emplace(binding{});
    const auto number = static_cast<GLuint>(index);
    gl_.get_indexed(GL_SHADER_STORAGE_BUFFER_BINDING, number, &asked.buffer);
    if (asked.buffer != 0) {
        gl_.get_indexed64(GL_SHADER_STORAGE_BUFFER_START, number, &asked.start);
        gl_.get_indexed64(GL_SHADER_STORAGE_BUFFER_SIZE, number, &asked.size);
    }
    return asked;
}

bool saved_state::is_occupied(std::size_t index) { return at(index).buffer != 0; }

void saved_state::save_binding(std::size_t index) { at(index).changed = true; }

void saved_state::save_copy_buffers() {
    if (copy_) return;
    copy_.emplace(copy_buffers{});
    gl_.get_integer(GL_COPY_READ_BUFFER_BINDING, &copy_->read);
    gl_.get_integer(GL_COPY_WRITE_BUFFER_BINDING, &copy_->write);
}

saved_state::~saved_state() {
    for (std::size_t i = 0; i < indexed_.size(); ++i) {
        const std::optional<binding>& was = indexed_.at(i);
        if (!was || !was->changed) continue;
        const auto index = static_cast<GLuint>(i);
        const auto buffer = static_cast<GLuint>(was->buffer);
        if (buffer == 0 || was->size == 0)
            gl_.bind_buffer_base(GL_SHADER_STORAGE_BUFFER, index, buffer);
        else
            gl_.bind_buffer_range(GL_SHADER_STORAGE_BUFFER, index, buffer, static_cast<GLintptr>(was->start),
                                  static_cast<GLsizeiptr>(was->size));
    }
    // After the indexed bindings, each of which changes this one too.
    gl_.bind_buffer(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(storage_));
    if (copy_) {
        gl_.bind_buffer(GL_COPY_READ_BUFFER, static_cast<GLuint>(copy_->read));
        gl_.bind_buffer(GL_COPY_WRITE_BUFFER, static_cast<GLuint>(copy_->write));
    }
    gl_.use_program(static_cast<GLuint>(program_));
}

}  // namespace upsweep::gl
