// Sorting segments in OpenGL, core and ES (support/shader_segmented_sorts.hpp), and what OpenGL's interface
// adds: the caller's workspace, programs made before, errors.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_linked.hpp"
#include "support/gl_memory.hpp"
#include "support/gl_sorter.hpp"
#include "support/refused.hpp"
#include "support/shader_segmented_sorts.hpp"
#include "support/sorted.hpp"
#include "upsweep/gl/segmented_sort.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(core43, shader_segmented_sort, gl_sorter<gl::api::desktop>);
INSTANTIATE_TYPED_TEST_SUITE_P(es31, shader_segmented_sort, gl_sorter<gl::api::es>);

class gl_segmented_sort : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_segmented_sort);

using words = std::vector<std::uint32_t>;

// A workspace of exactly as many bytes as are asked for; nothing is written around it.
TEST_P(gl_segmented_sort, workspace_of_the_callers) {
    using value = sort_record<3>;
    for (const std::size_t n : {1u, 300u, 9001u}) {
        const words x = keys_of<std::uint32_t>("few values", n, n);
        const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(n / 3),
                                                static_cast<std::int64_t>(n)};
        const auto order = sorted_indices(x, offsets, false);
        const auto y = numbered<value>(n);
        const words ends(offsets.begin(), offsets.end());
        const gl_memory<std::uint32_t> described(gl(), std::span<const std::uint32_t>(ends));
        const gl_memory<std::uint32_t> keys(gl(), std::span<const std::uint32_t>(x)), out(gl(), n);
        const gl_memory<value> values(gl(), std::span<const value>(y));
        const gl::by_offsets segments(described.span());
        const auto space = [&](std::uint64_t bytes) { return gl_memory<std::byte>(gl(), bytes); };
        const auto for_keys = space(gl::segmented_sort_workspace_bytes<std::uint32_t>(executor(), n));
        segmented_sort(executor(), segments, keys.span(), out.span(),
                       {.workspace = for_keys.span().region()});
        EXPECT_EQ(out.read(), taken(x, order));
        EXPECT_FALSE(for_keys.untouched());
        (void)for_keys.read();
        const auto for_indices =
            space(gl::segmented_sort_indices_workspace_bytes<std::uint32_t>(executor(), n));
        segmented_sort_indices(executor(), segments, keys.span(), out.span(),
                               {.workspace = for_indices.span().region()});
        EXPECT_EQ(out.read(), words(order.begin(), order.end()));
        (void)for_indices.read();
        const auto for_values =
            space(gl::segmented_sort_by_key_workspace_bytes<std::uint32_t, value>(executor(), n, true));
        const gl::sort_options options{.workspace = for_values.span().region()};
        segmented_sort_by_key(executor(), segments, keys.span(), values.span(), keys.span(), values.span(),
                              options);
        EXPECT_EQ(keys.read(), taken(x, order));
        EXPECT_TRUE(same_memory(values.read(), taken(y, order)));
        (void)for_values.read();
    }
}

// After prepare_segmented_sort no sort of segments of such keys compiles anything.
TEST_P(gl_segmented_sort, prepared) {
    gl::executor ex = counting_executor(at(), {});
    gl::prepare_segmented_sort<float>(ex);
    const int prepared = programs_linked;
    EXPECT_EQ(prepared, 5);
    const std::size_t n = 5000;
    const gl_memory<float> in(gl(), n), out(gl(), n);
    const gl_memory<sort_record<3>> values(gl(), n), moved(gl(), n);
    const gl_memory<std::uint32_t> flags(gl(), n), indices(gl(), n);
    segmented_sort(ex, gl::by_head_flags(flags.span()), in.span(), out.span(), {.descending = true});
    segmented_sort_indices(ex, gl::by_offsets(flags.span()), in.span(), indices.span());
    segmented_sort_by_key(ex, gl::by_keys(flags.span()), in.span(), values.span(), out.span(), moved.span());
    EXPECT_EQ(programs_linked, prepared);
    const gl_memory<double> wide(gl(), n);
    segmented_sort(ex, gl::by_keys(flags.span()), wide.span(), wide.span());
    EXPECT_EQ(programs_linked, prepared + 2);
}

TEST_P(gl_segmented_sort, errors) {
    gl::executor& ex = executor();
    const gl_memory<std::uint32_t> in(gl(), 100), out(gl(), 100), values(gl(), 100), moved(gl(), 100);
    const gl_memory<std::uint32_t> marks(gl(), 101);
    const auto part = [](const gl_memory<std::uint32_t>& of, std::uint64_t first, std::uint64_t count) {
        return of.span().part(first, count);
    };
    const gl::by_head_flags flags(part(marks, 0, 100));
    const gl::by_offsets offsets(marks.span());
    const auto k = in.span(), o = out.span(), v = values.span(), m = moved.span();
    const auto refused = [&](const char* beginning, auto segments, auto from, auto to,
                             const gl::sort_options& options = {}) {
        expect_refused(beginning, [&] { segmented_sort(ex, segments, from, to, options); });
    };
    refused("out: expected 100 elements, as many as in, but it has 99", flags, k, part(out, 0, 99));
    refused("segments: expected 100 head flags", gl::by_head_flags(part(marks, 0, 99)), k, o);
    refused("segments: expected 100 keys", gl::by_keys(marks.span()), k, o);
    refused("segments: expected at least one offset", gl::by_offsets(part(marks, 0, 0)), k, o);
    refused("out: expected it to be disjoint from segments", flags, k, part(marks, 0, 100));
    refused("options.length: expected none with offsets", offsets, k, o, {.length = part(moved, 0, 1)});
    refused("options.workspace: expected it to be disjoint from segments", flags, k, o,
            {.workspace = marks.span().region()});
    refused("options.workspace: expected at least", flags, k, o, {.workspace = part(moved, 0, 1).region()});
    refused("segments: expected a buffer object", gl::by_offsets(gl::buffer_span<std::uint32_t>{0, 3, 0}), k,
            o);
    refused("segments: expected an offset",
            gl::by_keys(gl::buffer_span<std::uint64_t>{marks.name(), 50, 516}), part(in, 0, 50),
            part(out, 0, 50));
    expect_refused("out: expected it to be disjoint from in",
                   [&] { segmented_sort_indices(ex, flags, k, k); });
    expect_refused("values_out: expected it to be disjoint from segments",
                   [&] { segmented_sort_by_key(ex, flags, k, v, o, part(marks, 0, 100)); });
    expect_refused("values: expected 100 elements",
                   [&] { segmented_sort_by_key(ex, flags, k, part(values, 0, 9), o, m); });
    EXPECT_TRUE(in.untouched() && out.untouched() && values.untouched() && moved.untouched());
    // Nothing to do.
    segmented_sort(ex, gl::by_head_flags(part(marks, 0, 0)), part(in, 0, 0), part(out, 0, 0));
}

}  // namespace
}  // namespace upsweep::test
