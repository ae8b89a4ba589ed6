// An operator of your own on OpenGL: the product of quaternions, a few lines of GLSL compiled at run time.
// The scan turns the joints of a chain into the orientation of every link, and has the bits of the same scan
// on the CPU.
#include <epoxy/gl.h>
#include <upsweep/gl/gl.hpp>
#include <upsweep/upsweep.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

struct quaternion {
    float x, y, z, w;
};

// First a, then b, as rotations: b a. It does not commute.
struct then {
    quaternion operator()(const quaternion& b, const quaternion& a) const {
        return {b.w * a.x + b.x * a.w + b.y * a.z - b.z * a.y, b.w * a.y - b.x * a.z + b.y * a.w + b.z * a.x,
                b.w * a.z + b.x * a.y - b.y * a.x + b.z * a.w, b.w * a.w - b.x * a.x - b.y * a.y - b.z * a.z};
    }
};

// The same for the GPU. `precise` forbids fused operations, so that every sum and product is rounded as in
// C++.
const char* const then_text = R"(
#define element vec4
element from_words(uvec4 words) { return uintBitsToFloat(words); }
uvec4 to_words(element value) { return floatBitsToUint(value); }
element combine(element b, element a) {
    precise vec4 q = vec4(b.w * a.x + b.x * a.w + b.y * a.z - b.z * a.y, b.w * a.y - b.x * a.z + b.y * a.w + b.z * a.x,
                          b.w * a.z + b.x * a.y - b.y * a.x + b.z * a.w, b.w * a.w - b.x * a.x - b.y * a.y - b.z * a.z);
    return q;
}
)";

GLuint make_buffer(const std::vector<quaternion>& contents) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(contents.size() * sizeof(quaternion)),
                 contents.data(), GL_DYNAMIC_COPY);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    return name;
}

}  // namespace

int main() {
    // Any context of yours will do; this one needs no window.
    const upsweep::gl::offscreen_context context;
    upsweep::gl::executor gpu(context.loader());
    upsweep::cpu::executor cpu;

    // 100000 joints, each turned a little about an axis that wanders.
    std::vector<quaternion> joints(100000);
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const float turn = 0.01f * static_cast<float>(i % 628), half = 0.0005f * static_cast<float>(i % 7);
        joints[i] = {std::sin(half) * std::cos(turn), std::sin(half) * std::sin(turn), 0.0f, std::cos(half)};
    }

    const GLuint buffer = make_buffer(joints);
    const upsweep::gl::buffer_span<quaternion> links{buffer, joints.size()};
    const upsweep::gl::user_operator<quaternion> product(gpu, {.text = then_text, .has_identity = false});
    upsweep::inclusive_scan(gpu, links, links, product);

    std::vector<quaternion> on_cpu(joints.size()), on_gpu(joints.size());
    upsweep::inclusive_scan(cpu, joints, on_cpu, then{});
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(on_gpu.size() * sizeof(quaternion)),
                       on_gpu.data());
    glDeleteBuffers(1, &buffer);

    const quaternion& last = on_gpu.back();
    std::printf("%s: the last link is turned to (%.6f, %.6f, %.6f, %.6f)\n", gpu.device().renderer.c_str(),
                static_cast<double>(last.x), static_cast<double>(last.y), static_cast<double>(last.z),
                static_cast<double>(last.w));
    const bool same = std::memcmp(on_cpu.data(), on_gpu.data(), on_cpu.size() * sizeof(quaternion)) == 0;
    std::puts(same ? "CPU and OpenGL agree in every bit" : "CPU and OpenGL differ");
    return same ? 0 : 1;
}
