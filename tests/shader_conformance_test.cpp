// The verdict on drivers, from drivers made up here: one that is right, one that flushes, one that fuses, one
// that rounds otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shader/conformance.hpp"

namespace upsweep::test {
namespace {

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

// The report on a driver that computes float sums, float products and the second component of affine maps
// like this.
shader::conformance report_on(const std::function<float(float, float)>& sum,
                              const std::function<float(float, float)>& product,
                              const std::function<float(float, float, float)>& product_and_sum) {
    shader::conformance report;
    for (const shader::probe_case& asked : shader::probe_cases(false)) {
        std::vector<std::uint32_t> results;
        const auto in = [&](std::size_t i) { return std::bit_cast<float>(asked.pairs[i]); };
        const auto out = [&](float x) { results.push_back(std::bit_cast<std::uint32_t>(x)); };
        for (std::size_t i = 0; i < asked.count(); ++i) {
            if (asked.op.type == shader::element_type::affine32) {
                out(in(4 * i) * in(4 * i + 2));
                out(product_and_sum(in(4 * i + 2), in(4 * i + 1), in(4 * i + 3)));
            } else if (asked.op.line == shader::operator_line::plus) {
                out(sum(in(2 * i), in(2 * i + 1)));
            } else {
                out(product(in(2 * i), in(2 * i + 1)));
            }
        }
        shader::judge(asked, results, report);
    }
    return report;
}

const auto right_sum = [](float a, float b) { return a + b; };
const auto right_product = [](float a, float b) { return a * b; };
const auto right_map = [](float a, float b, float c) {
    const float product = a * b;
    return product + c;
};
using lines = std::vector<std::string>;

TEST(shader_conformance, a_right_driver) {
    EXPECT_TRUE(report_on(right_sum, right_product, right_map).conforming());
}
TEST(shader_conformance, flushing) {
    const auto operands =
        report_on([](float a, float b) { return flushed(a) + flushed(b); }, right_product, right_map);
    EXPECT_EQ(operands.findings, (lines{"float sums: subnormal operands count as zero"}));
    const auto results = report_on(
        right_sum, [](float a, float b) { return flushed(a * b); }, right_map);
    EXPECT_NE(std::find(results.findings.begin(), results.findings.end(),
                        "float products: subnormal results become zero"),
              results.findings.end());
}
TEST(shader_conformance, flushing_within_maps) {
    const auto report = report_on(right_sum, right_product, [](float a, float b, float c) {
        return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
    });
    EXPECT_NE(std::find(report.findings.begin(), report.findings.end(),
                        "affine maps: subnormal numbers become zero"),
              report.findings.end());
}
TEST(shader_conformance, fusing) {
    const auto report =
        report_on(right_sum, right_product, [](float a, float b, float c) { return std::fma(a, b, c); });
    EXPECT_EQ(report.findings, (lines{"affine maps: a product and a sum are fused"}));
}
TEST(shader_conformance, signs_and_rounding) {
    const auto sign = report_on([](float a, float b) { return a + b + 0.0f; }, right_product, right_map);
    EXPECT_EQ(sign.findings, (lines{"float sums: the sign of a zero is lost"}));
    const auto rounding = report_on(
        right_sum,
        [](float a, float b) {
            const float x = a * b;
            return std::isnormal(x) && std::fma(a, b, -x) < 0 ? std::nextafter(x, 0.0f) : x;
        },
        right_map);
    EXPECT_NE(std::find(rounding.findings.begin(), rounding.findings.end(),
                        "float products: results are rounded otherwise"),
              rounding.findings.end());
}

}  // namespace
}  // namespace upsweep::test
