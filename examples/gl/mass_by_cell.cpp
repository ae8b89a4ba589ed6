// The mass in each cell of a grid, on OpenGL: particles that are alive are kept, sorted by their cells and
// added up, one total a cell. How many they are, in how many cells, is known to the device alone until the
// end: each call takes its length from the one before it.
#include <epoxy/gl.h>
#include <upsweep/gl/gl.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

template <class T>
upsweep::gl::buffer_span<T> make_buffer(const std::vector<T>& contents) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(contents.size() * sizeof(T)), contents.data(),
                 GL_DYNAMIC_COPY);
    glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    return {name, contents.size()};
}
template <class T>
std::vector<T> read_front(upsweep::gl::buffer_span<T> from, std::size_t count) {
    std::vector<T> made(count);
    glBindBuffer(GL_COPY_READ_BUFFER, from.buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(count * sizeof(T)), made.data());
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    return made;
}

}  // namespace

int main() {
    namespace gl = upsweep::gl;
    // Any context of yours will do; this one needs no window.
    const gl::offscreen_context context;
    gl::executor gpu(context.loader());

    const std::size_t n = 100'000;
    std::vector<std::uint32_t> alive(n), cells(n);
    std::vector<float> masses(n);
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < n; ++i) {
        random = random * 1664525u + 1013904223u;
        alive[i] = random >> 31;
        cells[i] = (random >> 20) % 1000;
        masses[i] = static_cast<float>(random >> 8) / 16777216.0f;
    }

    const auto flags = make_buffer(alive), all_cells = make_buffer(cells);
    const auto all_masses = make_buffer(masses);
    const auto some_cells = make_buffer(cells), used_cells = make_buffer(cells);
    const auto some_masses = make_buffer(masses), totals = make_buffer(masses);
    const auto living = make_buffer(std::vector<gl::indirect_arguments>(1));
    const auto found = make_buffer(std::vector<gl::indirect_arguments>(1));
    upsweep::compact(gpu, flags, all_cells, some_cells, living);
    upsweep::compact(gpu, flags, all_masses, some_masses, living);
    const auto count = gl::count_at(living);
    upsweep::sort_by_key(gpu, some_cells, some_masses, some_cells, some_masses, {.length = count});
    upsweep::reduce_by_key(gpu, some_cells, some_masses, used_cells, totals, found, upsweep::plus{},
                           {.length = count});

    // Now the host asks.
    const std::size_t kept = read_front(living, 1)[0].count, cell_count = read_front(found, 1)[0].count;
    const std::vector<std::uint32_t> gpu_cells = read_front(used_cells, cell_count);
    const std::vector<float> gpu_totals = read_front(totals, cell_count);
    for (const GLuint name :
         {flags.buffer, all_cells.buffer, all_masses.buffer, some_cells.buffer, used_cells.buffer,
          some_masses.buffer, totals.buffer, living.buffer, found.buffer})
        glDeleteBuffers(1, &name);
    std::printf("%s: %zu of %zu particles are alive, in %zu cells\n", gpu.device().renderer.c_str(), kept, n,
                cell_count);

    upsweep::cpu::executor cpu;
    std::vector<std::uint32_t> living_cells(n), sorted_cells(n), cpu_cells(n);
    std::vector<float> living_masses(n), sorted_masses(n), cpu_totals(n);
    living_cells.resize(upsweep::compact(cpu, alive, cells, living_cells));
    living_masses.resize(upsweep::compact(cpu, alive, masses, living_masses));
    sorted_cells.resize(living_cells.size());
    sorted_masses.resize(living_cells.size());
    upsweep::sort_by_key(cpu, living_cells, living_masses, sorted_cells, sorted_masses);
    const std::size_t expected =
        upsweep::reduce_by_key(cpu, sorted_cells, sorted_masses, cpu_cells, cpu_totals);
    cpu_cells.resize(expected);
    cpu_totals.resize(expected);
    const bool same = gpu_cells == cpu_cells && gpu_totals == cpu_totals;
    std::puts(same ? "CPU and OpenGL agree" : "CPU and OpenGL differ");
    return same ? 0 : 1;
}
