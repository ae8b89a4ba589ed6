// Compiles and links one compute shader.
#include "gl/program.hpp"

#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

// Shared by shaders and programs, whose queries have one shape.
template <class GetParameter, class GetLog>
std::string log_of(GLuint name, GetParameter get_parameter, GetLog get_log) {
    GLint length = 0;
    get_parameter(name, GL_INFO_LOG_LENGTH, &length);
    if (length <= 1) return "the driver gives no reason";
    std::string log(static_cast<std::size_t>(length), '\0');
    GLsizei written = 0;
    get_log(name, length, &written, log.data());
    log.resize(static_cast<std::size_t>(written));
    while (!log.empty() && (log.back() == '\n' || log.back() == '\0')) log.pop_back();
    return log;
}

// A shader object for the length of a block.
struct shader_object {
    const functions& gl;
    GLuint name;
    explicit shader_object(const functions& table) : gl(table), name(gl.create_shader(GL_COMPUTE_SHADER)) {}
    shader_object(const shader_object&) = delete;
    shader_object& operator=(const shader_object&) = delete;
    ~shader_object() { gl.delete_shader(name); }
};

[[noreturn]] void refuse(std::string_view what, const char* step, const std::string& log) {
    throw_error(errc::device, "OpenGL: " + std::string(what) + " does not " + step + ":\n" + log);
}

}  // namespace

compute_program::compute_program(const functions& gl, std::string_view what, const std::string& text)
    : gl_(&gl) {
    const shader_object compiled(gl);
    const char* const start = text.c_str();
    const auto length = static_cast<GLint>(text.size());
    gl.shader_source(compiled.name, 1, &start, &length);
    gl.compile_shader(compiled.name);
    GLint good = GL_FALSE;
    gl.get_shader(compiled.name, GL_COMPILE_STATUS, &good);
    if (good == GL_FALSE) refuse(what, "compile", log_of(compiled.name, gl.get_shader, gl.get_shader_log));

    name_ = gl.create_program();
    gl.attach_shader(name_, compiled.name);
    gl.link_program(name_);
    gl.detach_shader(name_, compiled.name);
    gl.get_program(name_, GL_LINK_STATUS, &good);
    if (good == GL_TRUE) return;
    const std::string log = log_of(name_, gl.get_program, gl.get_program_log);
    gl.delete_program(name_);
    refuse(what, "link", log);
}

}  // namespace upsweep::gl
