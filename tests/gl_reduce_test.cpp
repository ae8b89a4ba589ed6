// What totals in OpenGL 4.3 and OpenGL ES 3.1 have beyond those of the CPU, whose tests run here too
// (shader/): stages, windows, lengths in buffers, errors.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/gl_scanner.hpp"
#include "support/refused.hpp"
#include "support/shader_totals.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/reduce.hpp"

namespace upsweep::test {
namespace {

class gl_reduce : public gl_test {
  protected:
    gl_scanner scanner() const { return {GetParam(), executor()}; }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_reduce);

TEST_P(gl_reduce, small_example) {
    const std::array<std::uint32_t, 8> given{3, 1, 7, 0, 4, 1, 6, 3};
    const gl_memory<std::uint32_t> in(gl(), std::span(given)), out(gl(), 3);
    const std::array<std::uint32_t, 3> some{2, 1, 9};
    const gl_memory<std::uint32_t> counts(gl(), std::span(some)), count(gl(), 1);
    gl::executor& ex = executor();
    reduce(ex, in.span(), out.span().part(0, 1));
    reduce(ex, in.span(), out.span().part(2, 1), plus{}, {.initial = 5});
    EXPECT_EQ(out.read()[0], 25u);
    EXPECT_EQ(out.read()[2], 30u);
    // A total may be a length, and lie beside what is totalled: 2 + 1 elements.
    reduce(ex, counts.span().part(0, 2), count.span());
    reduce(ex, in.span(), out.span().part(1, 1), plus{}, {.initial = 100, .length = count.span()});
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{25, 111, 30}));
    reduce(ex, counts.span().part(0, 2), counts.span().part(2, 1));
    EXPECT_EQ(counts.read(), (std::vector<std::uint32_t>{2, 1, 3}));
}

TEST_P(gl_reduce, stages) {
    if (!es()) gl::prepare_reduce<float>(executor());
    gl_scanner totals = scanner();
    check_total_stages(totals, brief());
    // Totals fold tiles and supers however sequences are scanned.
    gl::executor looking_back(at().loader(), {.way = gl::sequence_way::look_back});
    gl_scanner others(GetParam(), looking_back);
    check_total_sizes<float, plus>(others, 0.5f, {2 * core::tile_size + 5});
    EXPECT_EQ(others.stages(), (std::vector<std::string>{"tile_totals", "tile_scan"}));
}

TEST_P(gl_reduce, length_in_a_buffer) {
    gl_scanner totals = scanner();
    const std::size_t tiles = brief() ? 3 : core::tiles_per_super;
    check_total_lengths(totals, tiles * core::tile_size, (tiles + 8) * core::tile_size);
    const std::array<std::uint32_t, 4> words{1, 2, 3, 0xffffffffu};
    const gl_memory<std::uint32_t> memory(gl(), std::span(words)), out(gl(), 1);
    reduce(executor(), memory.span().part(0, 3), out.span(), plus{}, {.length = memory.span().part(3, 1)});
    EXPECT_EQ(out.read()[0], 6u) << "a length beyond the buffer is its size";
}

// Many windows and rows of work groups.
TEST_P(gl_reduce, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(),
                                {.max_groups_x = 7, .max_groups_y = 1, .max_binding_bytes = 40000});
    for (gl::executor* ex : {&few_groups, &small_bindings}) {
        gl_scanner limited(GetParam(), *ex);
        check_total_sizes<float, plus>(limited, 0.3f, {1, 4097, 24577, 200001});
        const std::size_t window = (ex == &few_groups ? 6 : 2) * core::tile_size;
        check_total_lengths(limited, window, 3 * window + 5);
    }
}

TEST_P(gl_reduce, embedded_systems_have_no_sums_of_doubles) {
    if (!es()) GTEST_SKIP() << "OpenGL has them";
    const gl_memory<double> in(gl(), 4), out(gl(), 1);
    expect_refused(
        "op: OpenGL ES has no sums and products of double",
        [&] { reduce(executor(), in.span(), out.span()); }, errc::unsupported);
}

TEST_P(gl_reduce, what_is_wrong_is_said) {
    const gl_memory<float> in(gl(), 9000), out(gl(), 2);
    const gl_memory<std::uint32_t> words(gl(), 4);
    const gl::buffer_span<float> one = out.span().part(0, 1);
    gl::executor& ex = executor();
    expect_refused("out: expected one element, but it has 2", [&] { reduce(ex, in.span(), out.span()); });
    expect_refused("out: expected one element, but it has 0",
                   [&] { reduce(ex, in.span(), out.span().part(0, 0)); });
    expect_refused("out: expected it to be disjoint from in",
                   [&] { reduce(ex, in.span(), in.span().part(5, 1)); });
    expect_refused("out: expected it to be disjoint from options.length", [&] {
        reduce(ex, words.span().part(0, 2), words.span().part(3, 1), plus{},
               {.length = words.span().part(3, 1)});
    });
    expect_refused("out: expected an offset that is a multiple of 4 bytes", [&] {
        reduce(ex, in.span(), gl::buffer_span<float>{out.name(), 1, 2});
    });
    expect_refused("in: expected an offset that is a multiple of 4 bytes", [&] {
        reduce(ex, gl::buffer_span<float>{in.name(), 10, 2}, one);
    });
    expect_refused("out: expected a buffer object", [&] {
        reduce(ex, in.span(), gl::buffer_span<float>{0, 1, 0});
    });
    expect_refused("in: expected to end within buffer", [&] {
        reduce(ex, gl::buffer_span<float>{in.name(), 9999, 0}, one);
    });
    expect_refused("options.length: expected at least 4 bytes, but it has 0",
                   [&] { reduce(ex, in.span(), one, plus{}, {.length = words.span().part(0, 0)}); });
    expect_refused("options.workspace: expected at least", [&] {
        reduce(ex, in.span(), one, plus{}, {.workspace = words.span().part(0, 1).region()});
    });
    expect_refused("options.workspace: expected it to be disjoint from in",
                   [&] { reduce(ex, in.span(), one, plus{}, {.workspace = in.span().region()}); });
    expect_refused("options.workspace: expected it to be disjoint from out",
                   [&] { reduce(ex, in.span(), one, plus{}, {.workspace = out.span().region()}); });
    EXPECT_TRUE(in.untouched() && out.untouched() && words.untouched());
}

}  // namespace
}  // namespace upsweep::test
