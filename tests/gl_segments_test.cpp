// Segmented scans as a caller in OpenGL 4.3 and OpenGL ES 3.1 sees them: operators as text, errors,
// workspaces, limits. The CPU's tests of segments run in gl_scan_test (shader/segmented_scan_test.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/gl_matrix_product.hpp"
#include "support/gl_scanner.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "support/segment_scans.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/reduce.hpp"
#include "upsweep/gl/segmented_reduce.hpp"

namespace upsweep::test {
namespace {

class gl_segments : public gl_test {
  protected:
    gl_scanner scanner() const { return {GetParam(), executor()}; }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_segments);

TEST_P(gl_segments, flags_offsets_and_keys) {
    const std::array<std::uint32_t, 6> x{1, 2, 3, 4, 5, 6}, flags{0, 0, 1, 0, 0, 9};
    const std::array<std::uint32_t, 5> offsets{0, 2, 2, 5, 6};
    const std::array<float, 6> keys{1.5f, 1.5f, 2, 2, 2, 1.5f};
    const gl_memory<std::uint32_t> in(gl(), std::span(x)), head_flags(gl(), std::span(flags), 1),
        bounds(gl(), std::span(offsets), 3), out(gl(), 6);
    const gl_memory<float> float_keys(gl(), std::span(keys), 1);
    inclusive_segmented_scan(executor(), gl::by_head_flags(head_flags.span()), in.span(), out.span());
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{1, 3, 3, 7, 12, 6}));
    exclusive_segmented_scan(executor(), gl::by_offsets(bounds.span()), in.span(), out.span(), plus{},
                             {.initial = 10});
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{10, 11, 10, 13, 17, 10}));
    inclusive_scan_by_key(executor(), float_keys.span(), in.span(), out.span(), plus{}, {.reverse = true});
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{3, 2, 12, 9, 5, 6}));
    exclusive_scan_by_key(executor(), float_keys.span(), in.span(), in.span());
    EXPECT_EQ(in.read(), (std::vector<std::uint32_t>{0, 1, 0, 3, 7, 0}));
}

// Elements of fewer bytes than results, as their callers name what they become.
TEST_P(gl_segments, bytes_become_words) {
    if (brief()) GTEST_SKIP() << "texts that gl_scan_test has in every context";
    const std::array<std::uint8_t, 6> x{200, 100, 3, 4, 250, 6};
    const std::array<std::uint32_t, 6> flags{0, 0, 1, 0, 0, 9};
    const std::array<std::uint32_t, 5> offsets{0, 2, 2, 5, 6};
    const gl_memory<std::uint8_t> in(gl(), std::span(x), 3);
    const gl_memory<std::uint32_t> head_flags(gl(), std::span(flags), 1), bounds(gl(), std::span(offsets), 3),
        out(gl(), 6);
    inclusive_segmented_scan<std::uint32_t>(executor(), gl::by_head_flags(head_flags.span()), in.span(),
                                            out.span());
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{200, 300, 3, 7, 257, 6}));
    exclusive_scan_by_key<std::uint32_t>(executor(), head_flags.span(), in.span(), out.span());
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{0, 200, 0, 0, 4, 0}));
    segmented_reduce<std::uint32_t>(executor(), gl::by_offsets(bounds.span()), in.span(),
                                    out.span().part(0, 4));
    reduce<std::uint32_t>(executor(), in.span(), out.span().part(4, 1));
    EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{300, 0, 257, 6, 563, 0}));
}

// Few groups, and bindings that hold little more than a tile: windows of heads, of what describes them, of
// elements.
TEST_P(gl_segments, small_limits) {
    gl::executor few_groups(at().loader(), {.max_groups_x = 3, .max_groups_y = 2});
    gl::executor small_bindings(at().loader(), {.max_binding_bytes = 70000});
    unsigned turn = 0;
    for (gl::executor* limited : {&few_groups, &small_bindings}) {
        gl_scanner scans(GetParam(), *limited);
        for (const std::size_t n : {std::size_t{3}, std::size_t{8193}, repetitions(70001, 30001)}) {
            for (int k = 0; k < (brief() ? 2 : 5); ++k, ++turn)
                check_segments<float, plus>(scans, n, turn % 2 == 0 ? 30 : 20000, turn * 5 % 16, 0.3f);
        }
        EXPECT_GT(scans.stages().size(), 5u);
    }
}

// Of four words; it does not commute, and nothing is known about it.
TEST_P(gl_segments, an_operator_of_the_callers) {
    if (es()) GTEST_SKIP() << "the text that OpenGL has; gl_executor_test gives ES operators of the users";
    const gl::user_operator<matrix> text(executor(), {.text = gl_matrix_product, .has_identity = false});
    using product = gl_pair<matrix, matrix_product>;
    const product op(matrix_product(), text);
    gl_scanner scans = scanner();
    for (unsigned mode = 0; mode < 16; mode += brief() ? 3 : 1) {
        const std::size_t sizes[] = {5, 300, 4099, 9001};
        check_segments<matrix>(scans, sizes[mode % 4], mode % 3 == 0 ? 7 : 2000, mode, matrix{{3, 1, 4, 1}},
                               op);
    }
    if (!brief()) check_segments<matrix>(scans, 140001, 40000, 0, matrix{{3, 1, 4, 1}}, op);
}

TEST_P(gl_segments, what_is_wrong_is_said) {
    const gl_memory<float> in(gl(), 60), out(gl(), 60);
    const gl_memory<std::uint32_t> words(gl(), 60);
    const gl::by_head_flags flags(words.span());
    gl::executor& ex = executor();
    expect_refused("segments: expected 60 head flags, one an element, but there are 59", [&] {
        inclusive_segmented_scan(ex, gl::by_head_flags(words.span().part(0, 59)), in.span(), out.span());
    });
    expect_refused("segments: expected 60 keys, one an element, but there are 30", [&] {
        inclusive_scan_by_key(ex, gl::buffer_span<std::uint64_t>{words.name(), 30, words.span().offset},
                              in.span(), out.span());
    });
    expect_refused("segments: expected at least one offset", [&] {
        inclusive_segmented_scan(ex, gl::by_offsets(words.span().part(0, 0)), in.span(), out.span());
    });
    expect_refused("segments: expected to end within buffer", [&] {
        inclusive_segmented_scan(ex, gl::by_offsets(gl::buffer_span<std::uint32_t>{words.name(), 2000, 0}),
                                 in.span(), out.span());
    });
    expect_refused("segments: expected an offset that is a multiple of 4 bytes", [&] {
        inclusive_segmented_scan(ex, gl::by_offsets(gl::buffer_span<std::uint32_t>{words.name(), 4, 2}),
                                 in.span(), out.span());
    });
    expect_refused("out: expected 60 elements, as many as in, but it has 59",
                   [&] { inclusive_segmented_scan(ex, flags, in.span(), out.span().part(0, 59)); });
    expect_refused("out: expected it to be disjoint from in", [&] {
        inclusive_segmented_scan(ex, gl::by_head_flags(words.span().part(0, 59)), in.span().part(0, 59),
                                 in.span().part(1, 59));
    });
    expect_refused("out: expected it to be disjoint from segments", [&] {
        inclusive_segmented_scan(ex, flags, in.span(),
                                 gl::buffer_span<float>{words.name(), 60, words.span().offset});
    });
    expect_refused("options.workspace: expected at least", [&] {
        const gl_memory<std::uint32_t> small(gl(), 1);
        inclusive_segmented_scan(ex, flags, in.span(), out.span(), plus{},
                                 {.workspace = small.span().region()});
    });
    EXPECT_TRUE(in.untouched() && out.untouched() && words.untouched());
    // Nothing to do.
    inclusive_segmented_scan(ex, gl::by_head_flags(words.span().part(0, 0)), in.span().part(0, 0),
                             out.span().part(0, 0));
    EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace upsweep::test
