// Bin extraction on the CPU: elements that own memory, exceptions, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/bins.hpp"

namespace upsweep::test {
namespace {

TEST(bins_calls, elements_that_own_memory) {
    const std::size_t n = repetitions(60'000, 20'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::to_string(i) + " of many strings";
    const auto key = [](const std::string& s) { return s[0] - '1'; };
    std::vector<std::string> expected;
    std::vector<std::uint64_t> offsets{0};
    for (int bin = 0; bin < 9; ++bin) {
        for (const std::string& s : x)
            if (key(s) == bin) expected.push_back(s);
        offsets.push_back(expected.size());
    }
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        std::vector<std::string> out(n, "untouched");
        std::vector<std::uint64_t> begins(10);
        EXPECT_EQ(bins_by(*backend.executor, x, out, begins, key), expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
        EXPECT_EQ(out.back(), "untouched");
        EXPECT_EQ(begins, offsets);
        const auto throws = [&](const std::string& s) {
            if (s[0] == '5') throw std::runtime_error("five");
            return 0;
        };
        EXPECT_THROW(bins_by(*backend.executor, x, out, begins, throws), std::runtime_error);
    });
}

TEST(bins_calls, refuses) {
    cpu::executor one(1);
    std::vector<float> x{0.25f, 0.5f, 1}, out(3, 9);
    std::vector<std::uint64_t> offsets(5, 7);
    const bin_range<float> range{0, 1, 4};
    expect_refused("range: expected lo < hi, but lo is 1 and hi is 0", [&] {
        bins(one, x, out, offsets, {1, 0, 4});
    });
    expect_refused("offsets: expected 4 elements for these bins, but it has 5", [&] {
        bins(one, x, out, offsets, {0, 1, 3});
    });
    expect_refused("out: overlaps in", [&] { bins(one, x, x, offsets, range); });
    expect_refused("out: overlaps in",
                   [&] { bins(one, std::span(x).first(2), std::span(x).last(2), offsets, range); });
    std::vector<std::uint64_t> words{1, 2, 3, 4, 5};
    expect_refused("out: overlaps offsets", [&] { bins(one, x, words, words, range); });
    expect_refused("offsets: overlaps in", [&] { bins(one, words, out, words, {0, 8, 4}); });
    const std::vector<float> descending{1, 0};
    expect_refused("edges: expected ascending numbers",
                   [&] { bins(one, x, out, std::span(offsets).first(2), bin_edges<float>{descending}); });
    expect_refused("out: overlaps edges", [&] {
        bins(one, x, std::span(out).first(1), std::span(offsets).first(2),
             bin_edges<float>{std::span(out).first(2)});
    });
    const std::vector<std::uint64_t> numbers{1, 2};
    expect_refused("offsets: overlaps edges", [&] {
        bins(one, numbers, out, std::span(words).first(3),
             bin_edges<std::uint64_t>{std::span(words).first(3)});
    });
    expect_refused("offsets: expected at least 2",
                   [&] { bins_by(one, x, out, std::span(offsets).first(1), [](float) { return 0; }); });
    const std::vector<float> many(200);
    std::vector<std::int8_t> indices(200);
    expect_refused("out: index 199 does not fit", [&] { bin_indices(one, many, indices, offsets, range); });
    EXPECT_EQ(offsets, (std::vector<std::uint64_t>(5, 7)));
    EXPECT_EQ(out, (std::vector<float>(3, 9)));
}

}  // namespace
}  // namespace upsweep::test
