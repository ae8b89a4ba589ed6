// Totals by bin on the CPU: what its calls accept and refuse, what they ask of functions and operators, and
// the values of bins one behind the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/bin_totals_check.hpp"
#include "support/build.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "upsweep/bin_totals.hpp"

namespace upsweep::test {
namespace {

// Values of any type, by any function of any element. This operator tells every other grouping.
TEST(bin_totals_calls, by_a_function) {
    const std::size_t n = repetitions(60'000, 20'000);
    std::vector<std::string> x(n);
    std::valarray<std::uint64_t> values(n);
    std::vector<std::uint32_t> found(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = std::string(i * i % 11, 'x');
        found[i] =
            static_cast<std::uint32_t>(x[i].size()) - 1;  // -1, which is none, to 9, which is none either
        values[i] = i;
    }
    const auto length = [](const std::string& s) { return static_cast<int>(s.size()) - 1; };
    const std::span<const std::uint64_t> beside(std::begin(values), n);
    const std::vector<std::uint64_t> expected = totals_of<std::uint64_t>(found, values, 9, fingerprint{}, 5);
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        std::vector<std::uint64_t> totals(9, 99);
        bin_totals_by(*backend.executor, x, beside, totals, length, fingerprint{}, {.initial = 5});
        EXPECT_EQ(totals, expected);
        std::vector<std::string> longest(9);
        const auto join = [](const std::string& a, const std::string& b) { return std::max(a, b); };
        EXPECT_EQ(bin_totals_by(*backend.executor, x, x, longest, length, join, {.initial = ""}),
                  count_all(found, 9).sum);
        for (std::size_t b = 0; b < 9; ++b) {
            const bool any = std::ranges::find(found, b) != found.end();
            EXPECT_EQ(longest[b], std::string(any ? b + 1 : 0, 'x'));
        }
        EXPECT_EQ(bin_totals_by(*backend.executor, x, beside, std::span<std::uint64_t>(), length), 0u);
    });
}
TEST(bin_totals_calls, exceptions) {
    const std::size_t n = repetitions(60'000, 20'000);
    std::vector<std::uint32_t> x(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i % 100);
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        std::vector<double> totals(100);
        const auto key = [](std::uint32_t e) -> std::uint32_t {
            if (e == 57) throw std::runtime_error("57");
            return e;
        };
        EXPECT_THROW(bin_totals_by(*backend.executor, x, values, totals, key), std::runtime_error);
        EXPECT_THROW(bin_totals_by(*backend.executor, x, values, totals, key, maximum{}), std::runtime_error);
        const auto throws = [](double a, double b) -> double {
            if (a == b) throw std::runtime_error("equal");
            return a;
        };
        EXPECT_THROW(bin_totals(*backend.executor, x, values, totals, {0, 100, 100}, throws),
                     std::runtime_error);
    });
}

TEST(bin_totals_calls, values_of_bins) {
    const std::size_t n = repetitions(60'001, 20'001);
    const bin_range<float> range{-1, 2, 90};
    const std::vector<float> x = numbers_about(range, n, 3);
    const std::vector<std::uint32_t> found = bins_of(range, x);
    std::vector<std::int16_t> values(n), expected;
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int16_t>(i * 7);
    for (std::uint32_t b = 0; b < range.count; ++b) {
        for (std::size_t i = 0; i < n; ++i)
            if (found[i] == b) expected.push_back(values[i]);
        offsets.push_back(expected.size());
    }
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        std::vector<std::int64_t> out(expected.size());
        std::vector<std::uint64_t> at(range.count + 1);
        EXPECT_EQ(bin_values(*backend.executor, x, values, out, at, range), expected.size());
        EXPECT_TRUE(std::ranges::equal(out, expected));
        EXPECT_EQ(at, offsets);
        std::ranges::fill(out, 0);
        bin_values_by(*backend.executor, found, values, out, at, [](std::uint32_t b) { return b; });
        EXPECT_TRUE(std::ranges::equal(out, expected));
    });
    const std::vector<float> edges{-1, 0, 2};
    cpu::executor one(1);
    std::vector<std::int16_t> out(3);
    std::vector<std::uint64_t> at(3);
    const std::vector<float> three{1, -0.5f, 2};
    bin_values(one, three, std::vector<int>{7, 8, 9}, out, at, bin_edges<float>{edges});
    EXPECT_EQ(out, (std::vector<std::int16_t>{8, 7, 9}));
    expect_refused("values: expected 3 elements, as many as in, but it has 2", [&] {
        bin_values(one, three, std::vector<int>{7, 8}, out, at, bin_edges<float>{edges});
    });
    expect_refused("out: overlaps values",
                   [&] { bin_values(one, three, out, out, at, bin_edges<float>{edges}); });
    expect_refused("offsets: overlaps values",
                   [&] { bin_values(one, three, at, out, at, bin_edges<float>{edges}); });
}

TEST(bin_totals_calls, refuses) {
    cpu::executor one(1);
    std::vector<float> x{0.25f, 0.5f, 1}, values{1, 2, 3}, totals(4, 9);
    const bin_range<float> range{0, 1, 4};
    expect_refused("range: expected lo < hi, but lo is 1 and hi is 0", [&] {
        bin_totals(one, x, values, totals, {1, 0, 4});
    });
    expect_refused("values: expected 3 elements, as many as in, but it has 2",
                   [&] { bin_totals(one, x, std::span(values).first(2), totals, range); });
    expect_refused("totals: expected 3 elements for these bins, but it has 4", [&] {
        bin_totals(one, x, values, totals, {0, 1, 3});
    });
    expect_refused("totals: overlaps values", [&] { bin_totals(one, x, values, values, {0, 1, 3}); });
    expect_refused("totals: overlaps in", [&] { bin_totals(one, x, values, x, {0, 1, 3}); });
    expect_refused("totals: overlaps edges",
                   [&] { bin_totals(one, x, values, std::span(totals).first(3), bin_edges<float>{totals}); });
    const std::vector<float> descending{1, 0};
    expect_refused("edges: expected ascending numbers", [&] {
        bin_totals(one, x, values, std::span(totals).first(1), bin_edges<float>{descending});
    });
    const auto first = [](float a, float) { return a; };
    expect_refused("options.initial: bin 0 is empty, and its total needs an initial value",
                   [&] { bin_totals(one, x, values, totals, range, first); });
    EXPECT_EQ(totals, (std::vector<float>(4, 9)));
    EXPECT_EQ(bin_totals(one, x, values, totals, range, first, {.initial = 7}), 2u);
    EXPECT_EQ(totals, (std::vector<float>(4, 7)));
    std::vector<float> two(2);
    bin_totals(one, x, values, two, {0.25f, 0.75f, 2}, first);
    EXPECT_EQ(two, (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace upsweep::test
