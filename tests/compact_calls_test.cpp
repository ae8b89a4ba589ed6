// Compaction on the CPU: how predicates are asked, elements that own memory, exceptions and misuse.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/refused.hpp"
#include "upsweep/compact.hpp"

namespace upsweep::test {
namespace {

// A predicate is asked once for an element, wherever the elements go.
TEST(compact_calls, asks_once) {
    const std::size_t n = repetitions(400'000, 60'000);
    const std::vector<int> x = indices_of<int>(n);
    std::vector<std::atomic<std::uint8_t>> asked(n);
    const auto keep = [&](int i) {
        asked[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
        return i % 3 == 0;
    };
    const auto all_once = [&] {
        bool once = true;
        for (auto& each : asked) once = each.exchange(0) == 1 && once;
        return once;
    };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<int> out(n);
        EXPECT_EQ(compact_if(*backend.executor, x, out, keep), (n + 2) / 3);
        EXPECT_TRUE(all_once());
        out = x;
        EXPECT_EQ(compact_if(*backend.executor, out, out, keep), (n + 2) / 3);
        EXPECT_TRUE(all_once());
        EXPECT_EQ(compact_indices_if(*backend.executor, x, out, keep), (n + 2) / 3);
        EXPECT_TRUE(all_once());
    });
}

TEST(compact_calls, indices_of_elements_that_are_no_numbers) {
    struct point {
        float x, y;
    };
    std::vector<point> points(20000);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<float>(i % 7), 1.0f};
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::uint32_t> found(points.size());
        const std::size_t count =
            compact_indices_if(*backend.executor, points, found, [](const point& p) { return p.x < p.y; });
        ASSERT_EQ(count, (points.size() + 6) / 7);
        for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(found[k], 7 * k);
    });
}

// On one thread a predicate may have a memory of its own: it is asked in order.
template <class T>
void check_in_order() {
    const std::vector<T> x = random_elements<T>(5'003, 6);
    cpu::executor one(1);
    std::vector<T> out(x.size()), expected;
    std::size_t asked = 0;
    const auto every_third = [&](const T&) { return ++asked % 3 == 0; };
    for (std::size_t i = 2; i < x.size(); i += 3) expected.push_back(x[i]);
    out.resize(compact_if(one, x, out, every_third));
    EXPECT_EQ(asked, x.size());
    EXPECT_TRUE(same_bytes<T>(out, expected));
}
TEST(compact_calls, asks_in_order_on_one_thread) {
    check_in_order<std::int8_t>();
    check_in_order<std::int16_t>();
    check_in_order<std::int32_t>();
    check_in_order<float>();
    check_in_order<double>();
}

TEST(compact_calls, elements_that_own_memory) {
    const std::size_t n = repetitions(60'000, 9'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = "a string of its own, number " + std::to_string(i);
    const auto keep = [](const std::string& s) { return s.back() != '7'; };
    std::vector<std::string> expected;
    std::copy_if(x.begin(), x.end(), std::back_inserter(expected), keep);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::string> out(n, "untouched");
        ASSERT_EQ(compact_if(*backend.executor, x, out, keep), expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
        EXPECT_EQ(out.back(), "untouched");
        out = x;
        ASSERT_EQ(compact_if(*backend.executor, out, out, keep), expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    });
}

TEST(compact_calls, passes_exceptions_on) {
    const std::vector<int> x = indices_of<int>(200'000);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const int bad : {0, 777, 150'000, 199'999}) {
            const auto keep = [=](int i) {
                if (i == bad) throw std::runtime_error("no");
                return i % 2 == 0;
            };
            std::vector<int> out(x.size());
            EXPECT_THROW(compact_if(*backend.executor, x, out, keep), std::runtime_error);
        }
        std::vector<int> out(x.size());
        EXPECT_EQ(compact_if(*backend.executor, x, out, at_least(199'000)), 1000u);
    });
}

TEST(compact_calls, misuse) {
    cpu::executor ex(2);
    std::vector<int> memory(100, 1);
    const std::span<int> all(memory);
    std::vector<std::uint8_t> flags(100, 1);
    const auto refused = [&](const std::string& beginning, const auto& call) {
        expect_refused(beginning, call);
        EXPECT_EQ(memory, std::vector<int>(100, 1));
    };
    const std::vector<int> x(99, 2);
    refused("flags: expected 99", [&] { compact(ex, flags, x, all); });
    refused("out: overlaps in", [&] { compact_if(ex, all.first(50), all.subspan(1), less_than(5)); });
    refused("out: overlaps in", [&] { compact_if(ex, all.subspan(1, 50), all.first(50), less_than(5)); });
    refused("out: overlaps in", [&] {
        compact_if(ex, all, std::span(reinterpret_cast<unsigned*>(memory.data()), 100), less_than(5));
    });
    refused("out: overlaps flags", [&] { compact(ex, all, std::vector<int>(100), all.subspan(99)); });
    refused("out: overlaps flags", [&] { compact_indices(ex, all, all.first(3)); });
    refused("out: overlaps in", [&] { compact_indices_if(ex, all, all.first(3), less_than(5)); });
    std::vector<std::int8_t> narrow(300, 3);
    refused("out: index 299 does not fit", [&] { compact_indices(ex, std::vector<int>(300, 1), narrow); });
    EXPECT_EQ(narrow, std::vector<std::int8_t>(300, 3));
}

}  // namespace
}  // namespace upsweep::test
