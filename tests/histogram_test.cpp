// Histograms: every count is that of a loop with find_bin, at every level and with every number of threads.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "support/guarded.hpp"
#include "support/refused.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep::test {
namespace {

template <class T>
void expect_counts(const cpu_backend& backend, const std::vector<T>& x, const auto& bins, std::size_t count,
                   const counted& expected) {
    // Elements that begin anywhere, counts that are poisoned before.
    guarded<T> in(x.size(), x.size() % 5);
    std::copy(x.begin(), x.end(), in.data());
    guarded<std::uint64_t> counts(count, x.size() % 3);
    EXPECT_EQ(histogram(*backend.executor, in.span(), counts.span(), bins), expected.sum);
    EXPECT_TRUE(std::equal(expected.counts.begin(), expected.counts.end(), counts.data()))
        << x.size() << " elements, " << count << " bins";
    EXPECT_TRUE(counts.sentinels_intact());
}

template <class T>
void check_range(coverage wanted, const bin_range<T>& range, std::size_t n) {
    SCOPED_TRACE(std::to_string(range.count) + " bins of [" + std::to_string(range.lo) + ", " +
                 std::to_string(range.hi) + (range.clamp ? "), clamped" : ")"));
    const std::vector<T> x = numbers_about(range, n, n + range.count);
    const counted expected = count_all(bins_of(range, x), range.count);
    for_each_backend(
        wanted, [&](const cpu_backend& backend) { expect_counts(backend, x, range, range.count, expected); });
}

template <class T>
class histogram_of : public testing::Test {};
using number_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                    std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(histogram_of, number_types);

TYPED_TEST(histogram_of, few_elements) {
    for (std::size_t n = 0; n <= repetitions(70, 40); ++n)
        for (const auto& range : ranges_of<TypeParam>(1 + n % 9)) check_range(coverage::levels, range, n);
}
TYPED_TEST(histogram_of, every_range) {
    for (const std::uint32_t count : {1u, 2u, 7u, 256u, 1023u, 1024u, 2047u, 2048u, 4095u, 4096u, 100'003u})
        for (const auto& range : ranges_of<TypeParam>(count)) check_range(coverage::levels, range, 3'001);
}
TYPED_TEST(histogram_of, several_threads) {
    const std::size_t n = repetitions(300'007, 60'007);
    for (const std::uint32_t count : {3u, 1000u, 4095u, 5000u})
        check_range(coverage::all, ranges_of<TypeParam>(count)[2], n);
}

// Counts of bins for which kernels' 32-bit integers are too small are right all the same.
TEST(histogram, more_bins_than_a_kernel_has_numbers_for) {
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

// Integers at every edge of bins that are `step` wide, and just below: where rounding a quotient would show.
// The ranges are of those that one 53-bit product decides, just not, and by far not.
TEST(histogram, integers_at_edges) {
    constexpr std::uint32_t count = 10'007;
    for (const std::int64_t step : {std::int64_t{7}, std::int64_t{11'243'168}, std::int64_t{11'243'169},
                                    std::int64_t{4'782'969'007}, std::int64_t{900'000'000'000'001}}) {
        const bin_range<std::int64_t> range{-3 * step, (std::int64_t{count} - 3) * step, count};
        std::vector<std::int64_t> x;
        for (std::int64_t bin = -4; bin < std::int64_t{count} - 1; ++bin)
            for (const std::int64_t below : {1, 0}) x.push_back(bin * step - below);
        const std::vector<std::uint32_t> found = bins_of(range, x);
        for (std::size_t i = 0; i < x.size(); ++i) {  // find_bin itself: two numbers a bin, from -5 on
            const std::size_t bin = (i + 1) / 2;
            ASSERT_EQ(found[i], bin < 2 || bin > std::size_t{count} + 1 ? no_bin : bin - 2) << x[i];
        }
        const counted expected = count_all(found, count);
        for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
            expect_counts(backend, x, range, count, expected);
        });
    }
}

// Elements in the order of their bins, and all in one.
TEST(histogram, neighbours_in_one_bin) {
    for (const std::uint32_t count : {1u, 5u, 1500u, 3000u, 20'000u}) {
        const bin_range<double> range{0, 1, count};
        std::vector<double> x(repetitions(200'000, 50'000));
        for (const bool constant : {true, false}) {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = constant ? 0.3 : static_cast<double>(i) / static_cast<double>(x.size() - 9);
            const counted expected = count_all(bins_of(range, x), count);
            for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
                expect_counts(backend, x, range, count, expected);
            });
        }
    }
}

// Halves are looked at as floats; numbers without kernels of their own are found one by one.
TEST(histogram, other_types) {
    const auto check = [&]<class T>(std::type_identity<T>, const auto& range) {
        std::vector<T> x;
        for (const auto number : numbers_about(range, 5'003, 4)) x.push_back(static_cast<T>(number));
        const counted expected = count_all(bins_of(range, x), range.count);
        for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
            expect_counts(backend, x, range, range.count, expected);
        });
    };
    check(std::type_identity<float16>(), bin_range<float>{-1.5f, 2.25f, 37});
    check(std::type_identity<bfloat16>(), bin_range<float>{-1.5f, 2.25f, 37, true});
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

// What numpy.histogram says of these.
TEST(histogram, edges) {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> edges{-1, 0, 0, 0.5f, 2};
    const std::vector<float> x{-2, -1, -0.0f, 0, 0.25f, 0.5f, 1.75f, 2, 2.5f, inf, -inf, -inf * 0};
    const std::vector<std::uint64_t> expected{1, 0, 3, 3};
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        std::vector<std::uint64_t> counts(4, 99);
        EXPECT_EQ(histogram(*backend.executor, x, counts, bin_edges<float>{edges}), 7u);
        EXPECT_EQ(counts, expected);
        EXPECT_EQ(histogram(*backend.executor, x, counts, {.lo = -1, .hi = 2, .count = 4, .clamp = true}),
                  11u);
        EXPECT_EQ(counts, (std::vector<std::uint64_t>{3, 3, 1, 4}));
        const std::vector<float> equal{1, 2, 2};
        std::vector<std::uint64_t> two(2, 99);
        EXPECT_EQ(histogram(*backend.executor, x, two, bin_edges<float>{equal}), 2u);
        EXPECT_EQ(two, (std::vector<std::uint64_t>{1, 1}));
    });
}
TEST(histogram, edges_of_any_number) {
    random_bits random(3);
    for (std::size_t count = 1; count <= 70; ++count) {
        std::vector<std::int16_t> edges(count + 1), x(5'003);
        for (auto& e : edges) e = static_cast<std::int16_t>(random.below(200));
        for (auto& e : x) e = static_cast<std::int16_t>(static_cast<int>(random.below(220)) - 10);
        std::sort(edges.begin(), edges.end());
        counted expected{std::vector<std::uint64_t>(count), 0};
        for (const std::int16_t e : x) {
            for (std::size_t b = count; b-- > 0;) {
                const bool below = e < edges[b + 1] || (b + 1 == count && e == edges[count]);
                if (!below || e < edges[b]) continue;
                ++expected.counts[b];
                ++expected.sum;
                break;
            }
        }
        for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
            expect_counts(backend, x, bin_edges<std::int16_t>{edges}, count, expected);
        });
    }
}

// Any function of any element, asked once.
TEST(histogram, by_a_function) {
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

TEST(histogram, refuses) {
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
