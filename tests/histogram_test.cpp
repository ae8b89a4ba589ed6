// Histograms: every count is that of a loop with find_bin, at every level and with every number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "upsweep/histogram.hpp"

namespace upsweep::test {
namespace {

template <class Backend, class T>
void expect_counts(const Backend& backend, const std::vector<T>& x, const auto& bins, std::size_t count,
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
    for_each_backend(wanted,
                     [&](const auto& backend) { expect_counts(backend, x, range, range.count, expected); });
}

template <class T>
class histogram_of : public testing::Test {};
using every_number = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                    std::uint32_t, std::int64_t, std::uint64_t, float, double>;
using some_numbers = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
using number_types = std::conditional_t<tests_every_pair, every_number, some_numbers>;
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
        for_each_backend(coverage::levels,
                         [&](const auto& backend) { expect_counts(backend, x, range, count, expected); });
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
            for_each_backend(coverage::threads,
                             [&](const auto& backend) { expect_counts(backend, x, range, count, expected); });
        }
    }
}

// Halves are looked at as floats.
TEST(histogram, halves) {
    const auto check = [&]<class T>(std::type_identity<T>, const bin_range<float>& range) {
        std::vector<T> x;
        for (const float number : numbers_about(range, 5'003, 4)) x.push_back(static_cast<T>(number));
        const counted expected = count_all(bins_of(range, x), range.count);
        for_each_backend(coverage::levels, [&](const auto& backend) {
            expect_counts(backend, x, range, range.count, expected);
        });
    };
    check(std::type_identity<float16>(), {-1.5f, 2.25f, 37});
    check(std::type_identity<bfloat16>(), {-1.5f, 2.25f, 37, true});
}

// Elements of any size by a key of theirs; what is negative or too large is no bin.
template <class T>
void check_keys() {
    const std::vector<T> elements = random_elements<T>(repetitions(100'003, 30'003), 8);
    guarded<T> x(elements.size(), 1);
    std::copy(elements.begin(), elements.end(), x.data());
    std::vector<std::uint32_t> found;
    for (const T& e : elements) found.push_back(static_cast<std::uint32_t>(first_byte{}(e)));
    for (const std::size_t bins : {1u, 90u, 5'000u}) {
        const counted expected = count_all(found, bins);
        for_each_backend(coverage::threads, [&](const auto& backend) {
            guarded<std::uint64_t> counts(bins, 1);
            EXPECT_EQ(histogram_by(*backend.executor, x.span(), counts.span(), first_byte{}), expected.sum);
            EXPECT_TRUE(std::equal(expected.counts.begin(), expected.counts.end(), counts.data()));
            EXPECT_TRUE(counts.sentinels_intact());
        });
    }
}
TEST(histogram, by_keys) {
    check_keys<std::uint8_t>();
    check_keys<record_of<3>>();
    check_keys<record_of<4>>();
    check_keys<std::uint64_t>();
    check_keys<record_of<80>>();
}

// What numpy.histogram says of these.
TEST(histogram, edges) {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> edges{-1, 0, 0, 0.5f, 2};
    const std::vector<float> x{-2, -1, -0.0f, 0, 0.25f, 0.5f, 1.75f, 2, 2.5f, inf, -inf, -inf * 0};
    const std::vector<std::uint64_t> expected{1, 0, 3, 3};
    for_each_backend(coverage::levels, [&](const auto& backend) {
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
        for_each_backend(coverage::levels, [&](const auto& backend) {
            expect_counts(backend, x, bin_edges<std::int16_t>{edges}, count, expected);
        });
    }
}

}  // namespace
}  // namespace upsweep::test
