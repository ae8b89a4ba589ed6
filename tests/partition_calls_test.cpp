// Partition on the CPU: elements that own memory, predicates that change their mind, exceptions and misuse.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/guarded.hpp"
#include "support/refused.hpp"
#include "upsweep/partition.hpp"

namespace upsweep::test {
namespace {

TEST(partition_calls, indices_of_elements_that_are_no_numbers) {
    struct point {
        float x, y;
    };
    std::vector<point> points(20000);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<float>(i % 2), 1.0f};
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::uint32_t> at(points.size());
        const std::size_t count =
            partition_indices_if(*backend.executor, points, at, [](const point& p) { return p.x < p.y; });
        ASSERT_EQ(count, points.size() / 2);
        for (std::size_t k = 0; k < count; ++k) {
            ASSERT_EQ(at[k], 2 * k);
            ASSERT_EQ(at[count + k], 2 * k + 1);
        }
    });
}

TEST(partition_calls, elements_that_own_memory) {
    const std::size_t n = repetitions(60'000, 9'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = "a string of its own, number " + std::to_string(i);
    const auto keep = [](const std::string& s) { return s.back() == '7'; };
    std::vector<std::string> expected = x;
    std::stable_partition(expected.begin(), expected.end(), keep);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::string> out(n);
        EXPECT_EQ(partition_if(*backend.executor, x, out, keep), n / 10);
        EXPECT_EQ(out, expected);
    });
}

// A predicate that changes its mind gets any order, but nothing is written outside `out`.
TEST(partition_calls, a_predicate_that_changes_its_mind) {
    const std::size_t n = repetitions(300'000, 50'000);
    const std::vector<std::uint32_t> x = indices_of<std::uint32_t>(n);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const bool more_later : {false, true}) {
            std::atomic<std::size_t> asked{0};
            const auto keep = [&](std::uint32_t) { return (asked.fetch_add(1) < n) != more_later; };
            guarded<std::uint32_t> out(n, 1);
            EXPECT_LE(partition_if(*backend.executor, x, out.span(), keep), n);
            EXPECT_TRUE(out.sentinels_intact());
        }
    });
}

TEST(partition_calls, passes_exceptions_on) {
    const std::vector<int> x = indices_of<int>(200'000);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const int bad : {0, 777, 199'999}) {
            const auto keep = [=](int i) {
                if (i == bad) throw std::runtime_error("no");
                return i % 2 == 0;
            };
            std::vector<int> out(x.size());
            EXPECT_THROW(partition_if(*backend.executor, x, out, keep), std::runtime_error);
        }
    });
}

TEST(partition_calls, misuse) {
    cpu::executor ex(2);
    std::vector<int> memory(100, 1);
    const std::span<int> all(memory);
    const auto refused = [&](const std::string& beginning, const auto& call) {
        expect_refused(beginning, call);
        EXPECT_EQ(memory, std::vector<int>(100, 1));
    };
    const std::vector<std::uint8_t> flags(100, 1);
    refused("flags: expected 99", [&] { partition(ex, flags, std::vector<int>(99), all); });
    refused("out: expected 99", [&] { partition_if(ex, std::vector<int>(99), all, less_than(5)); });
    refused("out: expected 99", [&] { partition_indices(ex, std::vector<int>(99), all); });
    refused("out: overlaps in", [&] { partition_if(ex, all, all, less_than(5)); });
    refused("out: overlaps in", [&] { partition_if(ex, all.first(50), all.subspan(1, 50), less_than(5)); });
    refused("out: overlaps flags", [&] { partition(ex, all, std::vector<int>(100), all); });
    refused("out: overlaps flags", [&] { partition_indices(ex, all, all); });
    refused("out: overlaps in", [&] { partition_indices_if(ex, all, all, less_than(5)); });
    std::vector<std::int8_t> narrow(300, 3);
    refused("out: index 299 does not fit", [&] { partition_indices(ex, std::vector<int>(300, 1), narrow); });
}

}  // namespace
}  // namespace upsweep::test
