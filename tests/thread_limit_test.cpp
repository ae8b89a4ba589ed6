// How many threads are worth waiting for, by a clock of the test's own.
#include "src/cpu/thread_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::test {
namespace {

TEST(thread_limit, stays_while_half_of_the_threads_would_take_as_long) {
    cpu::thread_limit limit(16);
    std::int64_t now = 1'000'000;
    for (int i = 0; i < 1000; ++i) {
        // Never twice as long on average, but often for single calls.
        limit.count(i % 3 == 0 ? 3.5 : 1, 2, now += 500);
        ASSERT_EQ(limit.at(now), 16u) << i;
    }
}

TEST(thread_limit, halves_when_they_keep_being_late) {
    cpu::thread_limit limit(16);
    std::int64_t now = 1'000'000;
    int calls = 0;
    for (const std::size_t allowed : {8u, 4u, 2u, 1u}) {
        const std::size_t had = limit.at(now);
        for (; limit.at(now) == had; ++calls) limit.count(2.5, 2, now += 100);
        EXPECT_EQ(limit.at(now), allowed);
    }
    EXPECT_GT(calls, 4 * 5);  // each number of threads is tried anew
    EXPECT_LT(calls, 4 * 20);
    limit.count(1000, 2, now);
    EXPECT_EQ(limit.at(now), 1u);
}

// Twice as many threads that make the work a quarter faster are not worth waiting for a third of the time.
TEST(thread_limit, halves_sooner_where_helpers_bring_less) {
    std::int64_t now = 1'000'000;
    for (const double doubled_speed : {1.25, 2.0}) {
        cpu::thread_limit limit(2);
        for (int i = 0; i < 100; ++i) limit.count(1.5, doubled_speed, now += 100);
        EXPECT_EQ(limit.at(now), doubled_speed < 1.5 ? 1u : 2u) << doubled_speed;
    }
}

TEST(thread_limit, comes_back_and_is_quick_to_halve_again) {
    cpu::thread_limit limit(2);
    std::int64_t now = 1'000'000;
    std::int64_t expected = 25'000;
    for (int round = 0; round < 6; ++round) {
        limit.count(round == 0 ? 40 : 2.1, 2, now);  // a time slice; then any that is late
        EXPECT_EQ(limit.at(now), 1u);
        EXPECT_EQ(limit.at(now + expected - 1), 1u);
        EXPECT_EQ(limit.at(now + expected), 2u);
        now += expected;
        expected = std::min<std::int64_t>(4 * expected, 1'000'000);
    }
    // After enough calls in time everything is forgotten.
    for (int i = 0; i < 100; ++i) limit.count(1, 2, now);
    limit.count(2.1, 2, now);
    EXPECT_EQ(limit.at(now), 2u);
    limit.count(40, 2, now);
    EXPECT_EQ(limit.at(now + 25'001), 2u);
}

}  // namespace
}  // namespace upsweep::test
