// Elements repeated in OpenGL 4.3 and OpenGL ES 3.1: by counts and by offsets, with room for all or for some,
// of any width; counts that stay on the device; errors, workspaces, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/refused.hpp"
#include "support/repeat_checks.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/repeat.hpp"
#include "upsweep/gl/unique.hpp"

namespace upsweep::test {
namespace {

using words = std::vector<std::uint32_t>;

class gl_repeat : public gl_test {
  protected:
    // For the checks of repeat_checks.hpp.
    auto runner(gl::executor& ex, std::uint32_t widest = 65535) {
        return [this, &ex, widest](const host_repeat& asked, repeat_results& got) {
            run(ex, asked, got);
            got.widest = widest;
        };
    }
    std::vector<std::string> stages_;

  private:
    // A workspace of the caller's serves every other turn.
    void run(gl::executor& ex, const host_repeat& asked, repeat_results& got) {
        using memory = gl_memory<std::uint32_t>;
        const unsigned turn = turn_++;
        const words given = asked.in();
        const memory in(gl(), std::span<const std::uint32_t>(given), turn % 3);
        const memory counts(gl(), std::span<const std::uint32_t>(asked.counts), turn % 7);
        const memory out(gl(), asked.room * asked.words(), turn % 3);
        const memory arguments(gl(), 12, turn % 5);
        const std::uint32_t elements = asked.length.value_or(0);
        const memory length(gl(), std::span(&elements, 1), turn % 4);
        const memory workspace(gl(), ex.repeat_workspace_bytes(asked.size()) / 4);
        gl::repeat_call call;
        call.in = in.span().region();
        call.counts = counts.span().region();
        call.out = out.span().region();
        call.arguments = arguments.span().region();
        if (asked.length) call.length = length.span().region();
        if (turn % 2 == 0 && !asked.by_offsets) call.workspace = workspace.span().region();
        call.by_offsets = asked.by_offsets;
        call.size = asked.size();
        call.record_words = asked.record_words;
        stages_.clear();
        ex.observe([&](std::string_view stage) { stages_.emplace_back(stage); });
        ex.run(call);
        ex.observe({});
        static_cast<void>(workspace.read());  // nothing outside it
        EXPECT_EQ(in.read(), given) << "changed the input";
        EXPECT_EQ(counts.read(), asked.counts) << "changed the counts";
        EXPECT_EQ(length.read()[0], elements) << "changed the length";
        got.out = out.read();
        got.arguments = arguments.read();
        std::memset(&got.poison, static_cast<int>(memory::poison), sizeof got.poison);
    }
    unsigned turn_ = 0;
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_repeat);

TEST_P(gl_repeat, every_function) {
    struct pair {
        std::uint32_t first, second;
        bool operator==(const pair&) const = default;
    };
    const std::array<pair, 4> pairs{{{1, 10}, {2, 20}, {3, 30}, {4, 40}}};
    const std::array<std::uint32_t, 4> times{2, 0, 1, 3};
    const std::array<std::uint32_t, 5> bounds{0, 2, 2, 3, 6};
    const gl_memory<pair> in(gl(), std::span(pairs)), out(gl(), 7);
    const gl_memory<std::uint32_t> counts(gl(), std::span(times), 1), offsets(gl(), std::span(bounds), 3),
        indices(gl(), 5);
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    gl::executor& ex = executor();
    gl::prepare_repeat(ex);
    const std::vector<pair> expected{pairs[0], pairs[0], pairs[2], pairs[3], pairs[3], pairs[3]};
    const auto front = [&] {
        std::vector<pair> made = out.read();
        made.resize(6);
        return made;
    };
    repeat(ex, in.span(), counts.span(), out.span(), arguments.span(),
           {.vertices_per_instance = 3, .items_per_group = 4});
    EXPECT_EQ(front(), expected);
    const gl::indirect_arguments told = arguments.read()[0];
    EXPECT_EQ(told.draw_vertices, 3u);
    EXPECT_EQ(told.draw_instances, 6u);
    EXPECT_EQ(told.dispatch_x, 2u);
    const gl_memory<pair> again(gl(), 6);
    repeat(ex, in.span(), gl::by_offsets(offsets.span()), again.span(), arguments.span());
    EXPECT_EQ(again.read(), expected);
    repeat_indices(ex, counts.span(), indices.span(), arguments.span());
    EXPECT_EQ(indices.read(), (words{0, 0, 2, 3, 3}));
    EXPECT_EQ(arguments.read()[0].count, 5u);
    EXPECT_EQ(arguments.read()[0].found, 6u);
    EXPECT_EQ(arguments.read()[0].rejected, 1u);
    repeat_indices(ex, gl::by_offsets(offsets.span()), indices.span(), arguments.span());
    EXPECT_EQ(indices.read(), (words{0, 0, 2, 3, 3}));
}

// The runs of a sequence, and from them the sequence again; how many they are stays on the device.
TEST_P(gl_repeat, back_from_runs) {
    const std::array<std::uint32_t, 9> sequence{7, 7, 7, 2, 2, 7, 0, 0, 0};
    const gl_memory<std::uint32_t> in(gl(), std::span(sequence)), firsts(gl(), 9), lengths(gl(), 9),
        out(gl(), 9);
    const gl_memory<gl::indirect_arguments> runs(gl(), 1), results(gl(), 1);
    run_length_encode(executor(), in.span(), firsts.span(), lengths.span(), runs.span());
    repeat(executor(), firsts.span(), lengths.span(), out.span(), results.span(),
           {.length = gl::count_at(runs.span())});
    EXPECT_EQ(out.read(), in.read());
    EXPECT_EQ(results.read()[0].found, 9u);
}

TEST_P(gl_repeat, sizes) { check_sizes(runner(executor())); }
TEST_P(gl_repeat, widths) { check_widths(runner(executor())); }
TEST_P(gl_repeat, gaps) { check_gaps(runner(executor())); }
TEST_P(gl_repeat, room) { check_room(runner(executor())); }
TEST_P(gl_repeat, length) { check_length(runner(executor())); }
TEST_P(gl_repeat, what_is_not_promised) { check_what_is_not_promised(runner(executor())); }

// Few groups, and bindings that hold little more than a tile of counts.
TEST_P(gl_repeat, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(), {.max_binding_bytes = 70000});
    check_counts(runner(few_groups, 3), random_counts(20000, 5, 1), 0);
    EXPECT_GT(std::ranges::count(stages_, "repeat"), 2);
    check_counts(runner(small_bindings), random_counts(7000, 4, 1), 1);
    const auto ask_for_much = [&] {
        const gl_memory<std::uint32_t> counts(gl(), 10), out(gl(), 20000);
        const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
        repeat_indices(small_bindings, counts.span(), out.span(), arguments.span());
    };
    expect_refused("out: expected at most", ask_for_much, errc::unsupported);
}

TEST_P(gl_repeat, what_is_wrong_is_said) {
    const gl_memory<float> in(gl(), 60), out(gl(), 60);
    const gl_memory<std::uint32_t> counts(gl(), 60), indices(gl(), 60);
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    gl::executor& ex = executor();
    expect_refused("counts: expected 60 elements, as many as in, but it has 59",
                   [&] { repeat(ex, in.span(), counts.span().part(0, 59), out.span(), arguments.span()); });
    expect_refused("segments: expected 61 offsets, one more than elements of in, but there are 60", [&] {
        repeat(ex, in.span(), gl::by_offsets(counts.span()), out.span(), arguments.span());
    });
    expect_refused("segments: expected at least one offset", [&] {
        repeat_indices(ex, gl::by_offsets(counts.span().part(0, 0)), indices.span(), arguments.span());
    });
    expect_refused("counts: expected an offset that is a multiple of 4 bytes", [&] {
        repeat_indices(ex, gl::buffer_span<std::uint32_t>{counts.name(), 50, 2}, indices.span(),
                       arguments.span());
    });
    expect_refused("arguments: expected at least 48 bytes, but it has 0", [&] {
        repeat_indices(ex, counts.span(), indices.span(), gl::buffer_span<gl::indirect_arguments>());
    });
    expect_refused("out: expected it to be disjoint from in",
                   [&] { repeat(ex, in.span(), counts.span(), in.span(), arguments.span()); });
    expect_refused("out: expected it to be disjoint from counts",
                   [&] { repeat_indices(ex, counts.span(), counts.span(), arguments.span()); });
    expect_refused("arguments: expected it to be disjoint from options.length", [&] {
        repeat_indices(ex, counts.span(), indices.span(), arguments.span(),
                       {.length = gl::count_at(arguments.span())});
    });
    expect_refused("options.length: expected none with offsets, which say how many elements there are", [&] {
        repeat_indices(ex, gl::by_offsets(counts.span()), indices.span(), arguments.span(),
                       {.length = counts.span().part(0, 1)});
    });
    expect_refused("options.items_per_group: expected at least 1, but it is 0", [&] {
        repeat_indices(ex, counts.span(), indices.span(), arguments.span(), {.items_per_group = 0});
    });
    expect_refused("options.workspace: expected at least", [&] {
        const gl_memory<std::uint32_t> small(gl(), 1);
        repeat_indices(ex, counts.span(), indices.span(), arguments.span(),
                       {.workspace = small.span().region()});
    });
    EXPECT_TRUE(in.untouched() && out.untouched() && counts.untouched() && indices.untouched() &&
                arguments.untouched());
}

}  // namespace
}  // namespace upsweep::test
