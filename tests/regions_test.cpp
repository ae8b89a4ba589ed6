// Scans over regions that keep their threads, with threads left alone. chain_script_test.cpp goes through the
// orders of their steps without threads.
#include "upsweep/cpu/regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/word_kernel.hpp"
#include "upsweep/cpu/inline_array.hpp"
#include "upsweep/cpu/shared_span.hpp"

namespace upsweep::test {
namespace {

// ---- the parts ----

TEST(shared_span, gives_every_index_once) {
    cpu::shared_span span;
    EXPECT_EQ(span.take_first(), cpu::shared_span::none);
    EXPECT_EQ(span.take_last(), cpu::shared_span::none);
    span.reset({3, 6});
    EXPECT_EQ(span.take_first(), 3u);
    EXPECT_EQ(span.take_last(), 5u);
    EXPECT_EQ(span.take_last(), 4u);
    EXPECT_EQ(span.take_first(), cpu::shared_span::none);
    EXPECT_EQ(span.take_last(), cpu::shared_span::none);
    span.append(2);
    EXPECT_EQ(span.now().first, 4u);
    EXPECT_EQ(span.now().last, 6u);
    EXPECT_FALSE(span.change([](auto&) { return false; }));
    EXPECT_TRUE(span.change([](auto& b) {
        b.last = 5;
        return true;
    }));
    EXPECT_EQ(span.take_first(), 4u);
    EXPECT_EQ(span.take_first(), cpu::shared_span::none);
}

TEST(shared_span, from_several_threads) {
    constexpr std::size_t count = 5000;
    cpu::shared_span span;
    span.reset({0, count});
    std::vector<std::atomic<int>> taken(2 * count);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&, k] {
            for (std::size_t i; (i = k % 2 == 0 ? span.take_first() : span.take_last()) != span.none;)
                taken[i].fetch_add(1);
        });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    span.reset({count, count});
    std::atomic<bool> all_there{false};
    for (int k = 0; k < 3; ++k) {
        threads.emplace_back([&] {
            for (std::size_t i; (i = span.take_first()) != span.none || !all_there.load();)
                i == span.none ? std::this_thread::yield() : void(taken[i].fetch_add(1));
            for (std::size_t i; (i = span.take_first()) != span.none;) taken[i].fetch_add(1);
        });
    }
    for (std::size_t i = 0; i < count; i += 5) span.append(5);
    all_there = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(std::ranges::all_of(taken, [](const auto& times) { return times.load() == 1; }));
}

TEST(inline_array, makes_and_destroys_as_many_as_it_was_asked_for) {
    static int alive;
    struct counted {
        int value = 7;
        counted() { ++alive; }
        ~counted() { --alive; }
    };
    alive = 0;
    for (const std::size_t size : {0u, 1u, 5u, 8u}) {
        cpu::inline_array<counted, 8> array(size);
        EXPECT_EQ(alive, static_cast<int>(size));
        for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(array[i].value, 7);
    }
    EXPECT_EQ(alive, 0);
}

// ---- threads left alone ----

TEST(regions, any_number_of_regions_and_threads) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t regions = 1; regions <= 60; ++regions) {
            for (const std::size_t helpers : {std::size_t{1}, backend.threads - 1, std::size_t{80}}) {
                if (helpers == 0) continue;
                const word_kernel kernel(regions);
                kernel.expect_right(
                    "S", cpu::run_regions(*backend.executor, helpers, regions, kernel, std::string("S")));
            }
        }
        const word_kernel kernel(cpu::most_regions);
        kernel.expect_right("",
                            cpu::run_regions(*backend.executor, 3, cpu::most_regions, kernel, std::string()));
    });
}

TEST(regions, uneven_regions) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t round = 0; round < repetitions(10, 8); ++round) {
            const uneven_kernel kernel(60 + round);
            kernel.expect_right("",
                                cpu::run_regions(*backend.executor, 6, 60 + round, kernel, std::string()));
        }
    });
}

// The caller waits at its first region until every helper has summarised something, so all take part; and
// each finds the same regions in every call.
struct observed_regions : word_kernel {
    const std::size_t threads;
    mutable std::mutex mutex;
    mutable std::vector<std::thread::id> by;
    mutable std::atomic<std::size_t> came{0};

    observed_regions(std::size_t regions, std::size_t workers)
        : word_kernel(regions), threads(workers), by(regions) {}
    void summarise(std::size_t region, summary& made) const {
        {
            const std::lock_guard lock(mutex);
            if (std::ranges::find(by, std::this_thread::get_id()) == by.end()) came.fetch_add(1);
            by[region] = std::this_thread::get_id();
        }
        while (came.load() + 1 < threads) std::this_thread::yield();
        word_kernel::summarise(region, made);
    }
    void scan(std::size_t region, state& carried, std::size_t next) const {
        while (came.load() + 1 < threads) std::this_thread::yield();
        word_kernel::scan(region, carried, next);
    }
};
TEST(regions, threads_find_the_same_regions_in_every_call) {
    constexpr std::size_t regions = 64;
    for (const std::size_t threads : {2u, 3u, 5u}) {
        cpu::executor ex(threads);
        std::vector<std::thread::id> before;
        for (int call = 0; call < 5; ++call) {
            const observed_regions kernel(regions, threads);
            kernel.expect_right("", cpu::run_regions(ex, threads - 1, regions, kernel, std::string()));
            const std::thread::id nobody{};
            EXPECT_EQ(kernel.by.back(), nobody) << "the tail is nobody's to summarise";
            // The last region of each block goes to its own helper, whoever else helps with the others.
            const std::thread::id last = *std::find_if(kernel.by.rbegin(), kernel.by.rend(),
                                                       [&](const auto id) { return id != nobody; });
            before.push_back(last);
        }
        EXPECT_TRUE(std::ranges::all_of(before, [&](const auto id) { return id == before.front(); }));
    }
}

// A helper whose own block has not been handed on waits for it, although there is something to do in
// another's, and goes there when its own is done. Step by step, on this thread.
TEST(regions, helpers_keep_to_their_own_regions) {
    using cpu::progress;
    const word_kernel kernel(40);
    cpu::region_board<word_kernel> board(kernel, kernel.in.size(), 2);
    cpu::region_board<word_kernel>::caller caller(board, "S");
    cpu::region_board<word_kernel>::helper first(board, 0), second(board, 1);
    while (first.step() == progress::made) continue;
    const auto all = [](const auto& times, std::size_t begin, std::size_t end) {
        return std::all_of(times.begin() + static_cast<std::ptrdiff_t>(begin),
                           times.begin() + static_cast<std::ptrdiff_t>(end),
                           [](const auto& count) { return count.load() == 1; });
    };
    // Both blocks are summarised, one of them by a helper that was free.
    std::size_t begin = 0, end = kernel.in.size();
    while (kernel.summarised[begin].load() == 0) ++begin;
    while (kernel.summarised[end - 1].load() == 0) --end;
    const std::size_t middle = begin + (end - begin) / 2;
    ASSERT_GE(middle, begin + 3);
    ASSERT_TRUE(all(kernel.summarised, begin, end));

    while (second.step() == progress::made) continue;
    while (first.step() == progress::waits) {
        ASSERT_EQ(second.step(), progress::waits);
        ASSERT_EQ(caller.step(), progress::made);
    }
    EXPECT_EQ(second.step(), progress::waits) << "only the first block is handed on";
    while (second.step() == progress::waits) ASSERT_EQ(caller.step(), progress::made);
    do {
        if (kernel.scanned[begin + 1].load() != 0) {
            EXPECT_TRUE(all(kernel.scanned, middle, end));
        }
    } while (second.step() == progress::made);
    EXPECT_TRUE(all(kernel.scanned, begin + 1, end)) << "the first helper has claimed one region";
    while (first.step() == progress::made) continue;
    while (caller.step() == progress::made) continue;
    kernel.expect_right("S", caller.last());
}

// Whoever does not come is not waited for: the only helper is inside another call.
TEST(regions, nobody_waits_for_a_helper_that_does_not_come) {
    cpu::executor ex(2);
    std::atomic<bool> inside{false}, done{false};
    auto hold = [&](std::size_t worker) noexcept {
        if (worker == 0) {
            while (!inside.load()) std::this_thread::yield();
            return;
        }
        inside = true;
        while (!done.load()) std::this_thread::yield();
    };
    std::thread other([&] { ex.run(1, hold); });
    while (!inside.load()) std::this_thread::yield();
    const word_kernel kernel(40);
    kernel.expect_right("S", cpu::run_regions(ex, 1, 40, kernel, std::string("S")));
    for (const auto& times : kernel.summarised) EXPECT_EQ(times.load(), 0);
    done = true;
    other.join();
}

TEST(regions, failures_reach_the_caller) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        const std::size_t helpers = std::max<std::size_t>(backend.threads, 2) - 1;
        expect_failures_to_arrive([&](std::size_t regions, const failing_kernel& kernel) {
            return cpu::run_regions(*backend.executor, helpers, regions, kernel, std::string());
        });
    });
}

}  // namespace
}  // namespace upsweep::test
