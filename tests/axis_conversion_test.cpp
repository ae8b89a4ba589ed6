// Scans along an axis with accumulators or results of another type than the elements.
#include <gtest/gtest.h>

#include "support/axis_check.hpp"

namespace upsweep::test {
namespace {

TEST(axis_conversion, lanes_that_are_converted) {
    for (const std::int64_t lanes : {2, 3, 9, 16, 17, 40, 300, 1001}) {
        if (few_shapes() && lanes % 2 == 0) continue;
        axis_check<std::uint8_t, plus, std::int32_t, std::int32_t>{{}, 5}.run_all({270, lanes});
        axis_check<float16, plus, float16, float>{{}, 0.5f}.run_all({131, lanes});
    }
    axis_check<std::uint8_t, plus, std::int32_t, std::int32_t>{{}, 5}.run_all({sanitized ? 12000 : 30000, 3},
                                                                              coverage::all);
    axis_check<float16, plus, float, float>{{}, 0.5f}.run_all({sanitized ? 2000 : 9000, 40}, coverage::all);
}

TEST(axis_conversion, results_of_another_type) {
    for (const extents& shape :
         {extents{50, 70}, extents{300, 20}, extents{20, 300}, extents{5000, 20}, extents{2, 1, 150}}) {
        axis_check<std::int8_t, plus, std::int64_t, std::int64_t>{{}, 5}.run_all(shape);
        axis_check<float, plus, double, double>{{}, 0.5}.run_all(shape);
    }
}

}  // namespace
}  // namespace upsweep::test
