// The first k of an order in OpenGL, core and ES (support/shader_top_k.hpp), and what OpenGL's interface
// adds: the caller's workspace, the count of a compaction as the length, errors. What is counted is seen
// here, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "shader/stages.hpp"
#include "support/gl_context.hpp"
#include "support/gl_linked.hpp"
#include "support/gl_memory.hpp"
#include "support/gl_test_device.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/shader_top_k.hpp"
#include "upsweep/gl/compact.hpp"
#include "upsweep/gl/top_k.hpp"

namespace upsweep::test {
namespace {

template <gl::api Kind>
class gl_chooser : public gl_test_device {
  public:
    static constexpr bool brief = Kind == gl::api::es;  // whose texts differ in their first lines

    explicit gl_chooser(const sort_limits& limits) : gl_test_device(Kind, limits) {}

    template <class Key>
    void top_k(const memory<Key>& in, const memory<Key>& out, bool smallest,
               const memory<std::uint32_t>* length) {
        upsweep::top_k(begin(), in.span(), out.span(), options(smallest, length));
    }
    template <class Key>
    void top_k_indices(const memory<Key>& in, const memory<std::uint32_t>& out, bool smallest,
                       const memory<std::uint32_t>* length) {
        upsweep::top_k_indices(begin(), in.span(), out.span(), options(smallest, length));
    }
    template <class Key>
    void top_k_rows(std::size_t rows, const memory<Key>& in, const memory<Key>& out, bool smallest,
                    const memory<std::uint32_t>* length) {
        upsweep::top_k_rows(begin(), rows, in.span(), out.span(), options(smallest, length));
    }
    template <class Key>
    void top_k_row_indices(std::size_t rows, const memory<Key>& in, const memory<std::uint32_t>& out,
                           bool smallest, const memory<std::uint32_t>* length) {
        upsweep::top_k_row_indices(begin(), rows, in.span(), out.span(), options(smallest, length));
    }
    template <class Key, class Value>
    void top_k_by_key(const memory<Key>& keys, const memory<Value>& values, const memory<Key>& keys_out,
                      const memory<Value>& values_out, bool smallest, const memory<std::uint32_t>* length) {
        upsweep::top_k_by_key(begin(), keys.span(), values.span(), keys_out.span(), values_out.span(),
                              options(smallest, length));
    }

  private:
    static gl::top_k_options options(bool smallest, const memory<std::uint32_t>* length) {
        return with_length(gl::top_k_options{.smallest = smallest}, length);
    }
};
INSTANTIATE_TYPED_TEST_SUITE_P(core43, shader_top_k, gl_chooser<gl::api::desktop>);
INSTANTIATE_TYPED_TEST_SUITE_P(es31, shader_top_k, gl_chooser<gl::api::es>);

class gl_top_k : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_top_k);

using words = std::vector<std::uint32_t>;

// A workspace of exactly as many bytes as are asked for; nothing is written around it.
TEST_P(gl_top_k, workspace_of_the_callers) {
    using value = sort_record<3>;
    struct shape {
        std::size_t n, k;
    };
    // Sorted, selected from by all work groups, with few candidates and with many.
    for (const auto& [n, k] : {shape{9'001, 3'000}, shape{150'001, 1'000}, shape{70'001, 6'000}}) {
        const words x = keys_of<std::uint32_t>("few values", n, n);
        std::vector<std::size_t> order = sorted_indices(x, true);
        order.resize(k);
        const auto y = numbered<value>(n);
        const gl_memory<std::uint32_t> keys(gl(), std::span<const std::uint32_t>(x)), out(gl(), k);
        const gl_memory<value> values(gl(), std::span<const value>(y)), values_out(gl(), k);
        const auto within = [&](std::uint64_t bytes,
                                const std::function<void(const gl::top_k_options&)>& call) {
            EXPECT_EQ(512 % executor().workspace_alignment(), 0u);  // where gl_memory begins
            const gl_memory<std::byte> space(gl(), bytes);
            call({.workspace = space.span().region()});
            EXPECT_FALSE(space.untouched());
            (void)space.read();
        };
        within(gl::top_k_workspace_bytes<std::uint32_t>(executor(), n, k),
               [&](const auto& options) { top_k(executor(), keys.span(), out.span(), options); });
        EXPECT_EQ(out.read(), taken(x, order));
        within(gl::top_k_indices_workspace_bytes<std::uint32_t>(executor(), n, k),
               [&](const auto& options) { top_k_indices(executor(), keys.span(), out.span(), options); });
        EXPECT_EQ(out.read(), words(order.begin(), order.end()));
        within(gl::top_k_by_key_workspace_bytes<std::uint32_t, value>(executor(), n, k),
               [&](const auto& options) {
                   top_k_by_key(executor(), keys.span(), values.span(), out.span(), values_out.span(),
                                options);
               });
        EXPECT_EQ(out.read(), taken(x, order));
        EXPECT_TRUE(same_memory(values_out.read(), taken(y, order)));
    }
}

// Compact, then the greatest of what was kept, without a look at how many.
TEST_P(gl_top_k, the_length_of_a_compaction) {
    const std::size_t n = 80'000, k = 200;
    const auto x = keys_of<std::uint32_t>("any bits", n, 1);
    words flags(n), kept;
    random_bits random(2);
    for (std::size_t i = 0; i < n; ++i) {
        flags[i] = static_cast<std::uint32_t>(random.below(3));
        if (flags[i] != 0) kept.push_back(x[i]);
    }
    const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(x)), packed(gl(), n), out(gl(), k);
    const gl_memory<std::uint32_t> chosen(gl(), std::span<const std::uint32_t>(flags));
    const gl_memory<gl::indirect_arguments> arguments(gl(), 1);
    compact(executor(), chosen.span(), in.span(), packed.span(), arguments.span());
    top_k(executor(), packed.span(), out.span(), {.length = gl::count_at(arguments.span())});
    std::sort(kept.begin(), kept.end(), std::greater<>());
    kept.resize(k);
    EXPECT_EQ(out.read(), kept);
}

// Of random numbers one digit tells enough, and nothing is counted after it; of equal ones only their indices
// do. Each pass has noted whether all was settled in front of it.
TEST_P(gl_top_k, passes_that_are_left_over) {
    const std::size_t n = 70'001, k = 1'000, passes = 5;
    for (const std::string_view kind : {"any bits", "equal"}) {
        const auto x = keys_of<std::uint32_t>(kind, n, 1);
        const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(x)), out(gl(), k);
        const std::uint64_t bytes = gl::top_k_indices_workspace_bytes<std::uint32_t>(executor(), n, k);
        const gl_memory<std::uint32_t> space(gl(), bytes / 4);
        top_k_indices(executor(), in.span(), out.span(), {.workspace = space.span().region()});
        const words left = space.read();
        for (std::size_t pass = 0; pass < passes; ++pass) {
            const std::size_t begin = pass * UPSWEEP_SELECTION_WORDS;
            const bool settled = kind == "any bits" && pass != 0;
            EXPECT_EQ(left[begin], settled ? 1u : 0u) << kind << ", pass " << pass;
            const auto counts = left.begin() + static_cast<std::ptrdiff_t>(begin + UPSWEEP_SELECTION_COUNTS);
            const std::uint32_t counted = std::accumulate(counts, counts + UPSWEEP_MOST_BINS, 0u);
            EXPECT_EQ(counted, settled ? 0u : n) << kind << ", pass " << pass;
        }
    }
}

// After prepare_top_k none for such keys compiles anything.
TEST_P(gl_top_k, prepared) {
    gl::executor ex = counting_executor(at(), {.way = gl::sequence_way::reduce_then_scan});
    gl::prepare_top_k<float>(ex);
    const int prepared = programs_linked;
    EXPECT_EQ(prepared, 14);
    for (const std::size_t n : {std::size_t{100}, std::size_t{9'000}, std::size_t{70'000}}) {
        const std::size_t k = n / 7;
        const gl_memory<float> in(gl(), n), out(gl(), k);
        const gl_memory<sort_record<3>> values(gl(), n), moved(gl(), k);
        const gl_memory<std::uint32_t> indices(gl(), k);
        top_k(ex, in.span(), out.span(), {.smallest = true});
        top_k_indices(ex, in.span(), indices.span());
        top_k_by_key(ex, in.span(), values.span(), out.span(), moved.span());
    }
    EXPECT_EQ(programs_linked, prepared);
}

TEST_P(gl_top_k, errors) {
    gl::executor& ex = executor();
    const gl_memory<std::uint32_t> in(gl(), 100), out(gl(), 101), values(gl(), 100), moved(gl(), 100);
    const gl_memory<double> wide(gl(), 50);
    const auto part = [](const gl_memory<std::uint32_t>& of, std::uint64_t first, std::uint64_t count) {
        return of.span().part(first, count);
    };
    const auto by_key = [&](auto keys, auto with, auto to, auto with_to) {
        return [=, &ex] { top_k_by_key(ex, keys, with, to, with_to); };
    };
    const auto i = in.span(), v = values.span(), o = part(out, 0, 10), m = part(moved, 0, 10);
    expect_refused("out: expected at most 100 elements, as many as in, but it has 101",
                   [&] { top_k(ex, i, out.span()); });
    expect_refused("out: expected at most 50 elements, as many as in",
                   [&] { top_k_indices(ex, wide.span(), part(out, 0, 51)); });
    expect_refused("keys_out: expected at most 100 elements, as many as keys",
                   by_key(i, v, out.span(), out.span()));
    expect_refused("values: expected 100 elements, as many as keys", by_key(i, part(values, 0, 99), o, m));
    expect_refused("values_out: expected 10 elements, as many as keys_out, but it has 9",
                   by_key(i, v, o, part(moved, 0, 9)));
    expect_refused("out: expected it to be disjoint from in", [&] { top_k(ex, i, part(in, 0, 10)); });
    expect_refused("out: expected it to be disjoint from in", [&] { top_k_indices(ex, i, part(in, 99, 1)); });
    expect_refused("keys_out: expected it to be disjoint from values", by_key(i, v, part(values, 5, 10), m));
    expect_refused("values_out: expected it to be disjoint from keys", by_key(i, v, o, part(in, 0, 10)));
    expect_refused("values_out: expected it to be disjoint from values",
                   by_key(i, v, o, part(values, 0, 10)));
    expect_refused("values_out: expected it to be disjoint from keys_out", by_key(i, v, o, o));
    expect_refused("out: expected it to be disjoint from options.length",
                   [&] { top_k(ex, i, o, {.length = part(out, 9, 1)}); });
    expect_refused("options.workspace: expected it to be disjoint from in",
                   [&] { top_k(ex, i, o, {.workspace = i.region()}); });
    expect_refused("options.workspace: expected at least",
                   [&] { top_k_by_key(ex, i, v, o, m, {.workspace = part(out, 64, 1).region()}); });
    expect_refused("in: expected 3 rows of equal lengths, but it has 100 elements",
                   [&] { top_k_rows(ex, 3, i, part(out, 0, 9)); });
    expect_refused("out: expected 10 rows of equal lengths, but it has 9 elements",
                   [&] { top_k_row_indices(ex, 10, i, part(out, 0, 9)); });
    expect_refused("out: expected rows of at most 50 elements", [&] {
        top_k_rows(ex, 1, wide.span(), gl::buffer_span<double>{out.name(), 51, 512});
    });
    expect_refused("in: expected an offset that is a multiple of 8 bytes", [&] {
        top_k(ex, gl::buffer_span<double>{in.name(), 10, 516}, wide.span().part(0, 10));
    });
    expect_refused("in: expected a buffer object", [&] {
        top_k(ex, gl::buffer_span<std::uint32_t>{0, 100, 0}, o);
    });
    expect_refused("out: expected to end within buffer", [&] {
        top_k(ex, i, gl::buffer_span<std::uint32_t>{out.name(), 10, 4096});
    });
    const gl::buffer_span<std::uint32_t> huge{in.name(), std::uint64_t{1} << 62, 0};
    expect_refused("in: expected fewer than 2^62 bytes", [&] { top_k(ex, huge, o); });
    EXPECT_TRUE(in.untouched() && out.untouched() && values.untouched() && moved.untouched());
}

}  // namespace
}  // namespace upsweep::test
