// The code of docs/gl.md, with buffers for the names in it: what the guide shows is what compilers take.
// blocks.inc includes its blocks, which tools/code_blocks.py takes out of the page.
#define GL_GLEXT_PROTOTYPES

#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "back_end.hpp"
#include "upsweep/bin_range.hpp"

namespace gl_guide {

// What the guide's names stand for, and those that it introduces once.
namespace gl = upsweep::gl;
using upsweep::gl::by_head_flags, upsweep::gl::by_offsets, upsweep::gl::count_at;
template <class T>
using buffer_of = upsweep::gl::buffer_span<T>;

struct record {
    float weight;
    std::uint32_t number;
};

upsweep::gl::executor executor(nullptr);
GLuint in_name, out_name, sum_name, name, rows_name, bytes_name, sums_name;
std::size_t n, rows;
std::int64_t height, width, pitch;
const std::vector<float> edges;
buffer_of<float> in, out, values, values_out, floats;
buffer_of<const upsweep::float16> halves;
buffer_of<std::uint32_t> flags, offsets, counts, lengths, indices, cells;
buffer_of<std::int32_t> keys, keys_out;
buffer_of<record> records, records_out, points, sorted;
buffer_of<upsweep::gl::indirect_arguments> arguments;

#include "blocks.inc"

}  // namespace gl_guide
