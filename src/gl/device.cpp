// Names, version and limits of the current context.
#include "gl/device.hpp"

#include <algorithm>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

// What stages are made for, which OpenGL 4.3 promises and OpenGL ES 3.1 does not.
constexpr GLint storage_blocks = 8;
constexpr GLint shared_bytes = 16384;

// The smallest limits that the standards allow, where a driver gives none.
constexpr GLint least_groups = 65535;
constexpr GLint64 least_binding = GLint64{1} << 24;

std::string text(const functions& gl, GLenum which) {
    const GLubyte* const words = gl.get_string(which);
    return words == nullptr ? "" : reinterpret_cast<const char*>(words);
}

template <class T>
void lower(T& limit, T wish) {
    if (wish != 0) limit = std::min(limit, wish);
}

std::uint32_t group_limit(const functions& gl, GLuint axis) {
    GLint most = 0;
    gl.get_indexed(GL_MAX_COMPUTE_WORK_GROUP_COUNT, axis, &most);
    return static_cast<std::uint32_t>(std::max(most, least_groups));
}

void check_limit(const functions& gl, GLenum which, const char* name, GLint needed) {
    GLint found = 0;
    gl.get_integer(which, &found);
    if (found >= needed) return;
    throw_error(errc::unsupported, std::string("OpenGL: expected ") + name + " of " + std::to_string(needed) +
                                       " or more, but it is " + std::to_string(found));
}

}  // namespace

device_info describe_device(const functions& gl, const executor_options& options) {
    device_info device;
    device.vendor = text(gl, GL_VENDOR);
    device.renderer = text(gl, GL_RENDERER);
    device.version = text(gl, GL_VERSION);
    device.es = device.version.rfind("OpenGL ES", 0) == 0;
    GLint major = 0, minor = 0;
    gl.get_integer(GL_MAJOR_VERSION, &major);
    gl.get_integer(GL_MINOR_VERSION, &minor);
    device.major = major;
    device.minor = minor;
    const int version = 10 * major + minor;
    if (version < (device.es ? 31 : 43)) {
        throw_error(errc::unsupported,
                    "OpenGL: expected a current context of OpenGL 4.3 or OpenGL ES 3.1, but it is " +
                        (device.version.empty() ? std::string("none") : device.version));
    }
    check_limit(gl, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS",
                shader::group_size);
    check_limit(gl, GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, "GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS",
                storage_blocks);
    check_limit(gl, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE", shared_bytes);
    device.float64 = !device.es;
    device.max_groups_x = group_limit(gl, 0);
    device.max_groups_y = group_limit(gl, 1);
    GLint64 bytes = 0;
    gl.get_integer64(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    device.max_binding_bytes = static_cast<std::uint64_t>(std::max(bytes, least_binding));
    GLint alignment = 0;
    gl.get_integer(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &alignment);
    device.binding_alignment = static_cast<std::uint64_t>(std::max(alignment, 1));
    lower(device.max_groups_x, options.max_groups_x);
    lower(device.max_groups_y, options.max_groups_y);
    lower(device.max_binding_bytes, options.max_binding_bytes);
    return device;
}

shader::limits limits_of(const device_info& device, const executor_options& options) {
    shader::limits limits;
    limits.binding_bytes = device.max_binding_bytes;
    limits.binding_alignment = device.binding_alignment;
    limits.groups_x = device.max_groups_x;
    limits.groups_y = device.max_groups_y;
    limits.way = options.way;
    limits.look_back_is_faster = device.vendor.find("NVIDIA") != std::string::npos;
    lower(limits.polls, options.max_polls);
    limits.last_tile_first = options.last_tile_first;
    limits.merged_keys = options.merged_keys;
    return limits;
}

}  // namespace upsweep::gl
