// The CPU executor: what it says of itself is what runs; forced levels, environment, several callers at once,
// exceptions that cross threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/sequences.hpp"
#include "support/sweep.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/error.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

TEST(executor, says_what_it_is) {
    for_each_backend([](const auto& backend) { EXPECT_TRUE(backend.is_what_it_claims()); });
    EXPECT_GE(cpu::executor().threads(), 1u);
    EXPECT_EQ(cpu::executor(1).threads(), 1u);
    EXPECT_NE(cpu::executor(1).simd(), cpu::simd_level::automatic);
}

TEST(executor, automatic_is_the_best_supported_level) {
    const char* forced = std::getenv("UPSWEEP_SIMD");
    if (forced != nullptr && *forced != '\0') GTEST_SKIP() << "UPSWEEP_SIMD is set";
    EXPECT_EQ(cpu::executor(1).simd(), cpu::supported_simd_levels().back());
}

TEST(executor, portable_is_always_supported) {
    EXPECT_EQ(cpu::supported_simd_levels().front(), cpu::simd_level::portable);
}

TEST(executor, level_names_are_distinct) {
    using enum cpu::simd_level;
    std::set<std::string_view> names;
    for (const auto level : {automatic, portable, sse4, avx2, avx512, neon}) names.insert(cpu::name(level));
    EXPECT_EQ(names.size(), 6u);
    EXPECT_EQ(cpu::name(avx2), "avx2");
}

// The proof that a forced level is another program: its table of kernels stands elsewhere and holds other
// functions.
template <class T, class Op>
void expect_distinct_kernels() {
    const std::vector<cpu::simd_level> levels = cpu::supported_simd_levels();
    std::set<const void*> tables;
    for (const cpu::simd_level level : levels) tables.insert(&cpu::kernels_for<T, Op>(level));
    EXPECT_EQ(tables.size(), levels.size());
}
TEST(executor, every_level_has_its_own_kernels) {
    expect_distinct_kernels<float, plus>();
    expect_distinct_kernels<double, multiplies>();
    expect_distinct_kernels<std::int8_t, plus>();
    expect_distinct_kernels<std::uint16_t, multiplies>();
    expect_distinct_kernels<float, minimum>();
    expect_distinct_kernels<std::int64_t, maximum>();
    expect_distinct_kernels<std::uint32_t, bit_xor>();
    std::set<const void*> tables;
    std::set<const void*> functions;
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        tables.insert(&cpu::memory_kernels_for(level));
        functions.insert(reinterpret_cast<const void*>(cpu::memory_kernels_for(level).stream));
    }
    EXPECT_EQ(tables.size(), cpu::supported_simd_levels().size());
    EXPECT_EQ(functions.size(), tables.size());
    std::set<const void*> bodies;
    for (const cpu::simd_level level : cpu::supported_simd_levels())
        bodies.insert(reinterpret_cast<const void*>(cpu::kernels_for<float, plus>(level).scan_rows));
    EXPECT_EQ(bodies.size(), tables.size());
}

TEST(executor, refuses_levels_that_the_machine_lacks) {
    using enum cpu::simd_level;
    const auto supported = cpu::supported_simd_levels();
    std::size_t refused = 0;
    for (const auto level : {portable, sse4, avx2, avx512, neon}) {
        if (std::ranges::find(supported, level) != supported.end()) continue;
        try {
            const cpu::executor ex(1, level);
            ADD_FAILURE() << cpu::name(level);
        } catch (const error& e) {
            ++refused;
            EXPECT_EQ(e.code(), errc::unsupported);
            EXPECT_NE(std::string(e.what()).find(cpu::name(level)), std::string::npos) << e.what();
        }
    }
    EXPECT_GE(refused, 1u);  // no machine has both avx512 and neon
}

// Sets a variable while it lives.
class environment {
  public:
    environment(const char* variable, const std::string& value) : variable_(variable) {
        if (const char* old = std::getenv(variable)) old_ = old;
        setenv(variable, value.c_str(), 1);
    }
    ~environment() {
        if (old_)
            setenv(variable_, old_->c_str(), 1);
        else
            unsetenv(variable_);
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

  private:
    const char* variable_;
    std::optional<std::string> old_;
};

TEST(executor, environment_replaces_automatic_only) {
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        const environment set("UPSWEEP_SIMD", std::string(cpu::name(level)));
        EXPECT_EQ(cpu::executor(1).simd(), level);
        EXPECT_EQ(cpu::executor(1, cpu::simd_level::portable).simd(), cpu::simd_level::portable);
    }
    for (const char* unset : {"", "automatic"}) {
        const environment set("UPSWEEP_SIMD", unset);
        EXPECT_EQ(cpu::executor(1).simd(), cpu::supported_simd_levels().back());
    }
    const environment set("UPSWEEP_SIMD", "mmx");
    try {
        const cpu::executor ex(1);
        ADD_FAILURE();
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unsupported);
        EXPECT_NE(std::string(e.what()).find("UPSWEEP_SIMD"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("mmx"), std::string::npos) << e.what();
        for (const cpu::simd_level level : cpu::supported_simd_levels())
            EXPECT_NE(std::string(e.what()).find(cpu::name(level)), std::string::npos) << e.what();
    }
}

// run() enters with the caller at least, and returns only after everyone who entered has left.
TEST(executor, run_waits_for_everyone_inside) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        for (std::size_t i = 0; i < repetitions(300, 60); ++i) {
            std::atomic<int> entered{0}, left{0};
            auto work = [&](std::size_t) noexcept {
                entered.fetch_add(1);
                if (i % 3 == 0) std::this_thread::yield();
                left.fetch_add(1);
            };
            backend.executor->run(i % 8, work);
            ASSERT_GE(entered.load(), 1);
            ASSERT_EQ(entered.load(), left.load());
            ASSERT_LE(static_cast<std::size_t>(entered.load()),
                      std::min<std::size_t>(i % 8, backend.threads - 1) + 1);
        }
    });
}

// All threads do take part when there is something to wait for.
TEST(executor, run_reaches_every_thread) {
    for_each_backend(coverage::threads, [](const auto& backend) {
        std::atomic<std::size_t> inside{0};
        auto work = [&](std::size_t) noexcept {
            inside.fetch_add(1);
            while (inside.load() < backend.threads) std::this_thread::yield();
        };
        backend.executor->run(backend.threads - 1, work);
        EXPECT_EQ(inside.load(), backend.threads);
    });
}

// Small calls wake nobody, though they may take who is awake; how small is small can be said.
TEST(executor, asks_for_helpers_where_they_are_worth_it) {
    constexpr std::size_t large = std::size_t{1} << 30;
    using namespace cpu::tuning;
    cpu::executor two(2), five(5), one(1);
    EXPECT_EQ(one.helpers_for(large), 0u);
    EXPECT_EQ(two.alone().helpers_for(large), 0u);
    EXPECT_EQ(two.helpers_for(large), 1u);
    EXPECT_EQ(five.helpers_for(large), 4u);
    EXPECT_EQ(two.helpers_for(parallel_bytes / awake_part - 1), 0u);
    EXPECT_EQ(five.helpers_for(parallel_bytes / awake_part - 1), 0u);
    EXPECT_EQ(five.helpers_for(parallel_bytes / awake_part / 2 - 1, 2), 0u);
    EXPECT_EQ(five.helpers_for(parallel_bytes / awake_part / 2 + 1, 2), 3u);  // of 128 KiB in the burst begun
    for (const std::size_t threads : {2u, 5u}) {
        cpu::executor ex(threads);
        ex.share_from(1'000'000);
        std::size_t helpers = 1;  // once they have fallen asleep
        for (int i = 0; i < 1000 && helpers != 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            helpers = ex.helpers_for(1'000'000 - 1);
        }
        EXPECT_EQ(helpers, 0u);
        EXPECT_EQ(ex.helpers_for(1'000'000), threads - 1);
        EXPECT_TRUE(ex.fits_caches(1'000'000));
        EXPECT_FALSE(ex.fits_caches(chain_times * 1'000'000));
    }
    // Many threads have more caches.
    cpu::executor twenty(20);
    twenty.share_from(1'000'000);
    EXPECT_TRUE(twenty.fits_caches(12'000'000 - 1));
    EXPECT_FALSE(twenty.fits_caches(12'000'000));
    for (const std::size_t bytes : {0u, 1u, 31u}) {
        two.share_from(bytes);
        EXPECT_EQ(two.helpers_for(5 * bytes + 5), 1u) << bytes;
    }
    EXPECT_EQ(one.helpers_for(large), 0u);
}

// Calls that follow each other have threads woken together, though each by itself would not.
TEST(executor, wakes_threads_for_a_burst) {
    constexpr std::size_t bytes = std::size_t{100} << 20;
    const auto long_pause = [] {  // longer than a burst can last, at the least speed that a call can have
        std::this_thread::sleep_for(std::chrono::microseconds(
            2 * bytes / cpu::tuning::least_bytes_per_microsecond + 10 * cpu::tuning::burst_microseconds));
    };
    cpu::executor ex(3);
    ex.share_from(bytes + 1);
    std::size_t helpers = 1;  // once they have fallen asleep
    for (int i = 0; i < 100 && helpers != 0; ++i) {
        long_pause();
        helpers = ex.helpers_for(bytes);
    }
    EXPECT_EQ(helpers, 0u);
    EXPECT_EQ(ex.helpers_for(bytes), 2u);  // before its predecessor can have ended
    long_pause();
    EXPECT_EQ(ex.helpers_for(bytes), 0u);
}

// After a very late helper calls do with half of the threads for a while, whether the caller waited for it at
// the end, or before and says so. On a machine that is itself late the while may be over before anyone looks.
TEST(executor, does_with_fewer_threads_after_a_late_one) {
    constexpr std::size_t large = std::size_t{1} << 30;
    using namespace std::chrono_literals;
    for (const bool says_so : {false, true}) {
        cpu::executor ex(2);
        ASSERT_EQ(ex.helpers_for(large), 1u);
        const auto is_halved_by_a_late_call = [&] {
            std::atomic<bool> helper_came{false};
            cpu::executor::helpers_record record;
            auto work = [&](std::size_t worker) noexcept {
                if (worker == 0) {
                    while (!helper_came.load()) std::this_thread::yield();
                    if (!says_so) return;
                    std::this_thread::sleep_for(200ms);
                    record.waited = 200ms;
                } else {
                    helper_came.store(true);
                    if (!says_so) std::this_thread::sleep_for(200ms);
                }
            };
            ex.run(1, work, &record);
            return ex.helpers_for(large) == 0;
        };
        bool halved = false;
        for (int i = 0; i < 50 && !halved; ++i) halved = is_halved_by_a_late_call();
        EXPECT_TRUE(halved) << says_so;
        for (int i = 0; i < 5000 && ex.helpers_for(large) == 0; ++i) std::this_thread::sleep_for(1ms);
        EXPECT_EQ(ex.helpers_for(large), 1u);
    }
}

TEST(executor, serves_several_callers_at_once) {
    const std::size_t n = 150000;
    const auto values = sequence<float, plus>(n, 77);
    const auto expected = prefixes<float>(span_of(values), plus{});
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::atomic<int> wrong{0};
        const auto call = [&](std::size_t caller) {
            std::vector<float> out(n);
            for (std::size_t round = 0; round < repetitions(20, 5); ++round) {
                const std::size_t size = round % 3 == 0 ? n : (caller * 7919 + round * 104729) % n;
                std::fill_n(out.begin(), size, -1.0f);
                inclusive_scan(*backend.executor, std::span(std::begin(values), size),
                               std::span(out.data(), size));
                if (first_difference(out.data(), std::begin(expected) + 1, size) != size) wrong.fetch_add(1);
            }
        };
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i < 4; ++i) callers.emplace_back(call, i);
        for (std::thread& caller : callers) caller.join();
        EXPECT_EQ(wrong.load(), 0);
    });
}

// Executors come and go without work, with work, and while their threads are still waking up.
TEST(executor, comes_and_goes) {
    std::vector<std::int32_t> out(100000);
    const std::vector<std::int32_t> ones(out.size(), 1);
    for (std::size_t i = 0; i < repetitions(50, 10); ++i) {
        cpu::executor ex(1 + i % 5);
        ex.share_from(small_shared_bytes);
        if (i % 2 == 0) inclusive_scan(ex, ones, out);
    }
    EXPECT_EQ(out.back(), 100000);
}

struct injected : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void expect_works(cpu::executor& ex) {
    std::vector<std::uint32_t> ones(200000, 1), out(200000);
    inclusive_scan(ex, ones, out, [](std::uint32_t a, std::uint32_t b) { return a + b; });
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i + 1);
}

// An exception at one element, wherever it is, reaches the caller, and the executor stays usable.
TEST(executor, exceptions_of_the_operator_pass_through) {
    const std::size_t n = 100000;
    std::vector<std::uint32_t> values(n, 1), out(n);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const std::size_t at : {std::size_t{1}, n / 3, n / 2 + 17, n - 1}) {
            values[at] = 1000000;
            const auto op = [](std::uint32_t a, std::uint32_t b) {
                if (b == 1000000) throw injected("here");
                return a + b;
            };
            const auto scan = [&] { inclusive_scan(*backend.executor, values, out, op); };
            const auto unary = [&] {
                transform_inclusive_scan(*backend.executor, values, out, plus{}, [](std::uint32_t x) {
                    if (x == 1000000) throw injected("there");
                    return x;
                });
            };
            EXPECT_THROW(scan(), injected) << at;
            EXPECT_THROW(unary(), injected) << at;
            values[at] = 1;
            expect_works(*backend.executor);
        }
    });
}

// The same with certainty on a helper's thread: the caller does not go on before a helper has thrown.
TEST(executor, exceptions_cross_from_helper_threads) {
    const std::vector<std::uint32_t> values(300000, 1);
    std::vector<std::uint32_t> out(values.size());
    for_each_backend(coverage::threads, [&](const auto& backend) {
        if (backend.threads == 1) return;
        // One of its own: helpers that kept a caller waiting before would not be asked.
        cpu::executor ex(backend.threads, backend.level);
        ex.share_from(small_shared_bytes);
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> thrown{false};
        const auto op = [&](std::uint32_t a, std::uint32_t b) {
            if (std::this_thread::get_id() != caller) {
                thrown = true;
                throw injected("from a helper");
            }
            while (!thrown) std::this_thread::yield();
            return a + b;
        };
        const auto scan = [&] { inclusive_scan(ex, values, out, op); };
        EXPECT_THROW(scan(), injected);
        EXPECT_TRUE(thrown);
        expect_works(ex);
    });
}

// Everybody throws: exactly one exception arrives.
TEST(executor, one_of_many_exceptions_arrives) {
    const std::vector<std::uint32_t> values(300000, 1);
    std::vector<std::uint32_t> out(values.size());
    for_each_backend(coverage::threads, [&](const auto& backend) {
        const auto op = [](std::uint32_t, std::uint32_t) -> std::uint32_t { throw injected("always"); };
        for (std::size_t i = 0; i < repetitions(50, 10); ++i) {
            const auto scan = [&] { inclusive_scan(*backend.executor, values, out, op); };
            ASSERT_THROW(scan(), injected);
        }
        expect_works(*backend.executor);
    });
}

}  // namespace
}  // namespace upsweep::test
