// Scans of f(x) in place of x, without an array of f(x).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// Against the plain scan of an array that f was applied to first.
template <class Acc, class In, class Op, class Function>
void check(const Op& op, const Function& f) {
    for (const std::size_t n : {0u, 1u, 2u, 5u, 127u, 128u, 129u, 300u, 4097u, 70001u, 200003u}) {
        if (sanitized && n == 70001) continue;  // fewer than a super are shared like more
        const auto values = sequence<In, plus>(n, 51);
        array_of<Acc> mapped(n);
        for (std::size_t i = 0; i < n; ++i) mapped[i] = cpu::convert<Acc>(f(values[i]));
        for_each_backend(cpu::has_kernels<Acc, Op> ? coverage::all : coverage::threads,
                         [&](const auto& backend) {
                             for (const bool reverse : {false, true}) {
                                 std::vector<Acc> expected(n), out(n, Acc(77));
                                 Acc expected_total{}, total{};
                                 inclusive_scan(*backend.executor, span_of(mapped), expected, op,
                                                {.reverse = reverse, .total = &expected_total});
                                 transform_inclusive_scan<Acc>(*backend.executor, span_of(values), out, op, f,
                                                               {.reverse = reverse, .total = &total});
                                 ASSERT_EQ(first_difference(out.data(), expected.data(), n), n) << n;
                                 EXPECT_TRUE(same_bits(total, expected_total));
                                 exclusive_scan(*backend.executor, span_of(mapped), expected, op,
                                                {.initial = Acc(3), .reverse = reverse});
                                 transform_exclusive_scan<Acc>(*backend.executor, span_of(values), out, op, f,
                                                               {.initial = Acc(3), .reverse = reverse});
                                 ASSERT_EQ(first_difference(out.data(), expected.data(), n), n) << n;
                             }
                         });
    }
}

struct square {
    UPSWEEP_HOST_DEVICE float operator()(float x) const { return x * x; }
};
struct wide_square {
    UPSWEEP_HOST_DEVICE std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t{x} * x; }
};
struct root {
    UPSWEEP_HOST_DEVICE double operator()(std::int16_t x) const {
        return std::sqrt(std::abs(static_cast<double>(x)));
    }
};
struct is_large {
    UPSWEEP_HOST_DEVICE bool operator()(float x) const { return x > 0.1f; }
};
TEST(transform_scan, sums_of_squares) { check<float, float>(plus{}, square{}); }
TEST(transform_scan, from_integers_to_double) { check<double, std::int16_t>(plus{}, root{}); }
TEST(transform_scan, counts) { check<std::int64_t, float>(plus{}, is_large{}); }
TEST(transform_scan, without_vector_kernels) {
    check<std::uint64_t, std::uint32_t>(with_identity(fingerprint{}, std::uint64_t{9}), wide_square{});
}

TEST(transform_scan, the_functions_result_is_the_accumulator) {
    cpu::executor ex(1);
    std::vector<std::int64_t> out(3);
    // In int8 the sum of lengths would wrap.
    transform_inclusive_scan(ex, std::vector<std::string>{std::string(100, 'a'), "", std::string(100, 'b')},
                             out, plus{}, &std::string::size);
    EXPECT_EQ(out, (std::vector<std::int64_t>{100, 100, 200}));
}

#if !defined(UPSWEEP_TEST_CUDA)  // a pointer to a member is no function of the device
TEST(transform_scan, member_pointers_and_captures) {
    struct sale {
        float price;
        std::int32_t count;
    };
    const std::vector<sale> sales{{1.5f, 2}, {2.0f, 1}, {0.5f, 8}};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<std::int32_t> counts(3);
        transform_inclusive_scan(*backend.executor, sales, counts, plus{}, &sale::count);
        EXPECT_EQ(counts, (std::vector{2, 3, 11}));
        const float rate = 2.0f;
        std::vector<float> revenue(3);
        transform_inclusive_scan(*backend.executor, sales, revenue, plus{},
                                 [&](const sale& s) { return rate * s.price * static_cast<float>(s.count); });
        EXPECT_EQ(revenue, (std::vector{6.0f, 10.0f, 18.0f}));
    });
}
#endif

struct twice {
    UPSWEEP_HOST_DEVICE std::int32_t operator()(std::int32_t x) const { return 2 * x; }
};
TEST(transform_scan, in_place) {
    for_each_backend([](const auto& backend) {
        std::vector<std::int32_t> x(100000, 3), expected(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) expected[i] = static_cast<std::int32_t>(6 * (i + 1));
        transform_inclusive_scan(*backend.executor, x, x, plus{}, twice{});
        EXPECT_EQ(x, expected);
    });
}

}  // namespace
}  // namespace upsweep::test
