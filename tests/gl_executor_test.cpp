// The OpenGL executor as a guest in the caller's context: it leaves the state alone, says what is wrong,
// takes operators as text, and knows what the driver does to arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/gl_matrix_product.hpp"
#include "support/gl_scanner.hpp"
#include "support/random.hpp"
#include "support/sweep.hpp"
#include "support/total_check.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/sort.hpp"

namespace upsweep::test {
namespace {

class gl_executor : public gl_test {
  protected:
    // Throws of `call` must be upsweep::error with that code; their text begins with `start` and has `part`.
    template <class Call>
    static void expect_refused(errc code, const std::string& start, const std::string& part,
                               const Call& call) {
        try {
            call();
            ADD_FAILURE() << "accepted, expected an error about " << start;
        } catch (const error& problem) {
            const std::string words = problem.what();
            EXPECT_EQ(problem.code(), code) << words;
            EXPECT_EQ(words.rfind(start, 0), 0u) << words;
            EXPECT_NE(words.find(part), std::string::npos) << words;
        }
    }

    // Everything that a compute library could disturb.
    std::vector<std::int64_t> snapshot() const {
        std::vector<std::int64_t> all;
        for (const GLenum name :
             {GL_CURRENT_PROGRAM, GL_SHADER_STORAGE_BUFFER_BINDING, GL_COPY_READ_BUFFER_BINDING,
              GL_COPY_WRITE_BUFFER_BINDING, GL_ARRAY_BUFFER_BINDING, GL_UNIFORM_BUFFER_BINDING,
              GL_ATOMIC_COUNTER_BUFFER_BINDING, GL_DISPATCH_INDIRECT_BUFFER_BINDING,
              GL_DRAW_INDIRECT_BUFFER_BINDING, GL_PIXEL_PACK_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING,
              GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, GL_VERTEX_ARRAY_BINDING, GL_ACTIVE_TEXTURE,
              GL_TEXTURE_BINDING_2D, GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING,
              GL_PROGRAM_PIPELINE_BINDING}) {
            GLint value = -1;
            gl().get_integer(name, &value);
            all.push_back(value);
        }
        for (GLuint i = 0; i < 8; ++i) {
            GLint buffer = -1;
            GLint64 start = -1, size = -1;
            gl().get_indexed(GL_SHADER_STORAGE_BUFFER_BINDING, i, &buffer);
            gl().get_indexed64(GL_SHADER_STORAGE_BUFFER_START, i, &start);
            gl().get_indexed64(GL_SHADER_STORAGE_BUFFER_SIZE, i, &size);
            all.insert(all.end(), {buffer, start, size});
        }
        return all;
    }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_executor);

TEST_P(gl_executor, leaves_the_state_as_it_was) {
    const gl_memory<float> data(gl(), 10000), out(gl(), 10000);
    const gl_memory<std::uint32_t> a(gl(), 4096), b(gl(), 4096), c(gl(), 4096);
    const gl_memory<gl::indirect_arguments> counts(gl(), 1);
    // A program of the caller's, in use.
    const std::string text = std::string(es() ? "#version 310 es\n" : "#version 430 core\n") +
                             "layout(local_size_x = 1) in;\nvoid main() {}\n";
    const GLuint shader = gl().create_shader(GL_COMPUTE_SHADER), program = gl().create_program();
    const char* const start = text.c_str();
    gl().shader_source(shader, 1, &start, nullptr);
    gl().compile_shader(shader);
    gl().attach_shader(program, shader);
    gl().link_program(program);
    gl().use_program(program);
    for (GLuint i = 0; i < 8; ++i) {
        if (i % 3 == 0)
            gl().bind_buffer_base(GL_SHADER_STORAGE_BUFFER, i, a.name());
        else if (i % 3 == 1)
            gl().bind_buffer_range(GL_SHADER_STORAGE_BUFFER, i, b.name(), 256 * (i + 1), 64 * (i + 1));
    }
    gl().bind_buffer(GL_SHADER_STORAGE_BUFFER, c.name());
    for (const GLenum target : {GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, GL_ARRAY_BUFFER, GL_UNIFORM_BUFFER,
                                GL_DISPATCH_INDIRECT_BUFFER, GL_DRAW_INDIRECT_BUFFER})
        gl().bind_buffer(target, a.name());

    const std::vector<std::int64_t> before = snapshot();
    gl::executor ex(at().loader());
    EXPECT_EQ(snapshot(), before) << "the constructor";
    inclusive_scan(ex, data.span(), out.span());
    EXPECT_EQ(snapshot(), before) << "a scan";
    exclusive_scan(ex, data.span(), data.span(), plus{},
                   {.initial = 1.0f,
                    .reverse = true,
                    .length = gl::count_at(counts.span()),
                    .algorithm = gl::scan_algorithm::blelloch});
    EXPECT_EQ(snapshot(), before) << "a scan by Blelloch's algorithm";
    const gl::buffer_view<float> columns(data.name(), data.span().offset, {5000, 2});
    inclusive_scan(ex, columns, columns, 0);
    EXPECT_EQ(snapshot(), before) << "a scan along an axis";
    compact(ex, b.span(), a.span(), c.span(), counts.span());
    EXPECT_EQ(snapshot(), before) << "a compaction";
    sort_by_key(ex, data.span(), out.span(), data.span(), out.span(),
                {.length = gl::count_at(counts.span())});
    EXPECT_EQ(snapshot(), before) << "a sort";
    ex.reserve(1 << 20);
    EXPECT_EQ(snapshot(), before) << "reserve";
    static_cast<void>(ex.conformance());
    EXPECT_EQ(snapshot(), before) << "conformance";
    gl::prepare<std::uint32_t>(ex);
    gl::prepare<std::uint32_t>(ex, plus{}, gl::scan_algorithm::blelloch);
    gl::prepare_axis_scan<std::uint32_t>(ex);
    EXPECT_EQ(snapshot(), before) << "prepare";
    EXPECT_THROW(inclusive_scan(ex, data.span(), gl::buffer_span<float>{out.name(), 10000, 4 * 10000}),
                 error);
    EXPECT_EQ(snapshot(), before) << "an error";
    { gl::executor moved = std::move(ex); }
    EXPECT_EQ(snapshot(), before) << "the destructor";

    for (GLuint i = 0; i < 8; ++i) gl().bind_buffer_base(GL_SHADER_STORAGE_BUFFER, i, 0);
    for (const GLenum target : {GL_ARRAY_BUFFER, GL_UNIFORM_BUFFER, GL_DISPATCH_INDIRECT_BUFFER,
                                GL_DRAW_INDIRECT_BUFFER, GL_SHADER_STORAGE_BUFFER})
        gl().bind_buffer(target, 0);
    gl().use_program(0);
    gl().delete_shader(shader);
    gl().delete_program(program);
}

TEST_P(gl_executor, describes_its_device) {
    const gl::device_info& device = executor().device();
    EXPECT_EQ(device.es, es());
    EXPECT_EQ(device.float64, !es());
    EXPECT_EQ((executor().supports(shader::operation_of<plus, double>())), !es());
    EXPECT_TRUE((executor().supports(shader::operation_of<minimum, double>())));
    EXPECT_EQ(device.renderer, at().context().renderer());
    EXPECT_GE(10 * device.major + device.minor, es() ? 31 : 43);
    EXPECT_GE(device.max_groups_x, 65535u);
    EXPECT_GE(device.max_binding_bytes, std::uint64_t{1} << 24);
    EXPECT_EQ(executor().conformance().checked_float64, !es());
    const std::vector<std::string>& findings = executor().conformance().findings;
    EXPECT_EQ(executor().conformance().conforming(), findings.empty());
    if (findings.empty()) return;
    std::string all;
    for (const std::string& finding : findings) all += finding + "; ";
    if (device.renderer.find("llvmpipe") != std::string::npos) FAIL() << all;
    GTEST_SKIP() << "not a bit-conforming driver: " << all;
}

TEST_P(gl_executor, names_what_is_wrong) {
    gl::executor& ex = executor();
    const gl_memory<float> in(gl(), 100), out(gl(), 100), one(gl(), 1);
    const auto scan = [&](gl::buffer_span<float> from, gl::buffer_span<float> to,
                          gl::scan_options<float> options = {}) {
        return [&ex, from, to, options] { exclusive_scan(ex, from, to, plus{}, options); };
    };
    const auto wrong = errc::invalid_argument;
    expect_refused(wrong, "out", "100", scan(in.span(), out.span().part(0, 99)));
    expect_refused(wrong, "out", "overlap", scan(in.span().part(0, 50), in.span().part(1, 50)));
    expect_refused(wrong, "in", "buffer", scan({in.name(), 1000}, {out.name(), 1000}));
    expect_refused(wrong, "in", "100000", scan({100000, 10}, out.span().part(0, 10)));
    expect_refused(wrong, "out", "buffer", scan(in.span(), {0, 100}));
    expect_refused(wrong, "in", "2^62",
                   scan({in.name(), (std::uint64_t{1} << 62) + 10}, out.span().part(0, 10)));
    const std::uint64_t wrapping = (std::uint64_t{1} << 62) + 10;  // as 64 bits hold its bytes, 40
    expect_refused(wrong, "out", "10 elements",
                   scan(in.span().part(0, 10), {out.name(), wrapping, out.span().offset}));
    expect_refused(wrong, "in", "multiple of 4", scan({in.name(), 10, 514}, out.span().part(0, 10)));
    expect_refused(wrong, "options.total", "in",
                   scan(in.span(), out.span(), {.total = in.span().part(3, 1)}));
    expect_refused(wrong, "options.total", "out",
                   scan(in.span(), out.span(), {.total = out.span().part(3, 1)}));
    expect_refused(wrong, "options.total", "bytes",
                   scan(in.span(), out.span(), {.total = one.span().part(0, 0)}));
    expect_refused(wrong, "options.workspace", "bytes",
                   scan(in.span(), out.span(), {.workspace = {one.name(), 512, 4}}));
    expect_refused(
        wrong, "options", "1024",
        scan(in.span(), out.span(), {.algorithm = gl::scan_algorithm::blelloch, .work_group_size = 2000}));
    expect_refused(wrong, "options", "exclusive", [&] {
        inclusive_scan(ex, in.span(), out.span(), plus{}, {.algorithm = gl::scan_algorithm::blelloch});
    });
    // Elements that are converted lie elsewhere than results, in whole words.
    const gl_memory<std::uint8_t> bytes(gl(), 5);  // and as many poisoned ones as make 1029
    const auto convert = [&](auto from, gl::buffer_span<float> to, gl::scan_options<float> options = {}) {
        return [&ex, from, to, options] { exclusive_scan<float>(ex, from, to, plus{}, options); };
    };
    const auto results = out.span().part(0, 5);
    using shorts = gl::buffer_span<const std::int16_t>;
    expect_refused(wrong, "in", "1032",
                   convert(gl::buffer_span<std::uint8_t>{bytes.name(), 5, 1024}, results));
    expect_refused(wrong, "in", "multiple of 2", convert(shorts{in.name(), 5, 513}, results));
    expect_refused(wrong, "out", "overlap", convert(shorts{out.name(), 5, results.offset}, results));
    expect_refused(errc::unsupported, "options.algorithm", "type",
                   convert(shorts{in.name(), 5, 512}, results, {.algorithm = gl::scan_algorithm::blelloch}));
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(one.untouched());
    EXPECT_NO_THROW(convert(gl::buffer_span<std::uint8_t>{bytes.name(), 5, 1023}, results)());
    EXPECT_NO_THROW(scan(in.span().part(0, 50), in.span().part(50, 50))());
    // Nothing at all: no buffer is needed either.
    EXPECT_NO_THROW(scan({}, {})());

    expect_refused(wrong, "loader", "eglGetProcAddress",
                   [] { const gl::executor none{gl::function_loader()}; });
    expect_refused(wrong, "loader", "glAttachShader",
                   [] { const gl::executor none([](const char*) -> gl::any_function { return nullptr; }); });
    const gl::function_loader loader = at().loader();
    at().context().release();
    EXPECT_THROW(gl::executor{loader}, error);
    at();  // current again
}

// A context whose driver has less of one thing.
PFNGLGETINTEGERVPROC integer_of_driver = nullptr;
GLenum lowered = 0;
void lowered_integer(GLenum name, GLint* value) {
    integer_of_driver(name, value);
    if (name == lowered) *value = 4;
}
TEST_P(gl_executor, needs_what_opengl_4_3_promises) {
    at();
    const gl::function_loader loader = at().loader();
    const gl::function_loader lowering = [&](const char* name) -> gl::any_function {
        if (std::string(name) != "glGetIntegerv") return loader(name);
        integer_of_driver = reinterpret_cast<PFNGLGETINTEGERVPROC>(loader(name));
        return reinterpret_cast<gl::any_function>(&lowered_integer);
    };
    lowered = 0;
    EXPECT_NO_THROW(gl::executor{lowering});
    const std::pair<GLenum, const char*> limits[] = {
        {GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS of 256"},
        {GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, "GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS of 8"},
        {GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE of 16384"}};
    for (const auto& [limit, words] : limits) {
        lowered = limit;
        expect_refused(errc::unsupported, "OpenGL", words, [&] { const gl::executor none{lowering}; });
    }
}

struct interval {
    float low, high;
};
struct hull {
    interval operator()(const interval& a, const interval& b) const {
        return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
};
const char* const hull_text = R"(
#define element vec2
element from_words(uvec2 words) { return uintBitsToFloat(words); }
uvec2 to_words(element value) { return floatBitsToUint(value); }
element combine(element a, element b) { return vec2(min(a.x, b.x), max(a.y, b.y)); }
)";

// Strings of brackets after all pairs () cancelled: swapped operands and lost parts show.
const char* const brackets_text = R"(
uvec2 combine(uvec2 a, uvec2 b) {
    uint pairs = min(a.y, b.x);
    return uvec2(a.x + b.x - pairs, a.y + b.y - pairs);
}
uvec2 identity() { return uvec2(0u); }
)";

TEST_P(gl_executor, operators_of_the_users) {
    const gl::user_operator<brackets> cancel(executor(),
                                             {.text = brackets_text, .exact = true, .neutral = true});
    gl_scanner scanner(GetParam(), executor());
    scan_check<brackets, brackets, brackets, gl_scanner> strings(
        operation<brackets, brackets, brackets, gl_scanner>::of(gl_pair(bicyclic{}, cancel)),
        span_of(sequence<brackets, bicyclic>(2 * core::super_size + 1, 1)), brackets{2, 3});
    strings.every_mode(scanner, {0, 1, 6, 130, 4097});
    strings.some_mode(scanner, {3, 8, 33, 300, 4095, 8193, 12289, 131071, 131073, 262145}, 0);
    scanner.settings.length_in_buffer = true;
    strings.every_mode(scanner, {0, 9, 4099, 131073});
    const gl::user_operator<matrix> product(executor(), {.text = gl_matrix_product, .has_identity = false});
    scan_check<matrix, matrix, matrix, gl_scanner> matrices(
        operation<matrix, matrix, matrix, gl_scanner>::of(gl_pair(matrix_product{}, product)),
        span_of(sequence<matrix, matrix_product>(20000, 1)), matrix{{1, 2, 3, 4}});
    for (const std::size_t n : {1u, 5u, 130u, 4097u, 20000u}) {
        scanner.settings.length_in_buffer = false;
        matrices.run(scanner, n, {}, 1, 0);
        matrices.run(scanner, n, {.reverse = true, .in_place = true}, 1, 0);
        scanner.settings.length_in_buffer = true;
        matrices.run(scanner, n, {.exclusive = true, .initial = true}, 0, 1);
    }
    const gl_memory<matrix> memory(gl(), 10);
    expect_refused(errc::invalid_argument, "options.initial", "identity",
                   [&] { exclusive_scan(executor(), memory.span(), memory.span(), product); });

    // Totals, by the same programs.
    total_check<brackets, gl_pair<brackets, bicyclic>> string_totals(
        span_of(sequence<brackets, bicyclic>(core::super_size + 5, 1)), {2, 3}, {bicyclic{}, cancel});
    total_check<matrix, gl_pair<matrix, matrix_product>> matrix_totals(
        span_of(sequence<matrix, matrix_product>(20000, 1)), {{1, 2, 3, 4}}, {matrix_product{}, product});
    scanner.settings.length_in_buffer = false;
    for (const std::size_t n : {std::size_t{0}, std::size_t{130}, std::size_t{4097}, core::super_size + 5})
        string_totals.run(scanner, n, n % 2);
    for (const std::size_t n : {0u, 1u, 4096u, 20000u}) matrix_totals.run(scanner, n, n % 2);
    const gl_memory<matrix> sum(gl(), 1);
    const gl_memory<std::uint32_t> length(gl(), 1);
    const std::string none = "the total of no elements needs an initial value";
    expect_refused(errc::invalid_argument, "options.initial", none,
                   [&] { reduce(executor(), memory.span().part(0, 0), sum.span(), product); });
    expect_refused(errc::invalid_argument, "options.initial", none, [&] {
        reduce(executor(), memory.span(), sum.span(), product, {.length = length.span()});
    });
}

TEST_P(gl_executor, an_element_type_of_the_users) {
    const gl::user_operator<interval> op(executor(),
                                         {.text = hull_text, .has_identity = false, .exact = true});
    random_bits random(1);
    std::vector<interval> values(10000);
    for (interval& each : values) {
        each.low = static_cast<float>(random.between(-1, 1));
        each.high = each.low + static_cast<float>(random.unit());
    }
    const gl_memory<interval> in(gl(), std::span<const interval>(values)), out(gl(), values.size());
    inclusive_scan(executor(), in.span(), out.span(), op);
    const std::vector<interval> results = out.read();
    interval wanted = values[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
        wanted = hull()(wanted, values[i]);
        ASSERT_TRUE(wanted.low == results[i].low && wanted.high == results[i].high) << i;
    }
}

TEST_P(gl_executor, texts_that_do_not_compile) {
    expect_refused(errc::device, "OpenGL: ", "nothing", [&] {
        const gl::user_operator<std::uint32_t> op(
            executor(), {.text = "uint combine(uint a, uint b) { return nothing; }\n"});
    });
    expect_refused(errc::device, "OpenGL: ", "missing_function", [&] {
        const gl::user_items items(executor(),
                                   "bool keep(uint i) { return missing_function(i); }\n"
                                   "void move(uint item, uint place) {}\n");
    });
    static_cast<void>(at().take_complaints());  // the driver's words for both, if it has any
    // The next one gets on.
    const gl::user_operator<std::uint32_t> op(
        executor(),
        {.text = "uint combine(uint a, uint b) { return a + b; }\nuint identity() { return 0u; }\n",
         .exact = true,
         .neutral = true,
         .commutative = true});
    const std::uint32_t three[] = {1, 2, 3};
    const gl_memory<std::uint32_t> memory(gl(), std::span<const std::uint32_t>(three));
    inclusive_scan(executor(), memory.span(), memory.span(), op);
    EXPECT_EQ(memory.read(), (std::vector<std::uint32_t>{1, 3, 6}));
    // That of one executor is not that of another, whatever it has by itself.
    gl::executor other(at().loader());
    const gl::user_operator<std::uint32_t> others(
        other, {.text = "uint combine(uint a, uint b) { return a ^ b; }\n", .has_identity = false});
    expect_refused(errc::invalid_argument, "op", "executor",
                   [&] { inclusive_scan(other, memory.span(), memory.span(), op); });
}

TEST_P(gl_executor, an_observer_hears_of_every_stage) {
    std::vector<std::string> stages;
    gl::executor ex(at().loader(), {.way = gl::sequence_way::reduce_then_scan});
    ex.observe([&](std::string_view stage) { stages.emplace_back(stage); });
    const gl_memory<std::uint32_t> data(gl(), 100000), flags(gl(), 100000), out(gl(), 100000);
    const gl_memory<gl::indirect_arguments> counts(gl(), 1);
    inclusive_scan(ex, data.span(), out.span());
    EXPECT_EQ(stages, (std::vector<std::string>{"tile_totals", "tile_scan"}));
    stages.clear();
    compact(ex, flags.span(), data.span(), out.span(), counts.span());
    ASSERT_GE(stages.size(), 3u);
    EXPECT_EQ(stages.front(), "vote");
    EXPECT_EQ(stages.back(), "compact");
    ex.observe({});
    stages.clear();
    inclusive_scan(ex, data.span(), out.span());
    EXPECT_TRUE(stages.empty());
}

TEST(gl_offscreen_context, what_cannot_be_had_is_an_error) {
    try {
        const gl::offscreen_context context({.major = 9, .minor = 9});
        ADD_FAILURE() << context.version();
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::unsupported);
        EXPECT_NE(std::string(problem.what()).find("OpenGL 9.9"), std::string::npos) << problem.what();
    }
}

}  // namespace
}  // namespace upsweep::test
