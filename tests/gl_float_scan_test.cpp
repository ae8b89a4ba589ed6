// Scans of floating-point numbers and affine maps in OpenGL 4.3 and OpenGL ES 3.1: the bits of the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/gl_sweep.hpp"
#include "support/random.hpp"

namespace upsweep::test {
namespace {

class gl_float_scan : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_float_scan);

TEST_P(gl_float_scan, float32) {
    gl_sweep<float, plus>(gl(), executor(), 0.3f);
    if (brief()) return;
    gl_sweep<float, multiplies>(gl(), executor(), -1.5f);
    gl_sweep<float, minimum>(gl(), executor(), 0.25f);
    gl_sweep<float, maximum>(gl(), executor(), -0.25f);
}
TEST_P(gl_float_scan, float64) {
    if (es()) {
        const gl_memory<double> memory(gl(), 4);
        try {
            inclusive_scan(executor(), memory.span(), memory.span());
            ADD_FAILURE() << "OpenGL ES scanned doubles";
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::unsupported);
        }
        gl_sweep<double, minimum>(gl(), executor(), 0.3);  // integer arithmetic
        return;
    }
    gl_sweep<double, plus>(gl(), executor(), 0.3);
    if (brief()) return;
    gl_sweep<double, multiplies>(gl(), executor(), 1.5);
    gl_sweep<double, minimum>(gl(), executor(), 0.3);
    gl_sweep<double, maximum>(gl(), executor(), 0.3);
}
TEST_P(gl_float_scan, affine_maps) {
    gl_sweep<affine_map<float>, affine>(gl(), executor(), affine_map<float>{0.5f, 2.0f});
}

// NaN wins, -0 < +0, and subnormal numbers are numbers.
TEST_P(gl_float_scan, special_values) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const float specials[] = {0.0f, -0.0f, 1e-40f, -1e-40f, 0x1p-149f, 1.0f, -1.0f, inf, -inf, nan};
    random_bits random(3);
    array_of<float> values(5000);
    const auto check_operator = [&](const auto& op) {
        for (const bool with_nan : {false, true}) {
            for (float& value : values) value = specials[random.below(with_nan ? 10 : 7)];
            gl_check<float> check(gl_operation<float>::of(op, op), values, -0.0f);
            for (std::size_t mode = 0; mode < 8; ++mode)
                check.run(gl(), executor(), values.size(), gl_mode(mode), 0, 1);
        }
    };
    check_operator(plus{});
    if (brief()) return;
    check_operator(minimum{});
    check_operator(maximum{});
}

TEST_P(gl_float_scan, running_sums_never_decrease) {
    random_bits random(11);
    std::vector<float> values(300000);
    for (float& value : values) value = static_cast<float>(random.unit());
    const gl_memory<float> in(gl(), std::span<const float>(values)), out(gl(), values.size());
    inclusive_scan(executor(), in.span(), out.span());
    const std::vector<float> sums = out.read();
    EXPECT_TRUE(std::is_sorted(sums.begin(), sums.end()));
}

}  // namespace
}  // namespace upsweep::test
