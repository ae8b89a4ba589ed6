// Scans of complex numbers: component-wise sums, and products by the textbook formula.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

TEST(complex_scan, plus) {
    sweep<std::complex<float>, plus>({0.3f, -0.1f});
    further_sweep<std::complex<double>, plus>({0.3, -0.1}, {}, false);
}
TEST(complex_scan, multiplies) {
    further_sweep<std::complex<float>, multiplies>({0.9f, 0.5f}, {}, false);
    sweep<std::complex<double>, multiplies>({0.9, 0.5});
}
TEST(complex_scan, from_real_elements) {
    sweep<float, plus, std::complex<float>, std::complex<float>>({0.0f, 1.0f}, {}, false);
}

TEST(complex_scan, summed_in_double_precision) {
    sweep<std::complex<float>, plus, std::complex<double>, std::complex<float>>({0.0, 1.0}, {}, false);
}

// (a + bi)(c + di) = (ac - bd) + (ad + bc)i, four products and two sums, whatever they give.
TEST(complex_scan, products_with_infinities_are_the_formulas) {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<std::complex<float>> values{{infinity, 0}, {0, 1}, {2, 3}};
    for_each_backend([&](const auto& backend) {
        std::vector<std::complex<float>> out(3);
        inclusive_scan(*backend.executor, values, out, multiplies{});
        EXPECT_TRUE(same_bits(out[0], values[0]));
        EXPECT_TRUE(std::isnan(out[1].real()) && out[1].imag() == infinity);  // inf * 0 - 0 * 1 is NaN
    });
}

TEST(complex_scan, exclusive_sums_begin_with_the_identity) {
    for_each_backend([&](const auto& backend) {
        std::vector<std::complex<double>> out(2, 5.0);
        exclusive_scan(*backend.executor, std::vector<std::complex<double>>{{1, 2}, {3, 4}}, out);
        EXPECT_TRUE(same_bits(out[0], std::complex<double>(-0.0, -0.0)));
        EXPECT_TRUE(same_bits(out[1], std::complex<double>(1, 2)));
    });
}

}  // namespace
}  // namespace upsweep::test
