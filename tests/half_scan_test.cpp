// Scans of the 16-bit floating-point types: accumulated in float, rounded once when stored.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// minimum and maximum as well: their results are elements, so rounding on store must give them back.
template <class T>
void sweep_half() {
    sweep<T, plus, T, float>(0.3f);
    sweep<T, maximum, T, float>(-0.45f, {}, false);
    further_sweep<T, multiplies, T, float>(-1.5f, {}, false);
    further_sweep<T, minimum, T, float>(0.45f, {}, false);
}
TEST(half_scan, float16) { sweep_half<float16>(); }
TEST(half_scan, bfloat16) { sweep_half<bfloat16>(); }
#if defined(UPSWEEP_HAS_FLOAT16) && !defined(UPSWEEP_TEST_CUDA)
TEST(half_scan, the_compilers_own_type) { sweep_half<_Float16>(); }
#endif

TEST(half_scan, the_accumulator_is_float) {
    static_assert(std::is_same_v<accumulator_type<float16>, float> &&
                  std::is_same_v<accumulator_type<bfloat16>, float>);
    // In float16 arithmetic 2048 + 1 + 1 would stay at 2048, in bfloat16 256 + 1 + 1 at 256.
    for_each_backend([&](const auto& backend) {
        std::vector<float16> out(3);
        inclusive_scan(*backend.executor, std::vector<float16>{2048.0f, 1.0f, 1.0f}, out);
        EXPECT_EQ(static_cast<float>(out[1]), 2048.0f);  // 2049 rounded to even
        EXPECT_EQ(static_cast<float>(out[2]), 2050.0f);
        std::vector<bfloat16> narrow(3);
        inclusive_scan(*backend.executor, std::vector<bfloat16>{256.0f, 1.0f, 1.0f}, narrow);
        EXPECT_EQ(static_cast<float>(narrow[1]), 256.0f);
        EXPECT_EQ(static_cast<float>(narrow[2]), 258.0f);
    });
}

TEST(half_scan, from_and_to_wider_types) {
    sweep<float16, plus, float, float>(0.5f, {}, false);
    sweep<float, plus, bfloat16, float>(0.5f, {}, false);
    sweep<double, plus, float16, double>(0.5);
    further_sweep<bfloat16, plus, float16, float>(0.5f, {}, false);
    further_sweep<float16, plus, double, double>(0.5, {}, false);
    further_sweep<std::int16_t, plus, float16, float>(0.5f, {}, false);
}

// Results next to the middle between two of 16 bits, where rounding to float first would round to the other.
TEST(half_scan, results_of_wider_types_are_rounded_once) {
    for_each_backend(coverage::levels, [&](const auto& backend) {
        const std::vector<double> halves{1.0, 0x1p-11 + 0x1p-40, -0x1p-39};
        std::vector<float16> out(3);
        inclusive_scan<double>(*backend.executor, halves, out);
        EXPECT_EQ(out[0].bits, 0x3c00);
        EXPECT_EQ(out[1].bits, 0x3c01);
        EXPECT_EQ(out[2].bits, 0x3c00);
        const std::vector<double> brains{1.0, 0x1p-8 + 0x1p-40, -0x1p-39};
        std::vector<bfloat16> narrow(3);
        inclusive_scan<double>(*backend.executor, brains, narrow);
        EXPECT_EQ(narrow[0].bits, 0x3f80);
        EXPECT_EQ(narrow[1].bits, 0x3f81);
        EXPECT_EQ(narrow[2].bits, 0x3f80);
        const std::vector<std::int64_t> integers{std::int64_t{1} << 60, (std::int64_t{1} << 52) + 1, -2};
        inclusive_scan<std::int64_t>(*backend.executor, integers, narrow);
        EXPECT_EQ(narrow[0].bits, 0x5d80);
        EXPECT_EQ(narrow[1].bits, 0x5d81);
        EXPECT_EQ(narrow[2].bits, 0x5d80);
    });
}

TEST(half_scan, overflow_is_infinite_only_when_stored) {
    for_each_backend(coverage::levels, [&](const auto& backend) {
        const std::vector<float16> values{60000.0f, 60000.0f, -60000.0f, -0.0f};
        std::vector<float16> out(4);
        inclusive_scan(*backend.executor, values, out);
        EXPECT_EQ(out[0].bits, float16(60000.0f).bits);
        EXPECT_EQ(out[1].bits, 0x7c00);
        EXPECT_EQ(out[2].bits, float16(60000.0f).bits);
        EXPECT_EQ(out[3].bits, float16(60000.0f).bits);
    });
}

}  // namespace
}  // namespace upsweep::test
