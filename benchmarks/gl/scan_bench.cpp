// Inclusive sums of float and uint32 on OpenGL, 2^16 to 2^28 elements, in device memory.
//
//     gl_scan_bench [--json] [LARGEST_EXPONENT]
//
// Each row compares, within the same rounds and by the GPU's own clock, a scan with a copy of the same bytes
// (the faster of glCopyBufferSubData and a compute shader) and with an empty sequence: as many dispatches as
// the scan has, each of a program that does nothing, with parameters and buffers of its own, and barriers
// between. Times are medians over rounds; shares are medians of the ratios within a round. A scan by
// reduce-then-scan moves 3 n elements, a copy 2 n, so 67 % of a copy is its ceiling where nothing stays in a
// cache.
#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/gpu_rounds.hpp"
#include "support/sequence_way.hpp"
#include "upsweep/gl/gl.hpp"
#include "upsweep/operators.hpp"

namespace {

using upsweep::gl::buffer_span;

GLuint make_buffer(std::uint64_t bytes, const void* contents) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), contents, GL_DYNAMIC_COPY);
    GLint64 got = 0;
    glGetBufferParameteri64v(GL_COPY_WRITE_BUFFER, GL_BUFFER_SIZE, &got);
    if (static_cast<std::uint64_t>(got) != bytes) throw std::runtime_error("no room for the buffers");
    return name;
}

GLuint make_program(const std::string& body) {
    const std::string text = "#version 430 core\nlayout(local_size_x = 256) in;\n" + body;
    const char* const start = text.c_str();
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &start, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glDeleteShader(shader);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked == GL_FALSE) throw std::runtime_error("a shader of the benchmark does not compile");
    return program;
}

// Seconds on the GPU for `repetitions` of the work.
double time_on_gpu(const std::function<void()>& work, int repetitions) {
    std::array<GLuint, 2> queries{};
    glGenQueries(2, queries.data());
    glQueryCounter(queries[0], GL_TIMESTAMP);
    for (int i = 0; i < repetitions; ++i) work();
    glQueryCounter(queries[1], GL_TIMESTAMP);
    std::array<GLuint64, 2> nanoseconds{};
    for (std::size_t i = 0; i < 2; ++i)
        glGetQueryObjectui64v(queries.at(i), GL_QUERY_RESULT, &nanoseconds.at(i));
    glDeleteQueries(2, queries.data());
    return static_cast<double>(nanoseconds[1] - nanoseconds[0]) * 1e-9;
}

// The last sum, which the host knows: a benchmark of wrong results would be worth nothing.
template <class T>
void check_last(GLuint out, std::uint64_t n) {
    T last{};
    glBindBuffer(GL_COPY_READ_BUFFER, out);
    glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>((n - 1) * sizeof(T)), sizeof(T), &last);
    // n ones; n is a power of two, so that float holds every partial sum of the tree.
    if (last != static_cast<T>(n)) throw std::runtime_error("the scan is wrong");
}

// A program that does nothing, with the buffers and the parameters that a stage of a scan has.
struct empty_stage {
    static constexpr GLsizei parameters = 25;
    GLuint program = make_program(
        "layout(location = 0) uniform uint parameters[25];\n"
        "layout(std430, binding = 0) readonly buffer a { uint from[]; };\n"
        "layout(std430, binding = 1) writeonly buffer b { uint to[]; };\n"
        "layout(std430, binding = 2) buffer c { uint workspace[]; };\n"
        "void main() {\n"
        "    if (parameters[0] == 0u) return;\n"
        "    for (int i = 1; i < 25; ++i) to[i] = from[parameters[i]] + workspace[i];\n}\n");

    static constexpr GLsizeiptr workspace_bytes = 4096;

    void dispatch(GLuint in, GLuint out, GLsizeiptr bytes, GLuint workspace, GLuint number) const {
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, in, 0, bytes);
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, out, 0, bytes);
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 2, workspace, 0, workspace_bytes);
        // The first says that there is nothing to do; another changes from stage to stage, as in a scan.
        const std::array<GLuint, parameters> values{0, number};
        glUseProgram(program);
        glProgramUniform1uiv(program, 0, parameters, values.data());
        glDispatchCompute(1, 1, 1);
    }
};

template <class T>
void run(upsweep::gl::executor& executor, const char* type, std::uint64_t n, GLuint copy_program,
         const std::array<empty_stage, 3>& empty, bool json) {
    const std::uint64_t bytes = n * sizeof(T);
    const std::vector<T> ones(n, T(1));
    const GLuint in = make_buffer(bytes, ones.data()), out = make_buffer(bytes, nullptr);
    const buffer_span<const T> from{in, n};
    const buffer_span<T> to{out, n};
    unsigned stages = 0;
    executor.observe([&](std::string_view) { ++stages; });
    upsweep::inclusive_scan(executor, from, to);
    executor.observe({});
    check_last<T>(out, n);

    std::vector<bench::gpu_contender<>> all;
    all.push_back({"scan", [&] { upsweep::inclusive_scan(executor, from, to); }});
    all.push_back({"copy command", [&] {
                       glBindBuffer(GL_COPY_READ_BUFFER, in);
                       glBindBuffer(GL_COPY_WRITE_BUFFER, out);
                       glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
                                           static_cast<GLsizeiptr>(bytes));
                   }});
    all.push_back({"copy shader", [&] {
                       glUseProgram(copy_program);
                       glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, in);
                       glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, out);
                       const auto groups = static_cast<GLuint>((bytes / 16 + 255) / 256);
                       glDispatchCompute(std::min(groups, 32768u), (groups + 32767) / 32768, 1);
                       glMemoryBarrier(GL_ALL_BARRIER_BITS);
                   }});
    const GLuint workspace = make_buffer(empty_stage::workspace_bytes, nullptr);
    all.push_back(
        {"empty", [&] {
             for (unsigned i = 0; i < stages; ++i) {
                 glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
                 empty.at(i % empty.size()).dispatch(in, out, static_cast<GLsizeiptr>(bytes), workspace, i);
             }
             glMemoryBarrier(GL_ALL_BARRIER_BITS);
         }});
    bench::measure_on_gpu(all, time_on_gpu);
    bench::print_gpu_row({executor.device().renderer, type, n, bytes, stages}, all, json);
    glDeleteBuffers(1, &in);
    glDeleteBuffers(1, &out);
    glDeleteBuffers(1, &workspace);
}

}  // namespace

int main(int count, char** words) {
    try {
        bool json = false;
        auto way = upsweep::gl::sequence_way::automatic;
        int largest = 28;
        for (int i = 1; i < count; ++i) {
            if (std::string_view(words[i]) == "--json")
                json = true;
            else if (!bench::take_way(words[i], way))
                largest = std::atoi(words[i]);
        }
        if (largest < 16 || largest > 31) throw std::runtime_error("expected an exponent from 16 to 31");
        const upsweep::gl::offscreen_context context;
        upsweep::gl::executor executor(context.loader(), {.way = way});
        const GLuint copy = make_program(
            "layout(std430, binding = 0) readonly buffer a { uvec4 from[]; };\n"
            "layout(std430, binding = 1) writeonly buffer b { uvec4 to[]; };\n"
            "void main() {\n"
            "    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + "
            "gl_LocalInvocationIndex;\n"
            "    if (i < uint(from.length())) to[i] = from[i];\n}\n");
        const std::array<empty_stage, 3> empty;
        if (!json) {
            std::printf("%s, OpenGL %s\n", context.renderer().c_str(), context.version().c_str());
            bench::print_gpu_columns();
        }
        for (int exponent = 16; exponent <= largest; exponent += exponent < 20 ? 1 : 2) {
            const std::uint64_t n = std::uint64_t{1} << exponent;
            if (n * 4 > executor.device().max_binding_bytes) break;
            run<float>(executor, "float", n, copy, empty, json);
            run<std::uint32_t>(executor, "uint32", n, copy, empty, json);
        }
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "gl_scan_bench: %s\n", problem.what());
        return 1;
    }
}
