// The emulator must find what is wrong with a kernel, name both lines, and find nothing where nothing is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "upsweep/emulator/machine.hpp"

namespace upsweep::test {
namespace {

using emulator::block;
using emulator::finding_kind;
using emulator::operation;
using emulator::report;
using emulator::schedule;

// One launch in every order of threads; their findings must agree in kind and lines.
template <class Kernel>
report run(emulator::launch_config config, const Kernel& kernel) {
    emulator::machine machine;
    report first = machine.run(config, kernel);
    for (const auto order : {schedule::descending, schedule::shuffled}) {
        config.order = order;
        const report other = machine.run(config, kernel);
        EXPECT_EQ(first.findings.empty(), other.findings.empty()) << other.text();
        if (!first.findings.empty() && !other.findings.empty()) {
            EXPECT_EQ(first.findings[0].kind, other.findings[0].kind) << other.text();
        }
    }
    return first;
}

// A finding between the two lines, in either order.
void expect_between(const emulator::finding& f, unsigned a, unsigned b) {
    EXPECT_TRUE((f.first.where.line == a && f.second.where.line == b) ||
                (f.first.where.line == b && f.second.where.line == a))
        << to_string(f) << ", expected lines " << a << " and " << b;
    EXPECT_STREQ(f.first.where.file, __FILE__);
    EXPECT_STREQ(f.second.where.file, __FILE__);
}

// --- races
// -----------------------------------------------------------------------------------------------------

TEST(emulator_findings, hillis_steele_that_reads_and_writes_in_one_phase) {
    unsigned reading = 0, writing = 0;
    const report r = run({.threads = 64, .shared_bytes = 4 * 64}, [&](const block& b) {
        const auto x = b.shared<int>(64);
        x.store(b.thread(), 1);
        b.sync();
        for (unsigned distance = 1; distance < b.size(); distance *= 2) {
            reading = __LINE__ + 1;
            const int left = b.thread() >= distance ? x.load(b.thread() - distance) : 0;
            writing = __LINE__ + 1;
            if (b.thread() >= distance) x.store(b.thread(), left + 1);
            b.sync();
        }
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::race);
    expect_between(r.findings[0], reading, writing);
    EXPECT_NE(r.findings[0].first.what, r.findings[0].second.what);
    EXPECT_GT(r.findings[0].count, 1u);
    EXPECT_NE(r.text().find("emulator_findings_test.cpp:" + std::to_string(reading)), std::string::npos)
        << r.text();
    EXPECT_NE(r.text().find("emulator_findings_test.cpp:" + std::to_string(writing)), std::string::npos)
        << r.text();
}

// Blelloch's scan, with one barrier missing where asked for.
struct down_sweep_without {
    bool up_barrier, down_barrier;
    void operator()(const block& b) const {
        const unsigned n = b.size(), thread = b.thread();
        const auto x = b.shared<unsigned>(n);
        x.store(thread, 1);
        unsigned half = 1;
        for (; half < n; half *= 2) {
            if (up_barrier) b.sync();
            const unsigned right = 2 * half * (thread + 1) - 1;
            if (right < n) x.store(right, x.load(right - half) + x.load(right));
        }
        b.sync();
        if (thread == 0) x.store(n - 1, 0);
        for (half /= 2; half > 0; half /= 2) {
            if (down_barrier) b.sync();
            const unsigned right = 2 * half * (thread + 1) - 1;
            if (right < n) {
                const unsigned left = x.load(right - half), before = x.load(right);
                x.store(right - half, before);
                x.store(right, before + left);
            }
        }
        b.sync();
        if (x.load(thread) != thread) throw std::logic_error("wrong scan");
    }
};

TEST(emulator_findings, missing_barrier_in_a_sweep) {
    EXPECT_TRUE(run({.threads = 128, .shared_bytes = 4 * 128}, down_sweep_without{true, true}).clean());
    emulator::machine machine;
    for (const bool up : {false, true}) {
        report r;
        // The result is wrong in some orders of threads; the race is there in all.
        for (const auto order : {schedule::ascending, schedule::descending, schedule::shuffled}) {
            const auto kernel = [&](const block& b) {
                try {
                    down_sweep_without{up, !up}(b);
                } catch (const std::logic_error&) {
                }
            };
            r = machine.run({.threads = 128, .shared_bytes = 4 * 128, .order = order}, kernel);
            // Without a barrier on the way up, threads also read what others have not written yet.
            EXPECT_TRUE(std::any_of(r.findings.begin(), r.findings.end(),
                                    [](const emulator::finding& f) { return f.kind == finding_kind::race; }))
                << "upward " << up;
            for (const auto& f : r.findings) {
                EXPECT_TRUE(f.kind == finding_kind::race ||
                            (!up && f.kind == finding_kind::uninitialized_read))
                    << to_string(f);
            }
        }
    }
}

TEST(emulator_findings, every_kind_of_race) {
    const auto two_threads = [](const auto& kernel) {
        return run({.threads = 2, .shared_bytes = 64}, [&](const block& b) {
            const auto x = b.shared<std::uint32_t>(16);
            if (b.thread() == 0)
                for (unsigned i = 0; i < 16; ++i) x.store(i, 0);
            b.sync();
            kernel(b, x);
        });
    };
    const auto is_race = [](const report& r) {
        return r.findings.size() == 1 && r.findings[0].kind == finding_kind::race;
    };

    EXPECT_TRUE(two_threads([](const block&, const auto& x) { (void)x.load(0); }).clean());
    EXPECT_TRUE(is_race(two_threads([](const block&, const auto& x) { x.store(0, 1); })));
    EXPECT_TRUE(is_race(two_threads([](const block& b, const auto& x) {
        if (b.thread() == 0) (void)x.load(3);
        if (b.thread() == 1) x.store(3, 1);
    })));
    EXPECT_TRUE(two_threads([](const block&, const auto& x) { (void)x.fetch_add(0, 1); }).clean());
    EXPECT_TRUE(is_race(two_threads([](const block& b, const auto& x) {
        if (b.thread() == 0) (void)x.fetch_add(0, 1);
        if (b.thread() == 1) (void)x.load(0);
    })));
    EXPECT_TRUE(is_race(two_threads([](const block& b, const auto& x) {
        if (b.thread() == 0) (void)x.fetch_add(0, 1);
        if (b.thread() == 1) x.store(0, 1);
    })));
    // Bytes are told apart, and views of other types see the same bytes.
    EXPECT_TRUE(two_threads([](const block& b, const auto&) {
                    b.shared<std::uint8_t>(64).store(8 + b.thread(), 1);
                }).clean());
    EXPECT_TRUE(is_race(two_threads([](const block& b, const auto& x) {
        if (b.thread() == 0) b.shared<std::uint8_t>(64).store(11, 1);
        if (b.thread() == 1) (void)x.load(2);
    })));
    EXPECT_TRUE(is_race(two_threads([](const block& b, const auto& x) {
        if (b.thread() == 0) b.shared<std::uint64_t>(2, 8).store(0, 1);
        if (b.thread() == 1) (void)x.load(3);
    })));
    // A thread's own accesses are in order.
    EXPECT_TRUE(two_threads([](const block& b, const auto& x) {
                    x.store(b.thread(), 1);
                    x.store(b.thread(), x.load(b.thread()) + 1);
                }).clean());
}

TEST(emulator_findings, a_warp_barrier_orders_the_lanes_of_one_warp_only) {
    const auto neighbours = [](unsigned threads, unsigned width, bool sync_warp) {
        return run({.threads = threads, .warp_width = width, .shared_bytes = 4 * threads},
                   [=](const block& b) {
                       const auto x = b.shared<unsigned>(b.size());
                       x.store(b.thread(), b.thread());
                       if (sync_warp)
                           b.warp().sync();
                       else
                           (void)b.warp().shuffle(1, 0);  // meets, but orders nothing
                       const unsigned next = (b.thread() + 1) % b.size();
                       if (x.load(next) != next) throw std::logic_error("the neighbour's value has not come");
                   });
    };
    EXPECT_TRUE(neighbours(32, 32, true).clean());
    EXPECT_TRUE(neighbours(64, 64, true).clean());
    EXPECT_TRUE(neighbours(20, 32, true).clean());
    EXPECT_FALSE(neighbours(32, 32, false).clean());

    emulator::machine machine;
    const report r = machine.run({.threads = 64, .warp_width = 32, .shared_bytes = 4}, [](const block& b) {
        const auto x = b.shared<unsigned>(1);
        if (b.thread() == 0) x.store(0, 1);
        b.warp().sync();
        if (b.thread() == 32) (void)x.load(0);
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::race);
    EXPECT_EQ(r.findings[0].first.thread, 0u);
    EXPECT_EQ(r.findings[0].second.thread, 32u);
}

// --- barriers
// --------------------------------------------------------------------------------------------------

TEST(emulator_findings, barrier_that_half_the_block_reaches) {
    unsigned line = 0;
    const report r = run({.threads = 64}, [&](const block& b) {
        line = __LINE__ + 1;
        if (b.thread() < 32) b.sync();
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::divergent_barrier);
    EXPECT_EQ(r.findings[0].first.where.line, line);
    EXPECT_EQ(r.findings[0].first.what, operation::block_sync);
    EXPECT_EQ(r.findings[0].second.what, operation::finish);
    EXPECT_EQ(r.findings[0].second.thread, 32u);
}

TEST(emulator_findings, threads_that_wait_at_different_barriers) {
    unsigned one = 0, other = 0;
    const report r = run({.threads = 3}, [&](const block& b) {
        if (b.thread() == 2) {
            one = __LINE__ + 1;
            b.sync();
        } else {
            other = __LINE__ + 1;
            b.sync();
        }
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::divergent_barrier);
    expect_between(r.findings[0], one, other);
}

TEST(emulator_findings, warp_operations_that_lanes_miss) {
    const auto kind_of = [](const auto& kernel) {
        const report r = run({.threads = 40, .warp_width = 32}, kernel);
        EXPECT_EQ(r.findings.size(), 1u) << r.text();
        EXPECT_FALSE(r.clean());
        return r.clean() ? finding_kind::race : r.findings[0].kind;
    };
    const auto diverges = finding_kind::divergent_barrier;
    EXPECT_EQ(kind_of([](const block& b) {
                  if (b.thread() != 39) (void)b.warp().shuffle(1, 0);
              }),
              diverges);
    EXPECT_EQ(kind_of([](const block& b) {
                  if (b.thread() == 5)
                      b.warp().sync();
                  else
                      (void)b.warp().ballot(true);
              }),
              diverges);
    EXPECT_EQ(kind_of([](const block& b) {
                  if (b.thread() < 4)
                      b.sync();
                  else
                      (void)b.warp().ballot(true);
              }),
              diverges);
}

TEST(emulator_findings, whole_warps_may_leave_early) {
    EXPECT_TRUE(run({.threads = 96, .warp_width = 32}, [](const block& b) {
                    if (b.warp_index() == 1) return;
                    (void)b.warp().shuffle(b.thread(), 0);
                }).clean());
}

// --- memory
// ----------------------------------------------------------------------------------------------------

TEST(emulator_findings, accesses_out_of_bounds) {
    const auto out_of_bounds = [](const auto& kernel) {
        const report r = run({.threads = 2, .shared_bytes = 64}, kernel);
        return r.findings.size() == 1 && r.findings[0].kind == finding_kind::out_of_bounds;
    };
    EXPECT_FALSE(out_of_bounds([](const block& b) { b.shared<int>(16).store(15 - b.thread(), 1); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { b.shared<int>(16).store(15 + b.thread(), 1); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { b.shared<int>(4).store(b.thread() - 1, 1); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { (void)b.shared<int>(17); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { (void)b.shared<int>(1, 64); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { (void)b.shared<int>(1, 2); }));  // misaligned
    EXPECT_TRUE(out_of_bounds([](const block& b) { (void)b.shared<int>(16).sub(10, 7); }));
    EXPECT_FALSE(out_of_bounds([](const block& b) { (void)b.shared<int>(16).sub(16, 0); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { b.shared<int>(16).sub(4, 4).store(4, 1); }));
    EXPECT_TRUE(out_of_bounds([](const block& b) { (void)b.warp().shuffle(1, 2); }));
}

TEST(emulator_findings, reads_of_what_nobody_has_written) {
    unsigned line = 0;
    const report r = run({.threads = 4, .blocks = 2, .shared_bytes = 32}, [&](const block& b) {
        const auto x = b.shared<std::uint32_t>(8);
        // The first block's memory is not the second one's.
        if (b.block_index() == 0) {
            x.store(b.thread(), 1);
            x.store(4 + b.thread(), 1);
        } else {
            x.store(b.thread(), 1);
        }
        b.sync();
        line = __LINE__ + 1;
        (void)x.load(7 - b.thread());
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::uninitialized_read);
    EXPECT_EQ(r.findings[0].block, 1u);
    EXPECT_EQ(r.findings[0].offset, 28u - 4 * r.findings[0].first.thread);
    EXPECT_EQ(r.findings[0].count, 4u);
    EXPECT_EQ(r.findings[0].first.where.line, line);

    // Half written is not written; an addition reads too.
    EXPECT_FALSE(run({.threads = 1, .shared_bytes = 8}, [](const block& b) {
                     b.shared<std::uint32_t>(1).store(0, 1);
                     (void)b.shared<std::uint64_t>(1).load(0);
                 }).clean());
    EXPECT_FALSE(run({.threads = 1, .shared_bytes = 8}, [](const block& b) {
                     (void)b.shared<std::uint32_t>(1).fetch_add(0, 1);
                 }).clean());
}

}  // namespace
}  // namespace upsweep::test
