// An integral image on OpenGL: 8-bit pixels are summed along both axes of a picture into 32-bit words, from
// which the mean of any rectangle follows by four of them. The table has the bits of the same scans on the
// CPU.
#include <epoxy/gl.h>
#include <upsweep/gl/gl.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

constexpr std::int64_t width = 1023, height = 600;

// `bytes` of contents, or none; the size is rounded up to whole words, in which bytes are loaded.
GLuint make_buffer(std::size_t bytes, const void* contents) {
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>((bytes + 3) / 4 * 4), nullptr,
                 GL_DYNAMIC_COPY);
    if (contents != nullptr)
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), contents);
    return name;
}

// A disc on a dark background.
std::vector<std::uint8_t> paint() {
    std::vector<std::uint8_t> picture(width * height);
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int64_t dx = x - 400, dy = y - 300;
            const bool inside = dx * dx + dy * dy < 200 * 200;
            picture[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint8_t>(inside ? 230 : 20);
        }
    }
    return picture;
}

// Pixels x0 <= x <= x1, y0 <= y <= y1, none of which is at the border.
double mean(std::span<const std::uint32_t> table, std::int64_t x0, std::int64_t y0, std::int64_t x1,
            std::int64_t y1) {
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return table[static_cast<std::size_t>(y * width + x)];
    };
    const std::uint32_t sum = at(x1, y1) - at(x0 - 1, y1) - at(x1, y0 - 1) + at(x0 - 1, y0 - 1);
    return sum / static_cast<double>((x1 - x0 + 1) * (y1 - y0 + 1));
}

}  // namespace

int main() {
    // Any context of yours will do; this one needs no window.
    const upsweep::gl::offscreen_context context;
    upsweep::gl::executor gpu(context.loader());
    upsweep::cpu::executor cpu;

    const std::vector<std::uint8_t> picture = paint();
    const GLuint names[] = {make_buffer(picture.size(), picture.data()),
                            make_buffer(4 * picture.size(), nullptr)};
    const upsweep::gl::buffer_view<const std::uint8_t> pixels(names[0], 0, {height, width});
    const upsweep::gl::buffer_view<std::uint32_t> table(names[1], 0, {height, width});
    upsweep::inclusive_scan<std::uint32_t>(gpu, pixels, table, 1);
    upsweep::inclusive_scan(gpu, table, table, 0);

    std::vector<std::uint32_t> on_cpu(picture.size()), on_gpu(picture.size());
    const upsweep::strided_view<std::uint32_t> sums(on_cpu.data(), {height, width});
    upsweep::inclusive_scan<std::uint32_t>(
        cpu, upsweep::strided_view<const std::uint8_t>(picture.data(), {height, width}), sums, 1);
    upsweep::inclusive_scan(cpu, sums, sums, 0);
    glBindBuffer(GL_COPY_READ_BUFFER, names[1]);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(4 * on_gpu.size()), on_gpu.data());
    glDeleteBuffers(2, names);

    std::printf("%s: the mean is %.2f within the disc, %.2f beside it\n", gpu.device().renderer.c_str(),
                mean(on_gpu, 300, 200, 500, 400), mean(on_gpu, 700, 100, 1000, 500));
    const bool same = on_cpu == on_gpu;
    std::puts(same ? "CPU and OpenGL agree in every bit" : "CPU and OpenGL differ");
    return same && mean(on_gpu, 300, 200, 500, 400) == 230 ? 0 : 1;
}
