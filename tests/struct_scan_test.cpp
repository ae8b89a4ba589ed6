// Scans under the operators on structs, affine maps and indexed values, and under the logical operators on
// bool.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

TEST(struct_scan, affine_maps) {
    sweep<affine_map<float>, affine>({0.5f, 2.0f});
    further_sweep<affine_map<double>, affine>({0.5, 2.0}, {}, false);
    further_sweep<affine_map<std::int32_t>, affine>({3, -7}, {}, false);
}

#if !defined(UPSWEEP_TEST_SHADERS)  // which combine neither indexed values nor bool
TEST(struct_scan, argmin_and_argmax) {
    sweep<indexed<float>, argmin>({0.4f, -1});
    sweep<indexed<float>, argmax>({-0.4f, -1}, {}, false);
    further_sweep<indexed<std::int64_t>, argmin>({5, -1}, {}, false);
}

TEST(struct_scan, argmin_takes_the_first_of_equals_in_either_direction) {
    const std::vector<indexed<int>> values{{3, 0}, {1, 1}, {1, 2}, {2, 3}, {1, 4}};
    for_each_backend([&](const auto& backend) {
        std::vector<indexed<int>> out(5);
        inclusive_scan(*backend.executor, values, out, argmin{});
        const std::array<int, 5> forwards{0, 1, 1, 1, 1};
        for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(out[i].index, forwards[i]) << i;
        inclusive_scan(*backend.executor, values, out, argmin{}, {.reverse = true});
        const std::array<int, 5> backwards{1, 1, 2, 4, 4};
        for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(out[i].index, backwards[i]) << i;
    });
}

TEST(struct_scan, a_nan_wins_argmin_and_argmax) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<indexed<double>> values{{3, 0}, {nan, 1}, {-5, 2}, {nan, 3}, {9, 4}};
    for_each_backend([&](const auto& backend) {
        std::vector<indexed<double>> low(5), high(5);
        inclusive_scan(*backend.executor, values, low, argmin{});
        inclusive_scan(*backend.executor, values, high, argmax{});
        for (std::size_t i = 1; i < 5; ++i) {
            EXPECT_EQ(low[i].index, 1) << i;
            EXPECT_EQ(high[i].index, 1) << i;
        }
    });
}

TEST(struct_scan, logical_operators_on_bool) {
    sweep<bool, logical_and>(true);
    further_sweep<bool, logical_or>(false);
    further_sweep<bool, bit_xor>(true, {}, false);
}

// A logical scan of numbers asks whether they are zero; -0.0 is zero, NaN is not.
TEST(struct_scan, logical_operators_on_numbers) {
    const std::vector<float> values{1.0f, -2.5f, std::numeric_limits<float>::quiet_NaN(), -0.0f, 1.0f};
    const std::vector<std::uint8_t> zeros_first{0, 0, 4, 0};
    for_each_backend([&](const auto& backend) {
        std::array<bool, 5> all{};
        inclusive_scan(*backend.executor, values, all, logical_and{});
        EXPECT_EQ(all, (std::array{true, true, true, false, false}));
        std::vector<std::int32_t> any(4, 7);
        inclusive_scan(*backend.executor, zeros_first, any, logical_or{});
        EXPECT_EQ(any, (std::vector{0, 0, 1, 1}));
    });
}

// Counting true elements: bool in, any number out.
TEST(struct_scan, sums_of_bool) {
    sweep<bool, plus, std::int64_t, std::int64_t>(100, {}, false);
    further_sweep<bool, plus, float, std::int32_t>(100, {}, false);
}
#endif

}  // namespace
}  // namespace upsweep::test
