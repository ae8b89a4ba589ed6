// Sorting in OpenGL, core and ES (support/shader_sorts.hpp), and what OpenGL's interface adds: the caller's
// workspace, the count of a compaction as the length, errors.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_linked.hpp"
#include "support/gl_memory.hpp"
#include "support/gl_sorter.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/shader_sorts.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/sort.hpp"

namespace upsweep::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(core43, shader_sort, gl_sorter<gl::api::desktop>);
INSTANTIATE_TYPED_TEST_SUITE_P(es31, shader_sort, gl_sorter<gl::api::es>);

class gl_sort : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_sort);

using words = std::vector<std::uint32_t>;

// A workspace of exactly as many bytes as are asked for; nothing is written around it.
TEST_P(gl_sort, workspace_of_the_callers) {
    using value = sort_record<3>;
    gl::executor ex(at().loader(), {.merged_keys = 5000});
    for (const std::size_t n : {1u, 300u, 5000u, 9001u}) {
        const words x = keys_of<std::uint32_t>("few values", n, n);
        const auto order = sorted_indices(x, false);
        const auto y = numbered<value>(n);
        const gl_memory<std::uint32_t> keys(gl(), std::span<const std::uint32_t>(x)), out(gl(), n);
        const gl_memory<value> values(gl(), std::span<const value>(y));
        const auto space = [&](std::uint64_t bytes) {
            EXPECT_EQ(512 % ex.workspace_alignment(), 0u);  // where gl_memory begins
            return gl_memory<std::byte>(gl(), bytes);
        };
        const auto for_keys = space(gl::sort_workspace_bytes<std::uint32_t>(ex, n));
        sort(ex, keys.span(), out.span(), {.workspace = for_keys.span().region()});
        EXPECT_EQ(out.read(), taken(x, order));
        EXPECT_FALSE(for_keys.untouched());
        (void)for_keys.read();
        const auto for_indices = space(gl::sort_indices_workspace_bytes<std::uint32_t>(ex, n));
        sort_indices(ex, keys.span(), out.span(), {.workspace = for_indices.span().region()});
        EXPECT_EQ(out.read(), words(order.begin(), order.end()));
        (void)for_indices.read();
        const auto for_values = space(gl::sort_by_key_workspace_bytes<std::uint32_t, value>(ex, n, true));
        const gl::sort_options options{.workspace = for_values.span().region()};
        sort_by_key(ex, keys.span(), values.span(), out.span(), values.span(), options);
        EXPECT_EQ(out.read(), taken(x, order));
        EXPECT_TRUE(same_memory(values.read(), taken(y, order)));
        (void)for_values.read();
    }
}

// Compact, then sort what was kept, without a look at how many.
TEST_P(gl_sort, the_length_of_a_compaction) {
    const std::size_t n = 10000;
    const auto x = keys_of<std::uint32_t>("any bits", n, 1);
    words flags(n), kept;
    random_bits random(2);
    for (std::size_t i = 0; i < n; ++i) {
        flags[i] = static_cast<std::uint32_t>(random.below(3));
        if (flags[i] != 0) kept.push_back(x[i]);
    }
    const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(x)), packed(gl(), n);
    const gl_memory<std::uint32_t> chosen(gl(), std::span<const std::uint32_t>(flags));
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    words expected = packed.read();
    compact(executor(), chosen.span(), in.span(), packed.span(), arguments.span());
    sort(executor(), packed.span(), packed.span(), {.length = gl::count_at(arguments.span())});
    std::sort(kept.begin(), kept.end());
    std::copy(kept.begin(), kept.end(), expected.begin());
    EXPECT_EQ(packed.read(), expected);
}

// After prepare_sort no sort of such keys compiles anything.
TEST_P(gl_sort, prepared) {
    gl::executor ex =
        counting_executor(at(), {.way = gl::sequence_way::reduce_then_scan, .merged_keys = 5000});
    gl::prepare_sort<float>(ex);
    const int prepared = programs_linked;
    EXPECT_EQ(prepared, 9);
    const std::size_t n = 70'000;  // a scan of counts in more than one stage
    const gl_memory<float> in(gl(), n), out(gl(), n);
    const gl_memory<sort_record<3>> values(gl(), n), moved(gl(), n);
    const gl_memory<std::uint32_t> indices(gl(), n);
    sort(ex, in.span(), out.span(), {.descending = true});
    sort_indices(ex, in.span(), indices.span());
    sort_by_key(ex, in.span(), values.span(), out.span(), moved.span());
    const gl_memory<std::int32_t> others(gl(), 5000);  // merged, in more than one tile
    sort(ex, others.span(), others.span());
    EXPECT_EQ(programs_linked, prepared);
    gl::prepare_sort<double>(ex);
    EXPECT_EQ(programs_linked, prepared + 4);
}

TEST_P(gl_sort, errors) {
    gl::executor& ex = executor();
    const gl_memory<std::uint32_t> in(gl(), 100), out(gl(), 100), values(gl(), 100), moved(gl(), 100);
    const gl_memory<double> wide(gl(), 50);
    const auto part = [](const gl_memory<std::uint32_t>& of, std::uint64_t first, std::uint64_t count) {
        return of.span().part(first, count);
    };
    const auto by_key = [&](auto keys, auto with, auto to, auto with_to) {
        return [=, &ex] { sort_by_key(ex, keys, with, to, with_to); };
    };
    const auto k = in.span(), o = out.span(), v = values.span(), m = moved.span();
    expect_refused("out: expected 100 elements, as many as in, but it has 99",
                   [&] { sort(ex, k, part(out, 0, 99)); });
    expect_refused("out: expected it to be disjoint from in",
                   [&] { sort(ex, part(in, 0, 99), part(in, 1, 99)); });
    expect_refused("out: expected it to be disjoint from in", [&] { sort_indices(ex, k, k); });
    expect_refused("out: expected 50 elements", [&] { sort_indices(ex, wide.span(), o); });
    expect_refused("values: expected 100 elements, as many as keys", by_key(k, part(values, 0, 99), o, m));
    expect_refused("values_out: expected 100 elements", by_key(k, v, o, part(moved, 0, 99)));
    expect_refused("keys_out: expected it to be disjoint from values", by_key(k, v, v, m));
    expect_refused("values_out: expected it to be disjoint from keys", by_key(k, v, o, k));
    expect_refused("values_out: expected it to be disjoint from keys_out", by_key(k, v, o, o));
    expect_refused("keys_out: expected it to be disjoint from keys",
                   by_key(part(in, 0, 50), part(values, 0, 50), part(in, 49, 50), part(moved, 0, 50)));
    expect_refused("out: expected it to be disjoint from options.length",
                   [&] { sort(ex, k, o, {.length = part(out, 99, 1)}); });
    expect_refused("options.workspace: expected it to be disjoint from in",
                   [&] { sort(ex, k, o, {.workspace = k.region()}); });
    expect_refused("options.workspace: expected at least",
                   [&] { sort(ex, k, o, {.workspace = part(moved, 0, 4).region()}); });
    expect_refused("in: expected an offset that is a multiple of 8 bytes", [&] {
        sort(ex, gl::buffer_span<double>{in.name(), 10, 516}, wide.span().part(0, 10));
    });
    expect_refused("in: expected a buffer object", [&] {
        sort(ex, gl::buffer_span<std::uint32_t>{0, 100, 0}, o);
    });
    expect_refused("out: expected to end within buffer", [&] {
        sort(ex, k, gl::buffer_span<std::uint32_t>{out.name(), 100, 4096});
    });
    const gl::buffer_span<std::uint32_t> huge{in.name(), std::uint64_t{1} << 62, 0};
    expect_refused("in: expected fewer than 2^62 bytes", [&] { sort(ex, huge, huge); });
    EXPECT_TRUE(in.untouched() && out.untouched() && values.untouched() && moved.untouched());
}

}  // namespace
}  // namespace upsweep::test
