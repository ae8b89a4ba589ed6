// Creation of OpenGL objects.
#include "gl_objects.hpp"

#include <array>
#include <stdexcept>
#include <vector>

namespace particles {
namespace {

template <class GetLength, class GetLog>
std::string log_of(GLuint name, const GetLength& get_length, const GetLog& get_log) {
    GLint length = 0;
    get_length(name, GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(length), '\0');
    if (length != 0) get_log(name, length, nullptr, log.data());
    return log;
}

}  // namespace

buffer make_buffer(GLsizeiptr bytes, GLenum usage) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    buffer made(name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, bytes, nullptr, usage);
    GLint64 got = 0;
    glGetBufferParameteri64v(GL_COPY_WRITE_BUFFER, GL_BUFFER_SIZE, &got);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    if (got != bytes) throw std::runtime_error("no room for a buffer of " + std::to_string(bytes) + " bytes");
    return made;
}

texture make_texture(GLenum format, int width, int height) {
    GLuint name = 0;
    glGenTextures(1, &name);
    texture made(name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D, 0);
    return made;
}

framebuffer make_framebuffer(const texture& color, const texture* depth) {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    framebuffer made(name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color.name(), 0);
    if (depth != nullptr) glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth->name(), 0);
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        throw std::runtime_error("the driver cannot draw into this kind of framebuffer");
    return made;
}

vertex_array make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return vertex_array(name);
}

query make_query() {
    GLuint name = 0;
    glGenQueries(1, &name);
    return query(name);
}

program make_program(std::initializer_list<stage> stages) {
    program made(glCreateProgram());
    std::vector<GLuint> shaders;
    std::string failure;
    for (const stage& each : stages) {
        const GLuint shader = glCreateShader(each.kind);
        shaders.push_back(shader);
        constexpr std::string_view version = "#version 430 core\n";
        const std::array<const GLchar*, 2> texts = {version.data(), each.text.data()};
        const std::array<GLint, 2> lengths = {static_cast<GLint>(version.size()),
                                              static_cast<GLint>(each.text.size())};
        glShaderSource(shader, 2, texts.data(), lengths.data());
        glCompileShader(shader);
        GLint compiled = GL_FALSE;
        glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (compiled == GL_FALSE && failure.empty())
            failure = std::string(each.name) + " does not compile:\n" +
                      log_of(shader, glGetShaderiv, glGetShaderInfoLog);
        glAttachShader(made.name(), shader);
    }
    if (failure.empty()) {
        glLinkProgram(made.name());
        GLint linked = GL_FALSE;
        glGetProgramiv(made.name(), GL_LINK_STATUS, &linked);
        if (linked == GL_FALSE)
            failure = std::string(stages.begin()->name) + " does not link:\n" +
                      log_of(made.name(), glGetProgramiv, glGetProgramInfoLog);
    }
    for (const GLuint shader : shaders) {
        glDetachShader(made.name(), shader);
        glDeleteShader(shader);
    }
    if (!failure.empty()) throw std::runtime_error(failure);
    return made;
}

}  // namespace particles
