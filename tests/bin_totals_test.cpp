// Totals by bin: every one has the bits of its values alone by the scalar reference, at every level, with
// every number of threads and, in tests/mpi, between ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <valarray>
#include <vector>

#include "support/bin_totals_check.hpp"
#include "support/build.hpp"
#include "support/monoids.hpp"
#include "support/random.hpp"

namespace upsweep::test {
namespace {

// n elements about a range of `count` bins, and values beside them.
template <class V, class Op, class Acc = core::accumulator_for<deduced, V, Op>, class Out = Acc>
void check(coverage wanted, std::size_t n, std::uint32_t count,
           const std::optional<std::type_identity_t<Acc>>& initial = {}, bool clamp = false) {
    SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(count) + " bins");
    const bin_range<float> range{-1.5f, 2.25f, count, clamp};
    const std::vector<float> x = numbers_about(range, n, n + count);
    const std::valarray<V> values = sequence<V, Op>(n, n + 2 * count);
    bin_totals_check<float, V, Op, Acc, Out>{x, values, Op(), initial}(wanted, range, count);
}
// Every way that engines have: rows of few bins and of many, odometers, tables of each kind, threads.
template <class V, class Op, class Acc = core::accumulator_for<deduced, V, Op>, class Out = Acc>
void check_ways(const std::optional<std::type_identity_t<Acc>>& initial) {
    for (std::size_t n = 0; n <= 40; n += 1 + n / 10)
        check<V, Op, Acc, Out>(coverage::levels, n, static_cast<std::uint32_t>(1 + n % 9), initial);
    for (const std::uint32_t count : {1u, 7u, 8u, 9u, 37u}) {
        check<V, Op, Acc, Out>(coverage::levels, 9'001, count, {}, count == 7);
        check<V, Op, Acc, Out>(coverage::all, repetitions(60'001, 20'001, 9'001), count, initial);
    }
    check<V, Op, Acc, Out>(coverage::levels, 3'001, 400, initial);
    check<V, Op, Acc, Out>(coverage::all, repetitions(100'001, 40'001, 20'001), 1'500);
}

TEST(bin_totals, small_example) {
    const std::vector<float> x{0.1f, 0.9f, 0.3f, 0.8f, 2, 0.2f};
    const std::vector<std::int32_t> values{3, 1, 7, 0, 4, 1};
    for_each_backend([&](const auto& backend) {
        std::vector<std::int32_t> totals(2);
        EXPECT_EQ(bin_totals(*backend.executor, x, values, totals, {0, 1, 2}), 5u);
        EXPECT_EQ(totals, (std::vector<std::int32_t>{11, 1}));
        EXPECT_EQ(bin_totals(*backend.executor, x, values, totals, {0, 1, 2, true}, maximum{}), 6u);
        EXPECT_EQ(totals, (std::vector<std::int32_t>{7, 4}));
        std::vector<double> halves(2);
        bin_totals<double>(*backend.executor, x, values, halves, {0, 1, 2}, plus{}, {.initial = 0.5});
        EXPECT_EQ(halves, (std::vector<double>{11.5, 1.5}));
    });
}

TEST(bin_totals, floats) {
    check_ways<float, plus>(0.3f);
    check_ways<float, multiplies>(-1.7f);
    check_ways<float, minimum>(0.45f);
}
TEST(bin_totals, doubles) {
    check_ways<double, plus>(0.3);
    if constexpr (!on_ranks) {
        check_ways<double, multiplies>(-1.7);
        check_ways<double, maximum>(-0.45);
    }
}
TEST(bin_totals, integers) {
    check_ways<std::int32_t, plus>(-2'000'000'011);
    check_ways<std::uint8_t, maximum>(std::uint8_t{3});
    if constexpr (!on_ranks) {
        check_ways<std::int64_t, multiplies>(-7);
        check_ways<std::uint16_t, bit_xor>(std::uint16_t{0x5a5a});
    }
}
TEST(bin_totals, accumulators) {
    check_ways<float, plus, double>(0.25);
    check_ways<std::int8_t, plus, std::int64_t>(std::int64_t{-3});
    check_ways<float16, plus, float, float16>(0.5f);
    check_ways<std::int32_t, logical_or>(false);
    if constexpr (!on_ranks) {
        check_ways<bfloat16, plus>(0.5f);
        check_ways<double, plus, double, float>(0.5);
    }
}
// Without kernels: by the values' indices, or in tables where any grouping does.
TEST(bin_totals, other_operators) {
    check_ways<std::complex<float>, plus>(std::complex<float>{0.5f, 2});
    check_ways<affine_map<float>, affine>(affine_map<float>{0.5f, 1});
    check_ways<word, concatenate>(word::letter('z'));
    if constexpr (!on_ranks) {
        check_ways<affine_map<std::int32_t>, affine>(affine_map<std::int32_t>{3, 1});
        check_ways<indexed<float>, argmin>(indexed<float>{2, -1});
    }
}

// A bin longer than a super beside others, all values in one bin, and sums that must not decrease.
TEST(bin_totals, long_bins) {
    const std::size_t n = core::super_size + core::tile_size + 4'103;
    const std::valarray<float> values = sequence<float, plus>(n, 1);
    const std::valarray<double> doubles = sequence<double, plus>(n, 2);
    for (const std::uint32_t count : {1u, 8u, 300u, 65'537u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        const bin_range<float> range{0, 1, count};
        std::vector<float> x(n, 0.37f);
        bin_totals_check<float, float, plus>{x, values}(coverage::all, range, count);
        random_bits random(count);
        for (std::size_t i = 0; i < n; i += 1 + i % 50) x[i] = static_cast<float>(random.between(-0.1, 1.1));
        bin_totals_check<float, float, plus>{x, values, {}, 0.5f}(coverage::levels, range, count);
        bin_totals_check<float, double, plus>{x, doubles}(coverage::threads, range, count);
    }
}
TEST(bin_totals, many_bins) {
    check<float, plus>(coverage::all, repetitions(200'003, 90'003, 70'003), 65'537, 0.25f);
    check<double, plus>(coverage::levels, repetitions(200'003, 90'003, 70'003), 65'537);
    check<std::int32_t, plus>(coverage::threads, repetitions(600'007, 90'003, 70'003), 65'537);
    check<word, concatenate>(coverage::threads, 20'003, 5'003);
}
// Elements in the order of their bins.
TEST(bin_totals, neighbours_in_one_bin) {
    const std::size_t n = repetitions(100'003, 40'003);
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i) / static_cast<float>(n - 9);
    const std::valarray<float> values = sequence<float, plus>(n, 3);
    const std::valarray<std::int64_t> integers = sequence<std::int64_t, plus>(n, 4);
    for (const std::uint32_t count : {5u, 200u, 3'000u}) {
        bin_totals_check<float, float, plus>{x, values}(coverage::threads, bin_range<float>{0, 1, count},
                                                        count);
        bin_totals_check<float, std::int64_t, plus>{x, integers}(coverage::threads,
                                                                 bin_range<float>{0, 1, count}, count);
    }
}
// Values that are no numbers stay in their bins, and zeros keep their signs.
TEST(bin_totals, special_values) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const std::vector<float> special{nan, -0.0f, 0.0f, inf, -inf, std::numeric_limits<float>::denorm_min(),
                                     1};
    const std::size_t n = 7'001;
    random_bits random(5);
    std::vector<float> x(n);
    std::valarray<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(random.below(40)) + 0.5f;
        const auto kind = static_cast<std::size_t>(x[i]) % special.size();
        values[i] = random.below(64) == 0 || kind == 1 ? special[kind] : -0.0f;
    }
    for (const std::uint32_t count : {8u, 40u, 4'000u}) {
        const bin_range<float> range{0, 40, count};
        bin_totals_check<float, float, plus>{x, values}(coverage::levels, range, count);
        bin_totals_check<float, float, minimum>{x, values}(coverage::levels, range, count);
    }
}
TEST(bin_totals, edges) {
    const std::size_t n = repetitions(30'011, 9'011);
    std::vector<std::int16_t> edges(71), x(n);
    random_bits random(3);
    for (auto& e : edges) e = static_cast<std::int16_t>(random.below(200));
    for (auto& e : x) e = static_cast<std::int16_t>(static_cast<int>(random.below(220)) - 10);
    std::sort(edges.begin(), edges.end());
    const std::valarray<double> values = sequence<double, plus>(n, 7);
    bin_totals_check<std::int16_t, double, plus>{x, values}(coverage::levels, bin_edges<std::int16_t>{edges},
                                                            edges.size() - 1);
}

// Running totals of numbers that are not negative: more of them never make less.
TEST(bin_totals, sums_of_non_negative_numbers_never_decrease) {
    const std::size_t n = 5'000;
    random_bits random(11);
    std::vector<std::uint32_t> x(n);
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<std::uint32_t>(random.below(12));
        values[i] = static_cast<float>(random.unit());
    }
    cpu::executor one(1);
    std::vector<float> totals(12), before(12, 0.0f);
    for (std::size_t k = 1; k <= n; k += 1 + k / 64) {
        bin_totals(one, std::span(x).first(k), std::span(values).first(k), totals, {0, 12, 12});
        for (std::size_t b = 0; b < 12; ++b) EXPECT_GE(totals[b], before[b]);
        before = totals;
    }
}

}  // namespace
}  // namespace upsweep::test
