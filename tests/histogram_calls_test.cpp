// Histograms on the CPU: what its calls accept and refuse, and what they ask of functions.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep::test {
namespace {

// Counts of bins for which kernels' 32-bit integers are too small are right all the same.
TEST(histogram_calls, more_bins_than_a_kernel_has_numbers_for) {
    const bin_range<std::uint32_t> wide{0, 0xffffffff, 0xffffffff};
    const std::vector<std::uint32_t> x{0, 1, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffffe};
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        const auto find = [&]<class T>(const std::vector<T>& in, const bin_range<T>& range) {
            std::vector<std::uint32_t> found(in.size());
            const detail::in_range by(*backend.executor, in.data(), range);
            const cpu::classifier classes = by.classifier();
            classes.classify(classes, 0, in.size(), found.data());
            return found;
        };
        std::vector<std::uint32_t> many;
        std::vector<float> floats;
        std::vector<double> doubles;
        for (int k = 0; k < 64; ++k) many.insert(many.end(), x.begin(), x.end());
        for (const std::uint32_t e : many) {
            floats.push_back(static_cast<float>(e));
            doubles.push_back(e);
        }
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double outside : {-1.0, 0x1p32, 0x1p33, nan, -1.0, 0x1p32, 0x1p33, nan}) {
            floats.insert(floats.begin(), static_cast<float>(outside));
            doubles.insert(doubles.begin(), outside);
        }
        EXPECT_EQ(find(many, wide), bins_of(wide, many));
        for (const std::uint32_t count : {(1u << 30) - 1, 1u << 30, (1u << 30) + 1, 1u << 31, 0xffffffffu}) {
            const auto none_is_count = [&](std::vector<std::uint32_t> found) {
                for (std::uint32_t& bin : found) bin = std::min(bin, count);
                return found;
            };
            const bin_range<float> range{0, 0x1p32f, count};
            const bin_range<double> real{0, 0x1p32, count};
            const bin_range<std::uint32_t> narrow{7, 0x80000007, count};
            EXPECT_EQ(find(floats, range), none_is_count(bins_of(range, floats)));
            EXPECT_EQ(find(doubles, real), none_is_count(bins_of(real, doubles)));
            EXPECT_EQ(find(many, narrow), none_is_count(bins_of(narrow, many)));
        }
    });
}

// Numbers without kernels of their own are found one by one.
TEST(histogram_calls, other_types) {
    const auto check = [&]<class T>(std::type_identity<T>, const bin_range<T>& range) {
        const std::vector<T> x = numbers_about(range, 5'003, 4);
        const counted expected = count_all(bins_of(range, x), range.count);
        for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
            std::vector<std::uint64_t> counts(range.count, 7);
            EXPECT_EQ(histogram(*backend.executor, x, counts, range), expected.sum);
            EXPECT_EQ(counts, expected.counts);
        });
    };
    check(std::type_identity<char>(), bin_range<char>{' ', '~', 13});
    check(std::type_identity<long long>(), bin_range<long long>{-5, 1ll << 60, 13});
    std::vector<long double> x;
    const bin_range<long double> range{0, 1, 10};
    for (int i = -3; i < 40; ++i) x.push_back(static_cast<long double>(i) / 32);
    const counted expected = count_all(bins_of(range, x), range.count);
    cpu::executor one(1);
    std::vector<std::uint64_t> counts(10);
    EXPECT_EQ(histogram(one, x, counts, range), expected.sum);
    EXPECT_EQ(counts, expected.counts);
}

// Any function of any element, asked once.
TEST(histogram_calls, by_a_function) {
    const std::size_t n = repetitions(200'000, 40'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::string(i % 11, 'x');
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        std::atomic<std::size_t> asked{0};
        std::vector<std::uint64_t> counts(9, 99);
        const auto length = [&](const std::string& s) {
            asked.fetch_add(1, std::memory_order_relaxed);
            return static_cast<int>(s.size()) - 1;  // -1, which is none, to 9, which is none either
        };
        const std::size_t sum = histogram_by(*backend.executor, x, counts, length);
        EXPECT_EQ(asked, n);
        std::vector<std::uint64_t> expected(9);
        for (std::size_t i = 0; i < n; ++i)
            if (i % 11 >= 1 && i % 11 <= 9) ++expected[i % 11 - 1];
        EXPECT_EQ(counts, expected);
        EXPECT_EQ(sum, std::accumulate(expected.begin(), expected.end(), std::size_t{0}));
        const auto throws = [&](const std::string& s) -> int {
            if (s.size() == 5) throw std::runtime_error("five");
            return 0;
        };
        EXPECT_THROW(histogram_by(*backend.executor, x, counts, throws), std::runtime_error);
        std::vector<std::uint64_t> many(10'000);
        EXPECT_THROW(histogram_by(*backend.executor, x, many, throws), std::runtime_error);
        EXPECT_EQ(histogram_by(*backend.executor, x, std::span<std::uint64_t>(), length), 0u);
    });
}

TEST(histogram_calls, edges_of_a_range) {
    cpu::executor ex(1);
    const std::vector<float> edges{0, 1, 2}, x{0.5f, 1, 1.5f, 2, 3};
    std::vector<std::uint64_t> counts(2);
    histogram(ex, x, counts, bin_edges{edges});
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 3}));
}

TEST(histogram_calls, refuses) {
    cpu::executor one(1);
    const std::vector<float> x{0.25f, 0.5f};
    std::vector<std::uint64_t> counts(4, 7);
    const auto with = [&](const bin_range<float>& range) {
        return [&x, &counts, &one, range] { histogram(one, x, counts, range); };
    };
    const float inf = std::numeric_limits<float>::infinity(), nan = inf - inf;
    expect_refused("range: expected a count of bins that is not 0", with({0, 1, 0}));
    expect_refused("range: expected lo < hi, but lo is 1 and hi is 1", with({1, 1, 4}));
    expect_refused("range: expected lo < hi, but lo is 2.5 and hi is -1", with({2.5f, -1, 4}));
    expect_refused("range: expected lo < hi", with({0, nan, 4}));
    expect_refused("range: expected lo < hi", with({nan, 1, 4}));
    expect_refused("range: expected bounds with a finite (hi - lo) * count, but lo is 0 and hi is inf",
                   with({0, inf, 4}));
    expect_refused("range: expected bounds with a finite (hi - lo) * count", with({-3e38f, 3e38f, 4}));
    expect_refused("range: expected bounds with a finite (hi - lo) * count", with({0, 1e38f, 4}));
    expect_refused("counts: expected 5 elements for these bins, but it has 4", with({0, 1, 5}));
    const auto edges = [&](const std::vector<float>& e) {
        return [&x, &counts, &one, e] { histogram(one, x, counts, bin_edges<float>{e}); };
    };
    expect_refused("edges: expected at least two", edges({}));
    expect_refused("edges: expected at least two", edges({1}));
    expect_refused("edges: expected ascending numbers, but number 2 is not", edges({1, 2, 1, 2, 3}));
    expect_refused("edges: expected ascending numbers, but number 1 is not", edges({1, nan, 1, 2, 3}));
    expect_refused("edges: expected ascending numbers, but number 4 is not", edges({1, 1, 1, 2, nan}));
    expect_refused("counts: expected 2 elements for these bins, but it has 4", edges({0, 1, 2}));
    EXPECT_EQ(counts, (std::vector<std::uint64_t>(4, 7)));
    const bin_range<std::uint64_t> range{0, 8, 4};
    expect_refused("counts: overlaps in", [&] { histogram(one, counts, counts, range); });
    const bin_edges<std::uint64_t> shared{counts};
    const std::vector<std::uint64_t> other{1, 2};
    expect_refused("counts: overlaps edges",
                   [&] { histogram(one, other, std::span(counts).first(3), shared); });
    expect_refused("counts: overlaps in",
                   [&] { histogram_by(one, counts, counts, [](std::uint64_t e) { return e; }); });
}

}  // namespace
}  // namespace upsweep::test
