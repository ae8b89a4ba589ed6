// The chain that hands a scan's state from chunk to chunk, with threads: in every order that a script can
// force on them, then left alone. chain_script_test.cpp goes through the orders of their steps without
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/word_kernel.hpp"
#include "upsweep/cpu/chain.hpp"
#include "upsweep/cpu/tasks.hpp"

namespace upsweep::test {
namespace {

// ---- the turnstile alone ----

TEST(turnstile, passes_the_state_in_order) {
    cpu::turnstile<std::string> gate("S");
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t other = 0; other < 7; ++other) EXPECT_EQ(gate.is_turn(other), other == i);
        EXPECT_TRUE(gate.wait(i));
        gate.state() += static_cast<char>('a' + i);
        gate.pass(i);
    }
    EXPECT_EQ(gate.state(), "Sabcde");
    EXPECT_FALSE(gate.failed());
    EXPECT_NO_THROW(gate.rethrow_failure());
}

TEST(turnstile, keeps_the_first_failure_and_lets_waiters_go) {
    cpu::turnstile<int> gate(0);
    gate.fail(std::make_exception_ptr(std::runtime_error("first")));
    gate.fail(std::make_exception_ptr(std::runtime_error("second")));
    EXPECT_TRUE(gate.failed());
    EXPECT_FALSE(gate.wait(3));  // the turn of chunk 3 will never come
    try {
        gate.rethrow_failure();
        ADD_FAILURE();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "first");
    }
}

TEST(turnstile, waits_across_threads) {
    cpu::turnstile<std::vector<int>> gate({});
    std::vector<std::thread> threads;
    for (std::size_t i = 8; i-- != 0;) {
        threads.emplace_back([&gate, i] {
            ASSERT_TRUE(gate.wait(i));
            gate.state().push_back(static_cast<int>(i));
            gate.pass(i);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(gate.state(), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

// ---- whether a second thread pays ----

// The caller's looks between chunks: `passed` after each, at `alone` units of time a chunk and then at
// `both`.
bool trial_fails(int alone, int both, std::size_t helper_comes = cpu::tuning::trial_alone_chunks) {
    cpu::second_thread_trial trial(1, cpu::tuning::trial_least_chunks);
    cpu::second_thread_trial::time now{};
    now += std::chrono::hours(1);  // the first chunk, which does not count
    for (std::size_t passed = 1; passed <= helper_comes; ++passed) {
        trial.look(passed, true, now);
        now += std::chrono::microseconds(alone);
    }
    for (std::size_t passed = helper_comes + 1; passed <= helper_comes + cpu::tuning::trial_chunks;
         ++passed) {
        trial.look(passed, false, now);
        EXPECT_FALSE(trial.failed()) << "after " << passed;
        now += std::chrono::microseconds(both);
    }
    trial.look(helper_comes + cpu::tuning::trial_chunks + 1, false, now);
    return trial.failed();
}
TEST(second_thread_trial, fails_where_two_threads_gain_nothing) {
    EXPECT_FALSE(trial_fails(1000, 500));
    EXPECT_FALSE(trial_fails(1000, 940));
    EXPECT_TRUE(trial_fails(1000, 960));
    EXPECT_TRUE(trial_fails(1000, 1500));
    EXPECT_FALSE(trial_fails(1000, 500, 40)) << "a helper that came late";
    EXPECT_TRUE(trial_fails(1000, 1000, 40));
    EXPECT_FALSE(trial_fails(1000, 5000, 1)) << "nobody was ever alone, so nothing is known";
}
TEST(second_thread_trial, is_for_long_scans_on_two_threads) {
    constexpr std::size_t many = cpu::tuning::trial_least_chunks;
    EXPECT_FALSE(cpu::second_thread_trial(1, many).admits(cpu::tuning::trial_alone_chunks - 1));
    EXPECT_TRUE(cpu::second_thread_trial(1, many).admits(cpu::tuning::trial_alone_chunks));
    EXPECT_TRUE(cpu::second_thread_trial(1, many - 1).admits(0));
    EXPECT_TRUE(cpu::second_thread_trial(2, many).admits(0));
}

// A helper that gains nothing, because whoever works keeps the other from it, is let go, and every chunk is
// scanned once all the same.
struct serial_kernel : word_kernel {
    std::thread::id caller = std::this_thread::get_id();
    mutable std::mutex one_at_a_time;
    mutable std::atomic<std::size_t> helped{0};

    using word_kernel::word_kernel;
    void work() const {
        const std::lock_guard lock(one_at_a_time);
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
        while (std::chrono::steady_clock::now() < end) continue;
    }
    void summarise(std::size_t chunk, summary& made) const {
        work();
        word_kernel::summarise(chunk, made);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        work();
        if (std::this_thread::get_id() != caller) helped.fetch_add(1);
        word_kernel::scan(chunk, carried, next);
    }
};
TEST(chain, a_helper_that_gains_nothing_is_let_go) {
    constexpr std::size_t chunks = 4 * cpu::tuning::trial_least_chunks;
    cpu::executor ex(2);
    const serial_kernel kernel(chunks);
    kernel.expect_right("S", cpu::run_chain(ex, 1, chunks, kernel, std::string("S")));
    EXPECT_LT(kernel.helped.load(), chunks / 4);
}

// ---- scripts with threads ----

// Lets the callbacks of the first `window` chunks return only in the order of a permutation, after all of
// them have come.
class gatekeeper {
  public:
    explicit gatekeeper(std::vector<std::size_t> order) : order_(std::move(order)) {}

    void pass(std::size_t chunk) {
        if (chunk >= order_.size()) return;
        std::unique_lock lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return arrived_ == order_.size() && order_[released_] == chunk; });
        ++released_;
        changed_.notify_all();
    }

  private:
    std::vector<std::size_t> order_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0, released_ = 0;
};

struct scripted_kernel : word_kernel {
    gatekeeper& keeper;

    scripted_kernel(std::size_t chunks, gatekeeper& k) : word_kernel(chunks), keeper(k) {}
    void summarise(std::size_t chunk, summary& made) const {
        word_kernel::summarise(chunk, made);
        keeper.pass(chunk);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        if (summarised[chunk].load() == 0) keeper.pass(chunk);  // in one pass: this is its first callback
        word_kernel::scan(chunk, carried, next);
    }
};

// As many threads as chunks in the window: each takes one, and they finish their first step in every order
// there is.
TEST(chain, every_order_of_four_threads) {
    constexpr std::size_t threads = 4;
    cpu::executor ex(threads);
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        for (const std::size_t chunks : {threads + 1, threads + 2, 3 * threads}) {
            gatekeeper keeper(order);
            const scripted_kernel kernel(chunks, keeper);
            kernel.expect_right("S", cpu::run_chain(ex, threads - 1, chunks, kernel, std::string("S")));
        }
    } while (std::ranges::next_permutation(order).found && !HasFailure());
}

// ---- threads left alone ----

TEST(chain, any_number_of_chunks_and_threads) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t chunks = 1; chunks <= 40; ++chunks) {
            for (const std::size_t helpers : {std::size_t{0}, std::size_t{1}, backend.threads - 1}) {
                const word_kernel kernel(chunks);
                kernel.expect_right(
                    "S", cpu::run_chain(*backend.executor, helpers, chunks, kernel, std::string("S")));
                const ahead<word_kernel> looking(chunks);
                looking.expect_right(
                    "S", cpu::run_chain(*backend.executor, helpers, chunks, looking, std::string("S")));
            }
        }
    });
}

TEST(chain, uneven_chunks) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t round = 0; round < repetitions(10, 8); ++round) {
            const uneven_kernel kernel(60 + round);
            kernel.expect_right("", cpu::run_chain(*backend.executor, 6, 60 + round, kernel, std::string()));
            const ahead<uneven_kernel> looking(60 + round);
            looking.expect_right("",
                                 cpu::run_chain(*backend.executor, 3, 60 + round, looking, std::string()));
        }
    });
}

TEST(chain, failures_reach_the_caller) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        const auto run = [&](std::size_t chunks, const auto& kernel) {
            return cpu::run_chain(*backend.executor, backend.threads - 1, chunks, kernel, std::string());
        };
        expect_failures_to_arrive(run);
        expect_failures_to_arrive<ahead<failing_kernel>>(run);
    });
}

// A helper that is kept from its chunk for longer than a chunk takes is let go: it finishes that chunk, and
// the caller does the rest.
struct delayed_kernel : word_kernel {
    std::thread::id caller = std::this_thread::get_id();
    mutable std::atomic<bool> helper_came{false};
    mutable std::atomic<int> helped{0};

    using word_kernel::word_kernel;
    [[nodiscard]] bool is_caller() const { return std::this_thread::get_id() == caller; }
    void begin() const {
        if (!is_caller() && !helper_came.exchange(true))
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    void summarise(std::size_t chunk, summary& made) const {
        begin();
        word_kernel::summarise(chunk, made);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        begin();
        if (!is_caller()) helped.fetch_add(1);
        word_kernel::scan(chunk, carried, next);
        while (is_caller() && !helper_came.load()) std::this_thread::yield();
    }
};
TEST(chain, a_late_helper_is_let_go) {
    cpu::executor ex(2);
    EXPECT_EQ(ex.helpers_for(std::size_t{1} << 30), 1u);
    // Calls do without helpers for 25 ms then, and four times as long each further time: this thread may lose
    // its processor for some of them.
    bool without_helpers = false;
    for (int attempt = 0; attempt < 5 && !without_helpers; ++attempt) {
        const delayed_kernel kernel(60);
        kernel.expect_right("S", cpu::run_chain(ex, 1, 60, kernel, std::string("S")));
        EXPECT_EQ(kernel.helped.load(), 1);
        without_helpers = ex.helpers_for(std::size_t{1} << 30) == 0;
    }
    EXPECT_TRUE(without_helpers);
}

// Of several helpers only the late one goes. The others have waited as long as the caller, and each of them
// would do no more than the chunk that it had already.
struct one_delayed_kernel : word_kernel {
    std::thread::id caller = std::this_thread::get_id();
    mutable std::atomic<std::thread::id> late{};
    mutable std::atomic<bool> is_over{false};
    mutable std::atomic<int> by_late{0}, by_others{0};  // chunks scanned once the delay is over
    mutable bool is_given_up = false;                   // the caller's: it has waited for others

    using word_kernel::word_kernel;
    void begin() const {
        const std::thread::id self = std::this_thread::get_id();
        std::thread::id nobody{};
        if (self == caller || !late.compare_exchange_strong(nobody, self)) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        is_over = true;
    }
    void summarise(std::size_t chunk, summary& made) const {
        begin();
        word_kernel::summarise(chunk, made);
    }
    void scan(std::size_t chunk, state& carried, std::size_t next) const {
        begin();
        word_kernel::scan(chunk, carried, next);
        const std::thread::id self = std::this_thread::get_id();
        if (self == caller) {
            while (late.load() == std::thread::id()) std::this_thread::yield();
            for (int left = 2000; is_over.load() && by_others.load() < 3 && left != 0 && !is_given_up; --left)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            is_given_up = is_over.load();
        } else if (is_over.load()) {
            (self == late.load() ? by_late : by_others).fetch_add(1);
        }
    }
};
TEST(chain, helpers_that_waited_for_a_late_one_stay) {
    cpu::executor ex(4);
    bool only_one_left = false;
    // These threads may lose their processors for longer than the one that sleeps.
    for (int attempt = 0; attempt < 5 && !only_one_left; ++attempt) {
        const one_delayed_kernel kernel(60);
        kernel.expect_right("S", cpu::run_chain(ex, 3, 60, kernel, std::string("S")));
        only_one_left = kernel.by_late.load() == 1 && kernel.by_others.load() >= 3;
    }
    EXPECT_TRUE(only_one_left);
}

// ---- tasks without order ----

TEST(for_each_task, runs_every_task_once) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100},
              std::size_t{1000}, repetitions(2'500'001, 250'001)}) {
            std::vector<std::atomic<int>> runs(count);
            cpu::for_each_task(*backend.executor, backend.threads - 1, count,
                               [&](std::size_t i) { runs[i].fetch_add(1); });
            EXPECT_TRUE(std::ranges::all_of(runs, [](const auto& r) { return r.load() == 1; })) << count;
        }
    });
}

TEST(for_each_task, failures_reach_the_caller) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t failing = 0; failing < 50; failing += 7) {
            const auto run = [&] {
                cpu::for_each_task(*backend.executor, backend.threads - 1, 50, [&](std::size_t i) {
                    if (i == failing) throw std::out_of_range("task");
                });
            };
            EXPECT_THROW(run(), std::out_of_range);
        }
        std::atomic<int> after{0};
        cpu::for_each_task(*backend.executor, 3, 20, [&](std::size_t) { after.fetch_add(1); });
        EXPECT_EQ(after.load(), 20);
    });
}

}  // namespace
}  // namespace upsweep::test
