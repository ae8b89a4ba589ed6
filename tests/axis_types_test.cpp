// Scans along an axis of other types than the common ones, with other operators.
#include <gtest/gtest.h>

#include "support/axis_check.hpp"

namespace upsweep::test {
namespace {

TEST(axis_types, other_types_and_operators) {
    for (const extents& shape :
         {extents{50, 70}, extents{300, 9}, extents{9, 300}, extents{5, 30, 41}, extents{4200, 20}}) {
        axis_check<double, multiplies>{{}, -1.5}.run_all(shape);
        axis_check<std::int8_t, plus>{{}, 5}.run_all(shape);
        axis_check<std::int64_t, maximum>{{}, -5}.run_all(shape);
        axis_check<std::uint16_t, bit_xor>{{}, 77}.run_all(shape);
        axis_check<float, minimum>{{}, 0.3f}.run_all(shape);
        axis_check<float16, plus, float16, float>{{}, 0.5f}.run_all(shape);
        if (sanitized) break;
    }
}

}  // namespace
}  // namespace upsweep::test
