// Has the device combine the pairs of shader::probe_cases and reads the results.
#include "gl/conformance.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "shader/conformance.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

// A buffer for the length of a block.
class scratch_buffer {
  public:
    scratch_buffer(const functions& gl, const void* data, std::size_t bytes) : gl_(gl) {
        gl_.gen_buffers(1, &name_);
        gl_.bind_buffer(GL_COPY_WRITE_BUFFER, name_);
        gl_.buffer_data(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), data, GL_STREAM_READ);
    }
    ~scratch_buffer() { gl_.delete_buffers(1, &name_); }
    scratch_buffer(const scratch_buffer&) = delete;
    scratch_buffer& operator=(const scratch_buffer&) = delete;
    [[nodiscard]] GLuint name() const { return name_; }

  private:
    const functions& gl_;
    GLuint name_ = 0;
};

std::vector<std::uint32_t> compute(const functions& gl, program_cache& programs,
                                   const shader::probe_case& asked) {
    std::vector<std::uint32_t> results(asked.expected.size());
    const std::size_t bytes = results.size() * sizeof(std::uint32_t);
    const scratch_buffer in(gl, asked.pairs.data(), asked.pairs.size() * sizeof(std::uint32_t));
    const scratch_buffer out(gl, nullptr, bytes);
    const GLuint program = programs.get({shader::stage::probe, asked.op}, 0);
    const GLuint groups = (asked.count() + shader::probe_group_size - 1) / shader::probe_group_size;
    std::array<GLuint, UPSWEEP_PARAMETERS> parameters{};
    parameters[UPSWEEP_P_GROUPS] = groups;
    parameters[UPSWEEP_P_LENGTH] = asked.count();
    gl.bind_buffer_base(GL_SHADER_STORAGE_BUFFER, UPSWEEP_INPUT, in.name());
    gl.bind_buffer_base(GL_SHADER_STORAGE_BUFFER, UPSWEEP_OUTPUT, out.name());
    gl.program_uniforms(program, 0, UPSWEEP_PARAMETERS, parameters.data());
    gl.use_program(program);
    gl.dispatch_compute(groups, 1, 1);
    gl.memory_barrier(GL_BUFFER_UPDATE_BARRIER_BIT);

    gl.bind_buffer(GL_COPY_READ_BUFFER, out.name());
    const void* const mapped =
        gl.map_buffer_range(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(bytes), GL_MAP_READ_BIT);
    if (mapped == nullptr) throw_error(errc::device, "OpenGL: a buffer cannot be read");
    std::memcpy(results.data(), mapped, bytes);
    gl.unmap_buffer(GL_COPY_READ_BUFFER);
    return results;
}

}  // namespace

shader::conformance check_conformance(const functions& gl, program_cache& programs, bool float64) {
    shader::conformance report;
    report.checked_float64 = float64;
    for (const shader::probe_case& asked : shader::probe_cases(float64))
        shader::judge(asked, compute(gl, programs, asked), report);
    return report;
}

}  // namespace upsweep::gl
