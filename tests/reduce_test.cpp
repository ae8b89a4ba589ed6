// Totals of a sequence: the bits of the last running total, by every executor, at every size.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "support/special_values.hpp"
#include "support/sweep.hpp"
#include "support/total_check.hpp"
#include "upsweep/reduce.hpp"

namespace upsweep::test {
namespace {

template <class In, class Op, class Acc = core::accumulator_for<deduced, In, Op>>
void check_totals(const std::type_identity_t<Acc>& initial, bool with_supers = false, const Op& op = {}) {
    if constexpr (has_scan<In, Op, Acc, Acc>) {
        const std::size_t longest = with_supers ? super_sizes().back() : 3 * core::tile_size + 3;
        total_check<In, Op, Acc>(span_of(sequence<In, Op>(longest, 1 + sizeof(In))), initial, op)
            .everything(with_supers);
    } else {
        report_lack<In, Acc, Acc>();
    }
}
// The same where every pair of type and operator is tested.
template <class In, class Op, class Acc = core::accumulator_for<deduced, In, Op>>
void check_further_totals(const std::type_identity_t<Acc>& initial) {
    if constexpr (tests_every_pair) check_totals<In, Op, Acc>(initial);
}

TEST(reduce, small_example) {
    const std::vector<std::int32_t> x{3, 1, 7, 0, 4, 1, 6, 3};
    for_each_backend([&](const auto& backend) {
        EXPECT_EQ(reduce(*backend.executor, x), 25);
        EXPECT_EQ(reduce(*backend.executor, x, maximum{}), 7);
        EXPECT_EQ(reduce(*backend.executor, x, multiplies{}, {.initial = 2}), 0);
        EXPECT_EQ(reduce<double>(*backend.executor, x, plus{}, {.initial = 0.5}), 25.5);
    });
}

TEST(reduce, floats) {
    check_totals<float, plus>(0.3f, true);
    check_totals<float, maximum>(-0.45f, true);
    check_further_totals<float, multiplies>(-1.7f);
    check_further_totals<float, minimum>(0.45f);
}
TEST(reduce, doubles) {
    check_totals<double, plus>(0.3, true);
    check_further_totals<double, multiplies>(-1.7);
    check_further_totals<double, minimum>(0.45);
    check_further_totals<double, maximum>(-0.45);
}
TEST(reduce, integers) {
    check_totals<std::int8_t, plus>(std::int8_t{-101}, true);
    check_totals<std::int32_t, plus>(-2000000011, tests_every_pair);
    check_further_totals<std::int16_t, multiplies>(std::int16_t{-30001});
    check_further_totals<std::int64_t, plus>(-9000000000000000043);
    check_further_totals<std::uint8_t, minimum>(std::uint8_t{201});
    check_further_totals<std::uint16_t, plus>(std::uint16_t{60013});
    check_further_totals<std::uint32_t, maximum>(7u);
    check_further_totals<std::uint64_t, multiplies>(18000000000000000003u);
    check_further_totals<std::int64_t, minimum>(9000000000000000043);
}
TEST(reduce, bits_and_truth) {
    check_totals<std::uint32_t, bit_xor>(77u);
    check_further_totals<std::uint8_t, bit_and>(std::uint8_t{0xf7});
    check_further_totals<std::int64_t, bit_or>(4);
    check_totals<bool, logical_or>(false);
    check_further_totals<bool, logical_and>(true);
    check_further_totals<std::uint8_t, logical_and>(true);
    check_further_totals<float, logical_or>(false);
}
TEST(reduce, halves) {
    check_totals<float16, plus>(0.3f, tests_every_pair);
    check_totals<bfloat16, plus>(0.3f);
    check_further_totals<float16, maximum>(-0.45f);
    check_further_totals<bfloat16, multiplies>(-1.5f);
}
TEST(reduce, other_accumulators) {
    check_totals<float, plus, double>(0.3, true);
    check_totals<std::uint8_t, plus, std::uint64_t>(9u, tests_every_pair);
    check_further_totals<std::int8_t, multiplies, std::int32_t>(3);
    check_further_totals<double, plus, float>(0.3f);
    check_further_totals<std::int16_t, plus, float>(0.5f);
    check_further_totals<float16, plus, double>(0.5);
}

TEST(reduce, operators_that_do_not_commute) {
    check_totals<brackets, bicyclic>({2, 1});
    check_totals<matrix, matrix_product>({{2, 1, 1, 1}}, true);  // without an identity
    check_totals<word, concatenate>(word::letter('!'));
    check_totals<affine_map<double>, affine>({0.5, 0.25});
    check_further_totals<affine_map<std::uint32_t>, affine>({5, 7});
}
// Under an operator that is not associative at all, equal results mean equal grouping.
TEST(reduce, groups_exactly_as_the_tree) { check_totals<std::uint64_t, fingerprint>(17u, true); }

TEST(reduce, indices_of_extremes) {
    check_totals<indexed<float>, argmax>({-0.45f, -1});
    check_further_totals<indexed<std::int32_t>, argmin>({5, -1});
}

// Left zero and right zero: the first, and the last, element of everything. Outside of a test's body, in
// which nvcc takes no lambdas for a device.
void check_lambdas() {
    const auto first = [] UPSWEEP_HOST_DEVICE(std::int32_t a, std::int32_t) { return a; };
    const auto last = [] UPSWEEP_HOST_DEVICE(std::int32_t, std::int32_t b) { return b; };
    check_totals<std::int32_t, decltype(first)>(-5, false, first);
    check_totals<std::int32_t, decltype(last)>(-5, false, last);
}
TEST(reduce, lambdas) { check_lambdas(); }

// Grouped anyhow: whether it may be is the operator's to say.
struct exact_sum {
    static constexpr bool exact = true;
    UPSWEEP_HOST_DEVICE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
TEST(reduce, exact_operators_of_ones_own) { check_totals<std::uint64_t, exact_sum>(17u, true); }

TEST(reduce, operators_of_the_standard_library) {
    const auto values = sequence<float, plus>(40000, 5);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        const float expected = reduce(*backend.executor, span_of(values));
        EXPECT_TRUE(same_bits(reduce(*backend.executor, span_of(values), std::plus<>()), expected));
        EXPECT_TRUE(same_bits(reduce(*backend.executor, std::vector<float>(), std::plus<>()), -0.0f));
    });
}

template <class T, class Op>
void check_special_totals(bool with_infinities) {
    for (const std::size_t n : {3u, 60u, 131u, 300u, 5000u}) {
        for (std::uint64_t seed = 1; seed <= repetitions(20, 1, 1); ++seed) {
            const std::vector<T> values = special_values<T>(n, with_infinities, seed);
            total_check<T, Op> checked(values, -T(0));
            for_each_backend(coverage::levels,
                             [&](const auto& backend) { checked.run(*backend.executor, n, seed % 8); });
            if (::testing::Test::HasFailure()) return;
        }
    }
}
TEST(reduce, special_values) {
    for (const bool with_infinities : {false, true}) {
        check_special_totals<float, plus>(with_infinities);
        check_special_totals<double, plus>(with_infinities);
        check_special_totals<float, multiplies>(with_infinities);
        check_special_totals<double, minimum>(with_infinities);
        check_special_totals<float, maximum>(with_infinities);
    }
}

// One special value at every position, of whole rows and of what is behind them.
template <class T, class Op>
void check_one_special_total(T special) {
    const std::size_t n = repetitions(150, 133, 133);
    const array_of<T> ordinary = sequence<T, Op>(n, 11);
    for (std::size_t at = 0; at < n; at += repetitions(1, 4, 11)) {
        array_of<T> values = ordinary;
        values[at] = special;
        total_check<T, Op> checked(span_of(values), T(0.25));
        for_each_backend(coverage::levels,
                         [&](const auto& backend) { checked.run(*backend.executor, n, at % 8); });
        if (::testing::Test::HasFailure()) return;
    }
}
TEST(reduce, a_special_value_at_every_position) {
    const float signalling = std::bit_cast<float>(0xff812345u);
    for (const float special : {signalling, std::numeric_limits<float>::infinity(), -0.0f}) {
        SCOPED_TRACE(describe(special));
        check_one_special_total<float, plus>(special);
        check_one_special_total<float, minimum>(special);
        check_one_special_total<double, maximum>(static_cast<double>(special));
    }
}

// Kernels fold so many rows side by side, and fewer behind them.
template <class T, class Op>
void check_counts_of_rows() {
    total_check<T, Op> checked(span_of(sequence<T, Op>(core::tile_size + core::row_size, 17)), T(0.25));
    for_each_backend(coverage::levels, [&](const auto& backend) {
        for (std::size_t rows = 2; rows <= core::tile_size / core::row_size; rows += repetitions(1, 5, 5)) {
            for (const std::size_t few : {0u, 1u, 66u, 127u}) {
                if (!checked.run(*backend.executor, rows * core::row_size + few, rows % 8)) return;
            }
        }
    });
}
TEST(reduce, every_count_of_rows) {
    check_counts_of_rows<float, plus>();
    check_counts_of_rows<double, plus>();
    if (tests_every_pair) check_counts_of_rows<float, multiplies>();
}

// Of numbers that are all negative, or without a negative one, other bits decide than of both kinds, until
// one comes that is of the other kind or no number at all.
template <class T, class Op>
void check_one_sided_extremes() {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const std::size_t n = 3 * 16384 / sizeof(T) + 77;  // some of the blocks in which extremes are looked for
    for (const T sign : {T(1), T(-1)}) {
        for (const T other : {T(1), T(-1), T(0), T(-0.0), nan, -nan}) {
            for (std::size_t at = n / 2; at < n; at += repetitions(n / 2 - 1, n, n)) {
                array_of<T> values = sequence<T, plus>(n, 23);
                for (T& value : values) value = std::copysign(value + (value == 0 ? T(2) : T(0)), sign);
                values[at] = other;
                total_check<T, Op> checked(span_of(values), std::copysign(T(1e6), other));
                for_each_backend(coverage::levels,
                                 [&](const auto& backend) { checked.run(*backend.executor, n, at % 8); });
            }
        }
        if (::testing::Test::HasFailure()) return;
    }
}
TEST(reduce, extremes_of_one_sign) {
    check_one_sided_extremes<float, maximum>();
    check_one_sided_extremes<float, minimum>();
    check_one_sided_extremes<double, maximum>();
    check_one_sided_extremes<double, minimum>();
}

// The identity of addition is -0.0: sums of -0.0 stay -0.0, and of nothing, too.
TEST(reduce, sums_keep_negative_zeros) {
    for_each_backend([&](const auto& backend) {
        for (const std::size_t n : {0u, 1u, 3u, 4u, 5u, 127u, 128u, 129u, 300u, 4097u, 70000u, 150000u}) {
            const std::vector<float> zeros(n, -0.0f);
            EXPECT_TRUE(same_bits(reduce(*backend.executor, zeros), -0.0f)) << n;
            EXPECT_TRUE(same_bits(reduce(*backend.executor, zeros, plus{}, {.initial = 0.0f}), 0.0f)) << n;
        }
    });
}

// Against the total of an array that f was applied to first.
template <class Acc, class In, class Op, class Function>
void check_transformed(const Op& op, const Function& f) {
    for (const std::size_t n : {0u, 1u, 5u, 128u, 300u, 4097u, 70001u, 270003u}) {
        const auto values = sequence<In, plus>(n, 51);
        array_of<Acc> mapped(n);
        for (std::size_t i = 0; i < n; ++i) mapped[i] = cpu::convert<Acc>(f(values[i]));
        const Acc expected = prefixes<Acc>(span_of(mapped), op)[n];
        const Acc started = prefixes<Acc>(span_of(mapped), op, std::optional<Acc>(Acc(3)))[n];
        for_each_backend(
            cpu::has_kernels<Acc, Op> ? coverage::all : coverage::threads, [&](const auto& backend) {
                const std::span<const In> in = span_of(values);
                EXPECT_TRUE(same_bits(transform_reduce<Acc>(*backend.executor, in, op, f), expected)) << n;
                EXPECT_TRUE(same_bits(
                    transform_reduce<Acc>(*backend.executor, in, op, f, {.initial = Acc(3)}), started))
                    << n;
            });
    }
}
struct squared {
    UPSWEEP_HOST_DEVICE float operator()(float x) const { return x * x; }
};
struct squared_wide {
    UPSWEEP_HOST_DEVICE std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t{x} * x; }
};
struct root_of_size {
    UPSWEEP_HOST_DEVICE double operator()(std::int16_t x) const {
        return std::sqrt(std::abs(static_cast<double>(x)));
    }
};
struct exceeds_tenth {
    UPSWEEP_HOST_DEVICE bool operator()(float x) const { return x > 0.1f; }
};
TEST(transform_reduce, sums_of_squares) { check_transformed<float, float>(plus{}, squared{}); }
TEST(transform_reduce, from_integers_to_double) {
    check_transformed<double, std::int16_t>(plus{}, root_of_size{});
}
TEST(transform_reduce, counts) { check_transformed<std::int64_t, float>(plus{}, exceeds_tenth{}); }
TEST(transform_reduce, without_vector_kernels) {
    check_transformed<std::uint64_t, std::uint32_t>(with_identity(fingerprint{}, std::uint64_t{9}),
                                                    squared_wide{});
}

}  // namespace
}  // namespace upsweep::test
