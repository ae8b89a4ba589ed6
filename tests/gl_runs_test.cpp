// Totals of segments and runs of equal neighbours as a caller in OpenGL 4.3 and OpenGL ES 3.1 sees them: the
// functions, counts that stay on the device, operators as text, errors, workspaces, limits. The CPU's tests
// of both run in gl_scan_test (shader/segmented_reduce_test.cpp, shader/unique_test.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/gl_matrix_product.hpp"
#include "support/gl_runs.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "support/run_checks.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

class gl_runs : public gl_test {
  protected:
    // For check_every_call.
    auto runner(gl::executor& ex, std::uint32_t user_text = 0) {
        return [this, &ex, user_text](const host_runs& asked, run_results& got) {
            return run_in_gl(GetParam(), ex, asked, turn_++, got, stages_, user_text);
        };
    }
    unsigned turn_ = 0;
    std::vector<std::string> stages_;
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_runs);

TEST_P(gl_runs, every_function) {
    using words = std::vector<std::uint32_t>;
    const std::array<std::uint32_t, 6> x{1, 2, 3, 4, 5, 6}, flags{0, 0, 1, 0, 0, 9};
    const std::array<std::uint32_t, 7> offsets{0, 0, 2, 2, 5, 6, 6};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::array<float, 6> keys{-0.0f, 0.0f, 2, 2, 2, nan};
    const gl_memory<std::uint32_t> in(gl(), std::span(x)), head_flags(gl(), std::span(flags), 1),
        bounds(gl(), std::span(offsets), 3), six(gl(), 6), out(gl(), 3, 1);
    const gl_memory<float> float_keys(gl(), std::span(keys), 1), keys_out(gl(), 2);
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    gl::executor& ex = executor();
    segmented_reduce(ex, gl::by_offsets(bounds.span()), in.span(), six.span());
    EXPECT_EQ(six.read(), (words{0, 3, 0, 12, 6, 0}));
    segmented_reduce(ex, gl::by_offsets(bounds.span()), in.span(), six.span(), maximum{}, {.initial = 4});
    EXPECT_EQ(six.read(), (words{4, 4, 4, 5, 6, 4}));
    segmented_reduce(ex, gl::by_head_flags(head_flags.span()), in.span(), out.span(), arguments.span(),
                     multiplies{}, {.vertices_per_instance = 6, .items_per_group = 2});
    EXPECT_EQ(out.read(), (words{2, 60, 6}));
    gl::indirect_arguments told = arguments.read()[0];
    EXPECT_EQ(told.draw_vertices, 6u);
    EXPECT_EQ(told.draw_instances, 3u);
    EXPECT_EQ(told.dispatch_x, 2u);
    segmented_reduce(ex, gl::by_keys(float_keys.span()), in.span(), out.span(), arguments.span());
    EXPECT_EQ(out.read(), (words{3, 12, 6}));
    reduce_by_key(ex, float_keys.span(), in.span(), keys_out.span(), out.span(), arguments.span(), minimum{});
    EXPECT_EQ(out.read(), (words{1, 3, 6}));
    EXPECT_TRUE(same_bits(keys_out.read()[0], -0.0f) && keys_out.read()[1] == 2);
    told = arguments.read()[0];
    EXPECT_EQ(told.found, 3u);
    EXPECT_EQ(told.count, 2u);  // what keys_out has room for
    EXPECT_EQ(told.rejected, 3u);
    // What follows takes its length from there: the sums of the first two totals.
    const gl_memory<std::uint32_t> sums(gl(), 3);
    inclusive_scan(ex, out.span(), sums.span(), plus{}, {.length = gl::count_at(arguments.span())});
    EXPECT_EQ(sums.read(), (words{1, 4, 0xa5a5a5a5u}));
    // Or the sum of them, of a sequence that is longer.
    const std::array<std::uint32_t, 3> fours{4, 4, 4};
    const gl_memory<gl::indirect_arguments> more(gl(), 1);
    const gl_memory<std::uint32_t> sum(gl(), 1), same(gl(), std::span(fours));
    reduce_by_key(ex, same.span(), out.span(), sums.span(), sum.span(), more.span(), plus{},
                  {.length = gl::count_at(arguments.span())});
    EXPECT_EQ(sum.read(), (words{4}));
    EXPECT_EQ(sums.read(), (words{4, 4, 0xa5a5a5a5u}));
    EXPECT_EQ(more.read()[0].found, 1u);
    EXPECT_EQ(more.read()[0].rejected, 1u);

    const gl_memory<float> firsts(gl(), 4);
    unique(ex, float_keys.span(), firsts.span(), arguments.span());
    EXPECT_TRUE(firsts.read()[1] == 2 && firsts.read()[2] != firsts.read()[2]);
    EXPECT_EQ(arguments.read()[0].count, 3u);
    unique_by_key(ex, float_keys.span(), in.span(), firsts.span(), out.span(), arguments.span());
    EXPECT_EQ(out.read(), (words{1, 3, 6}));
    run_length_encode(ex, float_keys.span(), firsts.span(), out.span(), arguments.span(),
                      {.items_per_group = 1});
    EXPECT_EQ(out.read(), (words{2, 3, 1}));
    EXPECT_EQ(arguments.read()[0].dispatch_x, 3u);
}

TEST_P(gl_runs, nothing) {
    const gl_memory<float> in(gl(), 3), out(gl(), 2);
    const std::array<std::uint32_t, 3> zeros{};
    const gl_memory<std::uint32_t> words(gl(), std::span(zeros)), lengths(gl(), 2);
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    gl::executor& ex = executor();
    const auto none = in.span().part(0, 0);
    const auto expect_none = [&] {
        EXPECT_EQ(arguments.read()[0].found, 0u);
        EXPECT_EQ(arguments.read()[0].dispatch_x, 0u);
        EXPECT_TRUE(out.untouched() && lengths.untouched());
    };
    segmented_reduce(ex, gl::by_head_flags(words.span().part(0, 0)), none, out.span(), arguments.span());
    expect_none();
    reduce_by_key(ex, words.span().part(0, 0), none, words.span().part(0, 0), out.span(), arguments.span());
    expect_none();
    run_length_encode(ex, none, out.span(), lengths.span(), arguments.span());
    expect_none();
    segmented_reduce(ex, gl::by_offsets(words.span().part(0, 1)), none, out.span().part(0, 0));
    EXPECT_TRUE(out.untouched());
    // Empty segments have the identity, which is -0 for sums.
    segmented_reduce(ex, gl::by_offsets(words.span()), none, out.span());
    EXPECT_TRUE(same_bits(out.read()[0], -0.0f) && same_bits(out.read()[1], -0.0f));
}

// Few groups, and bindings that hold little more than a tile: windows of heads, of what describes them, of
// elements.
TEST_P(gl_runs, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(),
                                {.max_binding_bytes = 70000, .way = gl::sequence_way::reduce_then_scan});
    const auto known = shader::operation_of<plus, float>();
    for (gl::executor* limited : {&few_groups, &small_bindings}) {
        check_every_call<float, plus>(runner(*limited), 3, 2, known, {});
        check_every_call<float, plus>(runner(*limited), 8193, 9, known, 0.3f);
    }
    if (brief()) return;
    check_every_call<float, plus>(runner(few_groups), 30001, 3, known, {});
    // More elements than fit a binding; fewer results.
    check_every_call<float, plus>(runner(few_groups), 70001, 5000, known, 0.3f);
    const segmentation cut(70001, 3000, 5);
    const std::vector<std::uint32_t> ones(70001, 1);
    host_runs asked{.values = shader::run_values::totals, .op = shader::operation_of<plus, std::uint32_t>()};
    asked.segments = carried(by_head_flags(cut.heads));
    asked.in = ones;
    asked.size = ones.size();
    asked.room = 100;
    run_results got;
    const std::size_t count = runner(small_bindings)(asked, got);
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += got.out[k];
    EXPECT_EQ(sum, 70001u);
    EXPECT_GT(std::ranges::count(stages_, "segment_totals"), 1);
}

// Of four words; it does not commute, and nothing is known about it.
TEST_P(gl_runs, an_operator_of_the_callers) {
    if (es()) GTEST_SKIP() << "the text that OpenGL has; gl_executor_test gives ES operators of the users";
    const gl::user_operator<matrix> text(executor(), {.text = gl_matrix_product, .has_identity = false});
    const auto run = runner(executor(), text.number());
    for (const std::size_t n : {std::size_t{5}, std::size_t{4099}, std::size_t{brief() ? 5000u : 140001u}}) {
        check_every_call<matrix>(run, n, 7, text.operation(), std::optional<matrix>(), matrix_product());
        check_every_call<matrix>(run, n, 900, text.operation(), std::optional<matrix>({{3, 1, 4, 1}}),
                                 matrix_product());
    }
    const gl_memory<matrix> in(gl(), 2), out(gl(), 1);
    const gl_memory<std::uint32_t> bounds(gl(), 2);
    expect_refused("options.initial: segments by offsets, which may be empty, need an initial value", [&] {
        segmented_reduce(executor(), gl::by_offsets(bounds.span()), in.span(), out.span(), text);
    });
    gl::prepare_segmented_reduce<matrix>(executor(), text);
    gl::prepare_unique(executor());
}

TEST_P(gl_runs, what_is_wrong_is_said) {
    const gl_memory<float> in(gl(), 60), out(gl(), 60);
    const gl_memory<std::uint32_t> words(gl(), 60), more(gl(), 60);
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    const gl::by_head_flags flags(words.span());
    gl::executor& ex = executor();
    const auto reduce = [&](const auto& segments, const gl::segmented_reduce_options<float>& options = {}) {
        segmented_reduce(ex, segments, in.span(), out.span(), arguments.span(), plus{}, options);
    };
    expect_refused("segments: expected 60 head flags, one an element, but there are 59",
                   [&] { reduce(gl::by_head_flags(words.span().part(0, 59))); });
    expect_refused("segments: expected an offset that is a multiple of 4 bytes", [&] {
        reduce(gl::by_head_flags(gl::buffer_span<std::uint32_t>{words.name(), 60, 2}));
    });
    expect_refused("options.items_per_group: expected at least 1, but it is 0",
                   [&] { reduce(flags, {.items_per_group = 0}); });
    expect_refused("options.workspace: expected at least", [&] {
        const gl_memory<std::uint32_t> small(gl(), 1);
        reduce(flags, {.workspace = small.span().region()});
    });
    expect_refused("options.workspace: expected it to be disjoint from segments",
                   [&] { reduce(flags, {.workspace = words.span().region()}); });
    expect_refused("arguments: expected at least 48 bytes, but it has 0", [&] {
        segmented_reduce(ex, flags, in.span(), out.span(), gl::buffer_span<gl::indirect_arguments>());
    });
    expect_refused("out: expected 59 elements, one for each segment, but it has 60",
                   [&] { segmented_reduce(ex, gl::by_offsets(words.span()), in.span(), out.span()); });
    expect_refused("options.length: expected none with offsets, which say how many elements there are", [&] {
        segmented_reduce(ex, gl::by_offsets(words.span()), in.span(), out.span().part(0, 59), plus{},
                         {.length = more.span().part(0, 1)});
    });
    expect_refused("arguments: expected it to be disjoint from options.length", [&] {
        unique(ex, words.span(), more.span(), arguments.span(), {.length = gl::count_at(arguments.span())});
    });
    expect_refused("segments: expected at least one offset", [&] {
        segmented_reduce(ex, gl::by_offsets(words.span().part(0, 0)), in.span(), out.span());
    });
    expect_refused("keys: expected 60, one for each element of in, but there are 59", [&] {
        reduce_by_key(ex, words.span().part(0, 59), in.span(), more.span(), out.span(), arguments.span());
    });
    expect_refused("keys_out: expected it to be disjoint from keys", [&] {
        reduce_by_key(ex, words.span(), in.span(), words.span().part(3, 5), out.span(), arguments.span());
    });
    expect_refused("out: expected it to be disjoint from in", [&] {
        reduce_by_key(ex, words.span(), in.span(), more.span(), in.span(), arguments.span());
    });
    expect_refused("out: expected it to be disjoint from in",
                   [&] { unique(ex, words.span(), words.span(), arguments.span()); });
    expect_refused("out: expected it to be disjoint from lengths",
                   [&] { run_length_encode(ex, words.span(), more.span(), more.span(), arguments.span()); });
    expect_refused("lengths: expected to end within buffer", [&] {
        run_length_encode(ex, words.span(), more.span(), gl::buffer_span<std::uint32_t>{out.name(), 2000, 0},
                          arguments.span());
    });
    expect_refused("keys: expected 60, one for each element of in, but there are 59", [&] {
        unique_by_key(ex, words.span().part(0, 59), in.span(), more.span(), out.span(), arguments.span());
    });
    EXPECT_TRUE(in.untouched() && out.untouched() && words.untouched() && more.untouched() &&
                arguments.untouched());
}

}  // namespace
}  // namespace upsweep::test
