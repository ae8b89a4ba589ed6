// Scans in one pass in OpenGL 4.3 and OpenGL ES 3.1, also where no work group gets an answer in time.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/gl_linked.hpp"
#include "support/gl_matrix_product.hpp"
#include "support/gl_runs.hpp"
#include "support/gl_scanner.hpp"
#include "support/monoids.hpp"
#include "support/run_checks.hpp"
#include "support/shader_sweep.hpp"

namespace upsweep::test {
namespace {

constexpr gl::executor_options look_back{.way = gl::sequence_way::look_back};
// The last tile first, and asked for once: who comes first has to compute everything.
constexpr gl::executor_options in_vain{
    .way = gl::sequence_way::look_back, .max_polls = 1, .last_tile_first = true};

class gl_look_back : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_look_back);

TEST_P(gl_look_back, sequences_and_segments) {
    gl::executor ex(at().loader(), look_back);
    gl_scanner scanner(GetParam(), ex);
    check_look_back(scanner, brief());
}

TEST_P(gl_look_back, totals_that_nobody_tells_are_computed) {
    gl::executor ex(at().loader(), in_vain);
    gl_scanner scanner(GetParam(), ex);
    check_look_back(scanner, brief());
}

// Dispatches of two tiles, of one; and of a length that only the device knows.
TEST_P(gl_look_back, windows) {
    gl::executor_options few_groups = look_back, small_bindings = in_vain, one = in_vain;
    few_groups.max_groups_x = 4;
    few_groups.max_groups_y = 5;
    small_bindings.max_binding_bytes = 2 * 4096 * 4 + 256;
    one.max_groups_x = one.max_groups_y = 1;
    for (const gl::executor_options& options : {few_groups, small_bindings, one}) {
        gl::executor ex(at().loader(), options);
        gl_scanner scanner(GetParam(), ex);
        check_sizes<float, plus>(scanner, 0.5f, {4096, 5 * 4096, 45 * 4096 + 7});
        EXPECT_GT(scanner.stages().size(), 3u);
        if (brief()) continue;
        if (options.max_binding_bytes != 0) continue;  // a reversed sequence of unknown length is bound whole
        scanner.settings.length_in_buffer = true;
        scanner.settings.surplus = 5 * 4096;
        check_sizes<float, plus>(scanner, 0.5f, {0, 1, 8191, 8192, 8193, 3 * 8192 + 7});
    }
}

// Of four words; it does not commute, and nothing is known about it.
TEST_P(gl_look_back, an_operator_of_the_callers) {
    if (es()) GTEST_SKIP() << "the text that OpenGL has; gl_executor_test gives ES operators of the users";
    using product = gl_pair<matrix, matrix_product>;
    gl::executor ex(at().loader(), in_vain);
    const gl::user_operator<matrix> text(ex, {.text = gl_matrix_product, .has_identity = false});
    gl_scanner scanner(GetParam(), ex);
    const matrix initial{{3, 1, 4, 1}};
    check_segments<matrix>(scanner, brief() ? 9001 : 140001, 2000, 5, initial,
                           product(matrix_product(), text));
    EXPECT_TRUE(ran(scanner.stages(), "look_back_scan"));
    unsigned turn = 0;
    std::vector<std::string> stages;
    const auto run = [&](const host_runs& asked, run_results& got) {
        return run_in_gl(GetParam(), ex, asked, turn++, got, stages, text.number());
    };
    check_every_call<matrix>(run, 9001, 7, text.operation(), std::optional<matrix>(initial),
                             matrix_product());
}

TEST_P(gl_look_back, totals_of_segments) {
    for (const gl::executor_options& options : {look_back, in_vain}) {
        gl::executor ex(at().loader(), options);
        const auto run = [&](const host_runs& asked, unsigned turn, run_results& got,
                             std::vector<std::string>& stages) {
            return run_in_gl(GetParam(), ex, asked, turn, got, stages);
        };
        check_look_back_totals(run, brief());
    }
}

// What is compiled ahead is all that calls need, of one tile and of more.
TEST_P(gl_look_back, compiles_nothing_later) {
    gl::executor ex = counting_executor(at(), look_back);
    gl::prepare<float>(ex);
    EXPECT_EQ(programs_linked, 3);
    gl::prepare_segmented_scan<float>(ex);
    EXPECT_EQ(programs_linked, 7);  // clear_counts is the same
    gl_scanner scanner(GetParam(), ex);
    check_sizes<float, plus>(scanner, 0.5f, {100, 9000});
    check_segments<float, plus>(scanner, 100, 30, 5, 0.3f);
    check_segments<float, plus>(scanner, 9000, 30, 5, 0.3f);
    EXPECT_EQ(programs_linked, 7);
    gl::prepare<float, plus, float16>(ex);  // elements that are converted: the stages that load them
    EXPECT_EQ(programs_linked, 9);
    check_sizes<float, plus, float16>(scanner, 0.5f, {100, 9000});
    EXPECT_EQ(programs_linked, 9);
}

}  // namespace
}  // namespace upsweep::test
