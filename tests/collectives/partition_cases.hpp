// Partition of warps against std::stable_partition, for every kind of runner.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "collectives/launch_shape.hpp"
#include "collectives/operators.hpp"
#include "support/bits.hpp"
#include "support/random.hpp"
#include "upsweep/collectives/warp_partition.hpp"

namespace upsweep::test {

// An element that tells where it came from, so that a broken order shows among equal ones.
struct tagged {
    std::uint32_t key = 0;
    std::uint32_t position = 0;
    std::uint32_t check = 0;
    friend bool operator==(const tagged&, const tagged&) = default;
    friend std::ostream& operator<<(std::ostream& out, const tagged& x) {
        return out << x.key << '@' << x.position;
    }
};

enum class partition_way { ballots, scans, places };

// Elements with odd keys go to the left. out: the partition of each warp; then for every thread the number of
// left ones, in the `position` of an otherwise empty element.
struct partition_body {
    partition_way way;

    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const tagged* in, tagged* out) const {
        const auto warp = block.warp();
        const unsigned thread = block.thread();
        const tagged x = in[thread];
        const bool left = x.key % 2 == 1;
        unsigned count = 0;
        if (way == partition_way::ballots)
            out[thread] = warp_partition_if(warp, x, left, &count);
        else if (way == partition_way::scans)
            out[thread] = warp_partition_by_scans(warp, x, left, &count);
        else
            out[thread - warp.lane() + warp_partition_place(warp, left, &count)] = x;
        out[block.size() + thread] = {0, count, 0};
    }
};

template <class T>
struct pivot_body {
    T pivot;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, T* out) const {
        out[block.thread()] = warp_partition(block.warp(), in[block.thread()], pivot);
    }
};

// The keys of one warp's elements: which are odd.
inline bool is_left(unsigned pattern, unsigned lane, random_bits& random) {
    switch (pattern) {
        case 0:
            return false;
        case 1:
            return true;
        case 2:
            return lane % 2 == 0;
        case 3:
            return lane % 2 == 1;
        default:
            return random.below(pattern) == 0;  // ever fewer
    }
}

template <class Runner>
class collectives_partition : public ::testing::Test {
  protected:
    Runner runner;
};
TYPED_TEST_SUITE_P(collectives_partition);

TYPED_TEST_P(collectives_partition, keeps_both_orders) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    random_bits random(7);
    for (const unsigned width : this->runner.warp_widths()) {
        for (unsigned threads = 1; threads <= 2 * width; ++threads) {
            for (unsigned pattern = 0; pattern < 8; ++pattern) {
                std::vector<tagged> x(threads);
                for (unsigned t = 0; t < threads; ++t) {
                    const auto key = static_cast<std::uint32_t>(random());
                    x[t] = {(key & ~1u) | (is_left(pattern, t % width, random) ? 1u : 0u), t, ~t};
                }
                std::vector<tagged> expected = x, counts;
                for (unsigned first = 0; first < threads; first += width) {
                    const auto begin = expected.begin() + first;
                    const auto end = expected.begin() + std::min(first + width, threads);
                    const auto middle =
                        std::stable_partition(begin, end, [](const tagged& e) { return e.key % 2 == 1; });
                    counts.insert(counts.end(), static_cast<std::size_t>(end - begin),
                                  {0, static_cast<std::uint32_t>(middle - begin), 0});
                }
                expected.insert(expected.end(), counts.begin(), counts.end());
                for (const auto way : {partition_way::ballots, partition_way::scans, partition_way::places}) {
                    const auto got = this->runner.template run<tagged>(
                        {.threads = threads, .blocks = 1, .warp_width = width}, x, expected.size(),
                        partition_body{way});
                    ASSERT_EQ(got, expected) << threads << " threads, warps of " << width << ", pattern "
                                             << pattern << ", way " << static_cast<int>(way);
                }
            }
        }
    }
}

TYPED_TEST_P(collectives_partition, not_a_number_goes_right) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const std::vector<double> x{nan, 5.0, -inf, 4.5, inf, nan, -0.0, 5.5};
    const std::vector<double> expected{-inf, 4.5, -0.0, nan, 5.0, inf, nan, 5.5};
    const auto got = this->runner.template run<double>({.threads = 8}, x, 8, pivot_body<double>{5.0});
    EXPECT_EQ(first_difference(got.data(), expected.data(), 8), 8u);
}

TYPED_TEST_P(collectives_partition, worked_examples) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    const std::vector<int> eight{3, 7, 1, 8, 2, 9, 4, 6};
    EXPECT_EQ(this->runner.template run<int>({.threads = 8}, eight, 8, pivot_body<int>{5}),
              (std::vector<int>{3, 1, 2, 4, 7, 8, 9, 6}));

    const std::vector<int> half{3, 7, 1, 8, 2, 9, 4, 6, 0, 10, 3, 11, 1, 12, 4, 13};
    const std::vector<int> low{3, 1, 2, 4, 0, 3, 1, 4}, high{7, 8, 9, 6, 10, 11, 12, 13};
    std::vector<int> twice = half, expected = low;
    twice.insert(twice.end(), half.begin(), half.end());
    expected.insert(expected.end(), low.begin(), low.end());
    expected.insert(expected.end(), high.begin(), high.end());
    expected.insert(expected.end(), high.begin(), high.end());
    EXPECT_EQ(this->runner.template run<int>({.threads = 32}, twice, 32, pivot_body<int>{5}), expected);
}

REGISTER_TYPED_TEST_SUITE_P(collectives_partition, keeps_both_orders, not_a_number_goes_right,
                            worked_examples);

}  // namespace upsweep::test
