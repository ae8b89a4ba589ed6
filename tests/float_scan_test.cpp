// Scans of float and double, where grouping decides the bits: sums and products by the tree, minima and
// maxima by IEEE 754-2019, special values everywhere.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/build.hpp"
#include "support/special_values.hpp"
#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

TEST(float_scan, plus) {
    sweep<float, plus>(0.3f);
    sweep<double, plus>(0.3);
}
TEST(float_scan, multiplies) {
    if (thread_sanitizer) return;  // between threads like plus
    sweep<float, multiplies>(-1.7f);
    sweep<double, multiplies>(-1.7);
}
TEST(float_scan, minimum) {
    if (thread_sanitizer) return;  // like maximum
    sweep<float, minimum>(0.45f);
    sweep<double, minimum>(0.45);
}
TEST(float_scan, maximum) {
    sweep<float, maximum>(-0.45f);
    sweep<double, maximum>(-0.45);
}

template <class T, class Op>
void check_special_values(bool with_infinities) {
    for (const std::size_t n : {4u, 60u, 300u, 5000u}) {
        for (std::uint64_t seed = 1; seed <= repetitions(20, 1, 1); ++seed) {
            scan_check<T, T, T> checked(operation<T, T, T>::of(Op()),
                                        special_values<T>(n, with_infinities, seed), -T(0));
            for_each_backend(coverage::levels, [&](const auto& backend) {
                for (unsigned bits = 0; bits < 16; ++bits) {
                    if (!checked.run(*backend.executor, n, checked.make_mode(bits), seed % 8,
                                     (seed + bits) % 8))
                        return;
                }
            });
        }
    }
}

TEST(float_scan, zeros_and_subnormals) {
    check_special_values<float, plus>(false);
    check_special_values<double, plus>(false);
    check_special_values<float, multiplies>(false);
    check_special_values<double, multiplies>(false);
    check_special_values<float, minimum>(false);
    check_special_values<double, minimum>(false);
    check_special_values<float, maximum>(false);
    check_special_values<double, maximum>(false);
}
TEST(float_scan, infinities_and_nan) {
    check_special_values<float, plus>(true);
    check_special_values<double, plus>(true);
    check_special_values<float, multiplies>(true);
    check_special_values<double, multiplies>(true);
    check_special_values<float, minimum>(true);
    check_special_values<double, minimum>(true);
    check_special_values<float, maximum>(true);
    check_special_values<double, maximum>(true);
}

// One special value at every position of an ordinary sequence.
template <class T, class Op>
void check_one_special(T special, std::size_t n) {
    const array_of<T> ordinary = sequence<T, Op>(n, 11);
    for (std::size_t at = 0; at < n; ++at) {
        array_of<T> values = ordinary;
        values[at] = special;
        scan_check<T, T, T> checked(operation<T, T, T>::of(Op()), span_of(values), T(0.25));
        for_each_backend(coverage::levels, [&](const auto& backend) {
            checked.run(*backend.executor, n, {}, at % 8, (at + 3) % 8);
            checked.run(*backend.executor, n, {.exclusive = true, .reverse = true}, 0, 0);
        });
        if (::testing::Test::HasFailure()) return;
    }
}
TEST(float_scan, a_special_value_at_every_position) {
    const float nan = std::bit_cast<float>(0x7fc12345u);
    const float signalling = std::bit_cast<float>(0xff812345u);
    for (const float special : {nan, signalling, std::numeric_limits<float>::infinity(), -0.0f}) {
        SCOPED_TRACE(describe(special));
        const std::size_t n = repetitions(150, 40, 20);
        check_one_special<float, plus>(special, n);
        check_one_special<float, minimum>(special, n);
        check_one_special<float, maximum>(special, n);
        check_one_special<double, maximum>(static_cast<double>(special), repetitions(80, 20, 9));
        check_one_special<double, minimum>(static_cast<double>(special), repetitions(80, 20, 9));
    }
}

// -0 is below +0, wherever either stands.
TEST(float_scan, minimum_and_maximum_order_zeros) {
    const std::vector<float> zeros{0.0f, 0.0f, -0.0f, 0.0f, -0.0f};
    const std::vector<float> negated{-0.0f, -0.0f, 0.0f, -0.0f, 0.0f};
    const std::vector<bool> negative_after{false, false, true, true, true};
    for_each_backend([&](const auto& backend) {
        std::vector<float> out(5, 7.0f);
        inclusive_scan(*backend.executor, zeros, out, minimum{});
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_TRUE(out[i] == 0 && std::signbit(out[i]) == negative_after[i]) << i;
        inclusive_scan(*backend.executor, negated, out, maximum{});
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_TRUE(out[i] == 0 && std::signbit(out[i]) != negative_after[i]) << i;
    });
}

TEST(float_scan, a_nan_wins_against_everything_after_it) {
    const std::vector<double> values{1.0, std::numeric_limits<double>::quiet_NaN(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity(), 0.0};
    for_each_backend([&](const auto& backend) {
        std::vector<double> low(5), high(5);
        inclusive_scan(*backend.executor, values, low, minimum{});
        inclusive_scan(*backend.executor, values, high, maximum{});
        EXPECT_EQ(low[0], 1.0);
        EXPECT_EQ(high[0], 1.0);
        for (std::size_t i = 1; i < 5; ++i) EXPECT_TRUE(std::isnan(low[i]) && std::isnan(high[i])) << i;
    });
}

// The identity of addition is -0.0: it is what an exclusive sum begins with, and sums of -0.0 stay -0.0.
TEST(float_scan, sums_keep_negative_zeros) {
    for_each_backend([&](const auto& backend) {
        for (const std::size_t n : {1u, 3u, 4u, 5u, 127u, 128u, 129u, 300u, 4097u, 70000u}) {
            const std::vector<float> zeros(n, -0.0f);
            std::vector<float> out(n, 1.0f);
            inclusive_scan(*backend.executor, zeros, out);
            EXPECT_EQ(first_difference(out.data(), zeros.data(), n), n) << n;
            std::ranges::fill(out, 1.0f);
            float total = 1;
            exclusive_scan(*backend.executor, zeros, out, plus{}, {.total = &total});
            EXPECT_EQ(first_difference(out.data(), zeros.data(), n), n) << n;
            EXPECT_TRUE(same_bits(total, -0.0f)) << n;
        }
        float total = 1;
        exclusive_scan(*backend.executor, std::vector<float>{}, std::span<float>{}, plus{},
                       {.total = &total});
        EXPECT_TRUE(same_bits(total, -0.0f));
    });
}

// Many chunks a thread, more than one super, and results large enough to be streamed past the caches.
template <class T>
void check_long(std::size_t n) {
    scan_check<T, T, T> checked(operation<T, T, T>::of(plus{}), span_of(sequence<T, plus>(n, 5)), T(0.7));
    unsigned turn = 0;
    for_each_backend([&](const auto& backend) {
        checked.run(*backend.executor, n, checked.make_mode(turn), turn % 8, (turn * 3 + 1) % 8);
        checked.run(*backend.executor, n, checked.make_mode(turn + 6), (turn + 2) % 8, turn % 8);
        turn = (turn + 5) % 16;
    });
}
TEST(float_scan, past_the_caches) {
    check_long<float>(repetitions(1000003, 300007));
    if (!sanitized) check_long<double>(500009);
}

}  // namespace
}  // namespace upsweep::test
