// linear_recurrence with one coefficient for all elements, a number or a view that repeats it: the bits are
// those of as many coefficients.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/refused.hpp"
#include "support/sweep.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/error.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

// Coefficients whose powers stay, decay to subnormal numbers and zero, grow beyond all, or are no numbers.
template <class T>
std::vector<T> coefficients() {
    if constexpr (std::is_floating_point_v<T>) {
        using limits = std::numeric_limits<T>;
        return {T(0.9),
                T(1),
                T(-1),
                T(0.99999),
                T(1e-3),
                T(-0.5),
                T(0),
                -T(0),
                T(1.01),
                T(-3),
                limits::min(),
                limits::max(),
                T(1e-30),
                limits::denorm_min(),
                limits::infinity(),
                limits::quiet_NaN()};
    } else {
        return {T(3), T(0), T(1), T(255)};
    }
}

template <class T>
std::vector<T> expected_of(const T& a, const std::vector<T>& b, const T& x0) {
    core::odometer<affine_map<T>, affine> odometer(affine{}, affine_map<T>{T(0), x0});
    std::vector<T> expected(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        odometer.take({a, b[i]});
        expected[i] = odometer.value()->b;
    }
    return expected;
}

template <class T>
void check(std::size_t n, const T& a, const T& x0, coverage wanted = coverage::levels) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", a = " + describe(a));
    random_bits random(n + 3);
    std::vector<T> numbers(n);
    for (T& number : numbers) number = cpu::convert<T>(random.between(-9, 9));
    std::vector<T> expected = expected_of(a, numbers, x0);
    for (const bool reverse : {false, true}) {
        if (reverse) {
            std::ranges::reverse(numbers);
            std::ranges::reverse(expected);
        }
        for_each_backend(wanted, [&](const auto& backend) {
            guarded<T> b(n, 1 + n % 3), out(n, n % 2);
            for (const guarded<T>* into : {&out, &b}) {
                std::ranges::copy(numbers, b.data());
                linear_recurrence(*backend.executor, a, b.span(), x0, into->span(), {.reverse = reverse});
                const std::size_t wrong = first_difference(into->data(), expected.data(), n);
                ASSERT_EQ(wrong, n) << "got " << describe(into->data()[wrong]) << ", expected "
                                    << describe(expected[wrong]);
                EXPECT_TRUE(b.sentinels_intact() && out.sentinels_intact());
            }
        });
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(one_coefficient, all_sizes) {
    for (const std::size_t n : tile_sizes()) {
        check<float>(n, 0.97f, 0.7f);
        check<double>(n, -0.3, 2.0);
        if (HasFailure()) return;
    }
}
TEST(one_coefficient, around_supers) {
    for (const std::size_t n : super_sizes()) {
        check<float>(n, 0.999f, -1.5f, coverage::all);
        check<double>(n, 0.9999, -1.5, coverage::threads);
    }
}
TEST(one_coefficient, any_coefficient) {
    for (const std::size_t n : {3u, 129u, 300u, 4500u, 9001u}) {
        if (sanitized && n > 129) continue;
        for (const float a : coefficients<float>()) check<float>(n, a, 2.0f);
        for (const double a : coefficients<double>()) check<double>(n, a, 2.0);
        for (const std::int32_t a : coefficients<std::int32_t>()) check<std::int32_t>(n, a, 2);
        if (HasFailure()) return;
    }
    check<float>(core::super_size + 5, 0x1p-126f, 1e30f, coverage::threads);
    check<double>(core::super_size + 5, 0.9, 1e300, coverage::threads);
}

// Results that go past the caches, of streams and of what is converted.
TEST(one_coefficient, past_the_caches) {
    constexpr std::size_t n = small_streamed_bytes / (2 * sizeof(float)) + 130;
    check<float>(n, 0.875f, 1.0f, coverage::threads);
}

TEST(one_coefficient, has_the_type_of_the_arithmetic) {
    cpu::executor ex(1);
    std::vector<float> out(2);
    linear_recurrence(ex, 0.1, std::vector<float>{1, 0}, 0, out);
    EXPECT_EQ(out[1], 0.1f);
    std::vector<double> wide(2);
    linear_recurrence<double>(ex, 0.1, std::vector<float>{1, 0}, 0, wide);
    EXPECT_EQ(wide[1], 0.1);
    std::vector<float16> half(2);
    linear_recurrence(ex, 1.0f, std::vector<float16>{2048.0f, 1.0f}, 1.0f, half);
    EXPECT_EQ(static_cast<float>(half[1]), 2050.0f);  // in float16 it would have stayed at 2048
    std::vector<std::complex<float>> spiral(2);
    linear_recurrence(ex, {0, 1}, std::vector<std::complex<float>>(2, {0, 0}), {1, 0}, spiral);
    EXPECT_EQ(spiral[1], (std::complex<float>{-1, 0}));
}

#if !defined(UPSWEEP_TEST_NCCL)  // which has sequences alone
// Of rows and columns, by one number, or by one of every sequence's own, whose rows are no neighbours either.
void check_along(int axis, const std::array<std::int64_t, 2>& shape, bool same) {
    const std::int64_t length = shape[axis == 0 ? 0 : 1], sequences = shape[axis == 0 ? 1 : 0];
    SCOPED_TRACE(std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", axis " +
                 std::to_string(axis) + (same ? ", a number" : ""));
    const auto n = static_cast<std::size_t>(length * sequences);
    random_bits random(n);
    std::vector<float> b(n), decay(2 * static_cast<std::size_t>(sequences)), expected(n);
    for (float& number : b) number = static_cast<float>(random.between(-9, 9));
    for (float& number : decay) number = static_cast<float>(random.between(0.5, 1));
    for (std::int64_t k = 0; k < sequences; ++k) {
        const auto at = [&](std::size_t i) {
            const auto along = static_cast<std::int64_t>(i);
            return static_cast<std::size_t>(axis == 0 ? along * sequences + k : k * length + along);
        };
        std::vector<float> slice(static_cast<std::size_t>(length));
        for (std::size_t i = 0; i < slice.size(); ++i) slice[i] = b[at(i)];
        slice = expected_of(same ? 0.95f : decay[static_cast<std::size_t>(2 * k)], slice, 0.5f);
        for (std::size_t i = 0; i < slice.size(); ++i) expected[at(i)] = slice[i];
    }
    const strided_view<const float> in(b.data(), shape);
    const strided_view<const float> each(decay.data(), shape,
                                         std::array<std::int64_t, 2>{axis == 0 ? 0 : 2, axis == 0 ? 2 : 0});
    for_each_backend([&](const auto& backend) {
        std::vector<float> out(n);
        const strided_view<float> to(out.data(), shape);
        if (same)
            linear_recurrence(*backend.executor, 0.95f, in, 0.5f, to, axis);
        else
            linear_recurrence(*backend.executor, each, in, 0.5f, to, axis);
        EXPECT_EQ(first_difference(out.data(), expected.data(), n), n);
    });
}
TEST(one_coefficient, along_an_axis) {
    for (const std::array<std::int64_t, 2>& shape :
         {std::array<std::int64_t, 2>{300, 7}, {129, 40}, {5, 1000}, {260, 260}, {4100, 33}}) {
        for (const int axis : {0, 1}) {
            check_along(axis, shape, true);
            check_along(axis, shape, false);
        }
    }
}

#endif

template <class T>
void check_within_out() {
    cpu::executor ex(1);
    const std::vector<T> b(300, T(1));
    std::vector<T> out(b.size(), T(2));
    const std::vector<T> expected = expected_of(T(2), b, T(0));
    linear_recurrence(ex, out[0], b, T(0), out);
    EXPECT_EQ(first_difference(out.data(), expected.data(), out.size()), out.size());
    std::ranges::fill(out, T(2));
    linear_recurrence(ex, out[0], strided_view<const T>(b.data(), {300}), T(0),
                      strided_view<T>(out.data(), {300}), 0);
    EXPECT_EQ(first_difference(out.data(), expected.data(), out.size()), out.size());
}
TEST(one_coefficient, may_be_an_element_of_out) {
    check_within_out<std::int32_t>();
    check_within_out<float>();
}

TEST(one_coefficient, refuses_misuse) {
    cpu::executor ex(1);
    const std::vector<float> five(5);
    guarded<float> out(6);
    expect_refused("out: ", [&] { linear_recurrence(ex, 0.5f, five, 1.0f, out.span()); });
    EXPECT_TRUE(out.untouched());
    std::vector<float> memory(8);
    const std::span<float> all(memory);
    expect_refused("out: ", [&] { linear_recurrence(ex, 0.5f, all.first(5), 1.0f, all.last(5)); });
    EXPECT_NO_THROW(linear_recurrence(ex, 0.5f, std::vector<float>{}, 1.0f, std::span<float>()));
}

}  // namespace
}  // namespace upsweep::test
