// linear_recurrence: x[i] = a[i] x[i-1] + b[i], bit for bit the scan of affine maps that docs/numerics.md
// says it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "support/sweep.hpp"
#include "upsweep/error.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

template <class T>
void check(std::size_t n, T x0) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto maps = sequence<affine_map<T>, affine>(n, 71);
    const auto prefix =
        prefixes<affine_map<T>>(span_of(maps), affine{}, std::optional<affine_map<T>>({T(0), x0}));
    guarded<T> a(n, 1), b(n, 2), out(n, 5);
    std::vector<T> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = prefix[i + 1].b;
    const auto refill = [&] {
        a.reset(n, 1 + n % 3);
        b.reset(n, 2 + n % 5);
        out.reset(n, 5);
        for (std::size_t i = 0; i < n; ++i) {
            a.data()[i] = maps[i].a;
            b.data()[i] = maps[i].b;
        }
    };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const guarded<T>* into : {&out, &a, &b}) {
            for (const bool reverse : {false, true}) {
                refill();
                if (reverse) {
                    std::ranges::reverse(a.span());
                    std::ranges::reverse(b.span());
                }
                linear_recurrence(*backend.executor, a.span(), b.span(), x0, into->span(),
                                  {.reverse = reverse});
                if (reverse) std::ranges::reverse(into->span());
                const std::size_t wrong = first_difference(into->data(), expected.data(), n);
                if (wrong != n && !excuse<affine, affine_map<T>>(*backend.executor).empty())
                    GTEST_SKIP() << "not a bit-conforming driver: "
                                 << excuse<affine, affine_map<T>>(*backend.executor);
                ASSERT_EQ(wrong, n) << "got " << describe(into->data()[wrong]) << ", expected "
                                    << describe(expected[wrong]);
                EXPECT_TRUE(a.sentinels_intact() && b.sentinels_intact() && out.sentinels_intact());
                EXPECT_TRUE(into == &out || out.untouched());
            }
        }
    });
}

TEST(recurrence, float_at_all_sizes) {
    for (const std::size_t n : tile_sizes()) {
        if (sanitized && n > 40 && n % 7 != 0) continue;
        check<float>(n, 0.7f);
        if (HasFailure()) return;
    }
}
TEST(recurrence, around_supers) {
    for (const std::size_t n : super_sizes()) check<float>(n, -1.5f);
}
#if !defined(UPSWEEP_TEST_SHADERS)  // which have affine maps of float alone
// Results that go past the caches, at addresses at which the kernels can do so by themselves and others.
TEST(recurrence, past_the_caches) {
    constexpr std::size_t n = small_streamed_bytes / (3 * sizeof(float)) + 130;
    random_bits random(9);
    std::vector<float> a(n), b(n), expected(n), out(n + 4);
    core::odometer<affine_map<float>, affine> odometer(affine{}, affine_map<float>{0, 0.5f});
    for (std::size_t i = 0; i < n; ++i) {
        a[i] = static_cast<float>(random.between(-1, 1));
        b[i] = static_cast<float>(random.between(-1, 1));
        odometer.take({a[i], b[i]});
        expected[i] = odometer.value()->b;
    }
    for_each_backend([&](const auto& backend) {
        for (const std::size_t offset : {0u, 1u}) {
            std::ranges::fill(out, -7.0f);
            const std::span<float> to = std::span(out).subspan(offset, n);
            linear_recurrence(*backend.executor, a, b, 0.5f, to);
            EXPECT_EQ(first_difference(to.data(), expected.data(), n), n);
            EXPECT_EQ(out[n + offset], -7.0f);
        }
    });
}
TEST(recurrence, other_types) {
    for (const std::size_t n : {1u, 5u, 130u, 4097u, 70001u}) {
        check<double>(n, 0.1);
        check<std::int32_t>(n, 3);
        check<std::uint8_t>(n, std::uint8_t{200});
    }
}
#endif

TEST(recurrence, by_hand) {
    for_each_backend([](const auto& backend) {
        std::vector<float> out(4);
        linear_recurrence(*backend.executor, std::vector<float>(4, 2.0f), std::vector<float>(4, 1.0f), 0.0f,
                          out);
        EXPECT_EQ(out, (std::vector{1.0f, 3.0f, 7.0f, 15.0f}));
        // 1000 at 50 % a period, less a payment of 100
        linear_recurrence(*backend.executor, std::vector<float>(4, 1.5f), std::vector<float>(4, -100.0f),
                          1000.0f, out);
        EXPECT_EQ(out, (std::vector{1400.0f, 2000.0f, 2900.0f, 4250.0f}));
        // A factor of 0 forgets.
        linear_recurrence(*backend.executor, std::vector<float>{1, 1, 0, 1}, std::vector<float>{1, 1, 5, 1},
                          9.0f, out);
        EXPECT_EQ(out, (std::vector{10.0f, 11.0f, 5.0f, 6.0f}));
    });
}

#if !defined(UPSWEEP_TEST_SHADERS)

TEST(recurrence, the_arithmetic_happens_in_the_common_type) {
    cpu::executor ex(1);
    std::vector<double> out(2);
    linear_recurrence(ex, std::vector<float>{3.0f, 3.0f}, std::vector<double>{1e-9, 0}, 1.0, out);
    EXPECT_EQ(out[1], 3.0 * (3.0 + 1e-9));
    std::vector<float16> half(2);
    linear_recurrence(ex, std::vector<float16>{1.0f, 1.0f}, std::vector<float16>{2048.0f, 1.0f}, 1.0f, half);
    EXPECT_EQ(static_cast<float>(half[1]), 2050.0f);  // in float16 it would have stayed at 2048
    std::vector<std::complex<float>> spiral(2);
    linear_recurrence(ex, std::vector<std::complex<float>>(2, {0, 1}),
                      std::vector<std::complex<float>>(2, {0, 0}), {1, 0}, spiral);
    EXPECT_EQ(spiral[1], (std::complex<float>{-1, 0}));
}

TEST(recurrence, refuses_misuse) {
    cpu::executor ex(1);
    const std::vector<float> five(5), six(6);
    guarded<float> out(5);
    expect_refused("b: ", [&] { linear_recurrence(ex, five, six, 1.0f, out.span()); });
    expect_refused("out: ", [&] { linear_recurrence(ex, six, six, 1.0f, out.span()); });
    EXPECT_TRUE(out.untouched());
    std::vector<float> memory(8);
    const std::span<float> all(memory);
    expect_refused("out: ", [&] { linear_recurrence(ex, five, all.first(5), 1.0f, all.last(5)); });
    expect_refused("out: ", [&] { linear_recurrence(ex, all.first(5), five, 1.0f, all.last(5)); });
    EXPECT_NO_THROW(
        linear_recurrence(ex, std::vector<float>{}, std::vector<float>{}, 1.0f, std::span<float>()));
}
#endif

}  // namespace
}  // namespace upsweep::test
