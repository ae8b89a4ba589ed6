// A scan that two threads split: first as a script on one thread, every order in which the steps of caller
// and helper can come; then with threads, a helper that comes at every chunk, or too late.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/cpu/split.hpp"

namespace upsweep::test {
namespace {

using division = cpu::division<std::string>;

// Chunk i holds one letter; its result is the word of everything up to and with it. In place the result takes
// the letter's place, so that whoever reads a chunk after it was scanned is found out.
struct letters {
    static constexpr double first_share = 0.6;
    using state = std::string;
    using summary = std::string;

    bool in_place;
    mutable std::vector<std::string> in, out;
    mutable std::vector<std::atomic<int>> scanned;
    std::function<void(const char* step, std::size_t chunk)> on_step;  // before it, if set

    letters(std::size_t chunks, bool overwrites)
        : in_place(overwrites), out(chunks, "poison"), scanned(chunks) {
        for (std::size_t i = 0; i < chunks; ++i) in.emplace_back(1, static_cast<char>('a' + i % 26));
    }
    void summarise(std::size_t chunk, summary& made) const {
        if (on_step) on_step("summarise", chunk);
        made = in[chunk];
    }
    void advance(state& carried, std::size_t chunk, const summary& made) const {
        if (on_step) on_step("advance", chunk);
        carried += made;
    }
    void scan(std::size_t chunk, state& carried, std::size_t next, summary&) const {
        if (on_step) on_step("scan", chunk);
        EXPECT_EQ(next, cpu::no_chunk);
        scanned[chunk].fetch_add(1);
        carried += in[chunk];
        out[chunk] = carried;
        if (in_place) in[chunk] = "overwritten";
    }

    void expect_right(const std::string& initial, const std::string& last) const {
        std::string expected = initial;
        for (std::size_t i = 0; i < out.size(); ++i) {
            expected += static_cast<char>('a' + i % 26);
            EXPECT_EQ(out[i], expected) << "chunk " << i;
            EXPECT_EQ(scanned[i].load(), 1) << "chunk " << i;
        }
        EXPECT_EQ(last, expected);
    }
};

// ---- scripts without threads ----

// What run_split's caller and helper do, as virtual threads on this one, a chunk a step. `choose(2)` decides
// who goes on where both can. The helper may come at any time, and not at all before everything is done.
std::string simulate(const letters& kernel, std::size_t chunks,
                     const std::function<std::size_t(std::size_t)>& choose) {
    division line(chunks, kernel.in_place ? 0.5 : letters::first_share);
    std::string unused;

    enum class caller_at { next, sum_up, scan, gone } caller = caller_at::next;
    std::string carried = "S";
    std::string to_hand_over;
    division::step now{};
    const auto step_caller = [&] {
        switch (caller) {
            case caller_at::next:
                now = line.next();
                to_hand_over = carried;
                caller = now.asked                    ? caller_at::sum_up
                         : now.chunk == cpu::no_chunk ? caller_at::gone
                                                      : caller_at::scan;
                break;
            case caller_at::sum_up:
                if (kernel.in_place && now.asked->begin != now.asked->end) {
                    std::string summary;
                    kernel.summarise(now.asked->begin, summary);
                    kernel.advance(to_hand_over, now.asked->begin++, summary);
                    break;
                }
                line.hand_over(to_hand_over);
                caller = now.chunk == cpu::no_chunk ? caller_at::gone : caller_at::scan;
                break;
            case caller_at::scan:
                kernel.scan(now.chunk, carried, cpu::no_chunk, unused);
                caller = caller_at::next;
                break;
            case caller_at::gone:
                break;
        }
    };

    enum class helper_at { divide, take, sum_up, scan, gone } helper = helper_at::divide;
    std::optional<division::range> first;
    std::optional<std::string> handed;
    std::size_t chunk = 0;
    bool handed_over = false;
    const auto step_helper = [&] {
        switch (helper) {
            case helper_at::divide:
                first = line.divide();
                helper = first ? helper_at::take : helper_at::gone;
                break;
            case helper_at::take:
                handed = line.take();
                chunk = kernel.in_place ? first->end : first->begin;
                helper = helper_at::sum_up;
                break;
            case helper_at::sum_up:
                if (chunk < first->end) {
                    std::string summary;
                    kernel.summarise(chunk, summary);
                    kernel.advance(*handed, chunk++, summary);
                    break;
                }
                helper = helper_at::scan;
                [[fallthrough]];
            case helper_at::scan:
                if (chunk == chunks) {
                    helper = helper_at::gone;
                    break;
                }
                kernel.scan(chunk++, *handed, cpu::no_chunk, unused);
                break;
            case helper_at::gone:
                break;
        }
    };

    while (caller != caller_at::gone || helper != helper_at::gone) {
        handed_over = handed_over || (first && caller != caller_at::sum_up && now.asked);
        const bool helper_can = helper != helper_at::gone && (helper != helper_at::take || handed_over);
        const bool caller_can = caller != caller_at::gone;
        if (!helper_can && !caller_can) throw std::logic_error("deadlock");
        if (helper_can && (!caller_can || choose(2) == 1))
            step_helper();
        else
            step_caller();
    }
    return handed ? *handed : carried;
}

std::size_t check_all_schedules(std::size_t chunks, bool in_place) {
    all_schedules schedules;
    std::size_t count = 0;
    do {
        const letters kernel(chunks, in_place);
        kernel.expect_right("S", simulate(kernel, chunks, std::ref(schedules)));
        ++count;
    } while (schedules.next() && !::testing::Test::HasFailure());
    return count;
}
TEST(split_script, every_schedule) {
    for (const bool in_place : {false, true}) {
        for (std::size_t chunks = 1; chunks <= 6; ++chunks) {
            SCOPED_TRACE(std::to_string(chunks) + (in_place ? " chunks in place" : " chunks"));
            EXPECT_GE(check_all_schedules(chunks, in_place), chunks);
        }
    }
}
TEST(split_script, random_schedules) {
    random_bits random(8);
    for (std::size_t i = 0; i < 20000 && !HasFailure(); ++i) {
        const std::size_t chunks = 1 + random.below(40);
        const letters kernel(chunks, i % 2 == 0);
        // A helper that comes early, late, or anywhere.
        const std::uint64_t eager = 1 + random.below(30);
        kernel.expect_right("S", simulate(kernel, chunks, [&](std::size_t) -> std::size_t {
                                return random.below(eager) == 0 ? 1 : 0;
                            }));
    }
}

// What each of the two gets.
TEST(division, a_helper_gets_less_the_later_it_comes) {
    std::size_t least = 1000;
    for (std::size_t begun = 0; begun <= 100; ++begun) {
        division line(100, 0.6);
        for (std::size_t i = 0; i < begun; ++i) ASSERT_EQ(line.next().chunk, i);
        const auto first = line.divide();
        if (begun > 97) {
            EXPECT_FALSE(first) << begun;
            continue;
        }
        ASSERT_TRUE(first) << begun;
        EXPECT_EQ(first->begin, begun);
        const std::size_t helpers = 100 - first->end;
        EXPECT_GT(helpers, 0u);
        EXPECT_LE(helpers, least) << begun;
        least = helpers;
        if (begun <= 12) {
            EXPECT_EQ(first->end, 60u) << "hardly late, at chunk " << begun;
        }
    }
}
TEST(division, whoever_waits_is_let_go_by_a_failure) {
    division line(10, 0.5);
    ASSERT_TRUE(line.divide());
    line.fail(std::make_exception_ptr(std::runtime_error("lost")));
    EXPECT_FALSE(line.take());
    EXPECT_THROW(line.rethrow_failure(), std::runtime_error);
}

// ---- scripts with threads ----

// Keeps the only helper of an executor busy until it is let go.
class occupied_helper {
  public:
    explicit occupied_helper(cpu::executor& ex)
        : caller_([this, &ex] {
              auto work = [this]() noexcept {
                  inside_.fetch_add(1);
                  while (!free_.load()) std::this_thread::yield();
              };
              ex.run(1, work);
          }) {
        while (inside_.load() != 2) std::this_thread::yield();
    }
    ~occupied_helper() {
        let_go();
        caller_.join();
    }
    occupied_helper(const occupied_helper&) = delete;
    occupied_helper& operator=(const occupied_helper&) = delete;
    void let_go() { free_.store(true); }

  private:
    std::atomic<int> inside_{0};
    std::atomic<bool> free_{false};
    std::thread caller_;
};

// The helper is let go when the caller comes to chunk k, which waits for it; from there on both work.
TEST(split, a_helper_that_comes_at_any_chunk) {
    cpu::executor ex(2);
    constexpr std::size_t chunks = 12;
    for (std::size_t at = 0; at + 4 < chunks; ++at) {
        occupied_helper busy(ex);
        std::atomic<bool> came{false};
        const std::thread::id caller = std::this_thread::get_id();
        letters kernel(chunks, false);
        kernel.on_step = [&](const char* step, std::size_t chunk) {
            if (std::this_thread::get_id() != caller) {
                came.store(true);
            } else if (step == std::string("scan") && chunk == at) {
                busy.let_go();
                while (!came.load()) std::this_thread::yield();
            }
        };
        kernel.expect_right("S", cpu::run_split(ex, chunks, kernel, std::string("S"), false));
        EXPECT_TRUE(came.load());
        if (HasFailure()) return;
    }
}
// One that never comes is not waited for: this returns at all, and the helper then finds nothing to do.
TEST(split, a_helper_that_comes_too_late_is_not_waited_for) {
    cpu::executor ex(2);
    for (const bool in_place : {false, true}) {
        occupied_helper busy(ex);
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<int> helped{0};
        letters kernel(30, in_place);
        kernel.on_step = [&](const char*, std::size_t) {
            if (std::this_thread::get_id() != caller) helped.fetch_add(1);
        };
        kernel.expect_right("S", cpu::run_split(ex, 30, kernel, std::string("S"), in_place));
        busy.let_go();
        EXPECT_EQ(helped.load(), 0);
    }
}

// ---- threads left alone ----

TEST(split, any_number_of_chunks) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t round = 0; round < 5; ++round) {
            for (std::size_t chunks = 1; chunks <= 60; ++chunks) {
                const letters kernel(chunks, (chunks + round) % 2 == 0);
                kernel.expect_right("S", cpu::run_split(*backend.executor, chunks, kernel, std::string("S"),
                                                        kernel.in_place));
            }
        }
    });
}

// A failure in any step of any chunk reaches the caller, whoever met it.
TEST(split, failures_reach_the_caller) {
    constexpr std::size_t chunks = 12;
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t failing = 0; failing < chunks; ++failing) {
            for (const char* failing_step : {"scan", "summarise", "advance"}) {
                for (const bool in_place : {false, true}) {
                    letters kernel(chunks, in_place);
                    kernel.on_step = [&](const char* step, std::size_t chunk) {
                        if (chunk == failing && step == std::string(failing_step))
                            throw std::runtime_error("chunk " + std::to_string(chunk));
                    };
                    try {
                        const std::string last =
                            cpu::run_split(*backend.executor, chunks, kernel, std::string(), in_place);
                        EXPECT_NE(failing_step, std::string("scan")) << "every chunk is scanned";
                        kernel.expect_right("", last);  // a summary is not always needed
                    } catch (const std::runtime_error& e) {
                        EXPECT_EQ(e.what(), "chunk " + std::to_string(failing));
                    }
                }
            }
        }
    });
}

}  // namespace
}  // namespace upsweep::test
