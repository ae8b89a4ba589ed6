// Scans along an axis of words, with an operator that keeps the order of what it joins.
#include <gtest/gtest.h>

#include "support/axis_check.hpp"

namespace upsweep::test {
namespace {

TEST(axis_words, concatenation) {
    for (const extents& shape : {extents{20, 30}, extents{300, 9}, extents{5, 12, 13}, extents{4100, 7}}) {
        if (few_shapes() && shape[0] == 300) continue;
        axis_check<word, concatenate>{{}, word::letter('!')}.run_all(shape, coverage::threads);
    }
}

}  // namespace
}  // namespace upsweep::test
