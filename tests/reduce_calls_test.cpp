// Totals of segments and runs of equal neighbours on the CPU: elements that own memory, operators that throw,
// and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "support/refused.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {
namespace {

struct append {
    std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};

TEST(reduce_calls, elements_that_own_memory) {
    cpu::executor ex(2);
    const std::vector<std::string> keys{"a", "a", "b", "b", "b", "a"}, x{"p", "q", "r", "s", "t", "u"};
    std::vector<std::string> of(3), out(3);
    EXPECT_EQ(reduce_by_key(ex, keys, x, of, out, append{}), 3u);
    EXPECT_EQ(of, (std::vector<std::string>{"a", "b", "a"}));
    EXPECT_EQ(out, (std::vector<std::string>{"pq", "rst", "u"}));
    EXPECT_EQ(unique(ex, keys, out), 3u);
    EXPECT_EQ(out, of);
    std::vector<std::uint16_t> lengths(3);
    EXPECT_EQ(run_length_encode(ex, keys, of, lengths), 3u);
    EXPECT_EQ(lengths, (std::vector<std::uint16_t>{2, 3, 1}));
    EXPECT_EQ(unique_by_key(ex, keys, x, of, out), 3u);
    EXPECT_EQ(out, (std::vector<std::string>{"p", "r", "u"}));
    // Offsets leave no segment empty here, so that an operator without an identity will do.
    EXPECT_EQ(segmented_reduce(ex, by_offsets(std::vector{0, 4, 6}), x, std::span(out).first(2), append{}),
              2u);
    EXPECT_EQ(out, (std::vector<std::string>{"pqrs", "tu", "u"}));
}

// No kernel packs results of more than 8 bytes.
TEST(reduce_calls, results_that_are_wide) {
    const std::vector<int> keys{0, 0, 1, 1, 1, 2};
    const std::vector<long double> x{1, 2, 3, 5, 4, 0.5L};
    cpu::executor ex(2);
    std::vector<int> of(3);
    std::vector<long double> out(3);
    EXPECT_EQ(segmented_reduce(ex, by_keys(keys), x, out, maximum{}), 3u);
    EXPECT_EQ(out, (std::vector<long double>{2, 5, 0.5L}));
    EXPECT_EQ(reduce_by_key(ex, keys, x, of, out, minimum{}), 3u);
    EXPECT_EQ(out, (std::vector<long double>{1, 3, 0.5L}));
    EXPECT_EQ(segmented_reduce(ex, by_offsets(std::vector{0, 1, 3, 6}), x, out, maximum{}), 3u);
    EXPECT_EQ(out, (std::vector<long double>{1, 3, 5}));
}

TEST(reduce_calls, what_the_operator_throws_passes_through) {
    cpu::executor ex(3);
    const std::size_t n = 400'000;
    std::vector<int> keys(n), x(n, 1), of(n), out(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i / 10);
    x[n / 2] = -1;
    const auto add = [](int a, int b) {
        if (a < 0 || b < 0) throw std::range_error("negative");
        return a + b;
    };
    EXPECT_THROW(reduce_by_key(ex, keys, x, of, out, add), std::range_error);
    x[n / 2] = 1;
    EXPECT_EQ(reduce_by_key(ex, keys, x, of, out, add), n / 10);
    EXPECT_EQ(out[n / 10 - 1], 10);
}

TEST(reduce_calls, refuses) {
    cpu::executor ex(2);
    const std::vector<float> x(6, 1.0f);
    const std::vector<std::int32_t> keys(6), few(5), offsets{0, 3, 3, 6};
    guarded<float> out(6), three(3);
    guarded<std::int32_t> of(6);
    guarded<std::int8_t> narrow(200);
    const auto first = [](float a, float) { return a; };
    expect_refused("keys: ", [&] { reduce_by_key(ex, few, x, of.span(), out.span()); });
    expect_refused("keys: ", [&] { unique_by_key(ex, few, x, of.span(), out.span()); });
    expect_refused("segments: ", [&] { segmented_reduce(ex, by_keys(few), x, out.span()); });
    expect_refused("segments: ", [&] { segmented_reduce(ex, by_offsets(few), x, out.span()); });
    expect_refused("out: expected 3", [&] { segmented_reduce(ex, by_offsets(offsets), x, out.span()); });
    expect_refused("options.initial: segment 1 is empty",
                   [&] { segmented_reduce(ex, by_offsets(offsets), x, three.span(), first); });
    expect_refused("lengths: overlaps out", [&] { run_length_encode(ex, keys, of.span(), of.span()); });
    expect_refused("lengths: 200", [&] {
        guarded<std::uint8_t> many(200), kept(200);
        run_length_encode(ex, many.span(), kept.span(), narrow.span());
    });
    EXPECT_TRUE(out.untouched() && three.untouched() && of.untouched() && narrow.untouched());
    std::vector<float> memory(9);
    const auto front = std::span(memory).first(6), back = std::span(memory).last(6);
    expect_refused("out: overlaps in", [&] { unique(ex, front, back); });
    expect_refused("out: overlaps in", [&] { segmented_reduce(ex, by_keys(keys), front, front); });
    expect_refused("keys_out: overlaps keys", [&] { reduce_by_key(ex, front, x, back, out.span()); });
    expect_refused("out: overlaps keys_out", [&] { reduce_by_key(ex, keys, x, front, back); });
}

}  // namespace
}  // namespace upsweep::test
