// Traces: what they contain, that they repeat exactly, and the bank conflicts counted from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/collectives/blelloch.hpp"
#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/emulator/bank_conflicts.hpp"
#include "upsweep/emulator/machine.hpp"

namespace upsweep::test {
namespace {

using emulator::block;
using emulator::operation;
using emulator::schedule;

template <class Kernel>
emulator::trace trace_of(emulator::launch_config config, const Kernel& kernel) {
    config.record = true;
    emulator::machine machine;
    emulator::report r = machine.run(config, kernel);
    EXPECT_TRUE(r.clean()) << r.text();
    return std::move(r.events);
}

std::string in_words(const emulator::trace& t) {
    std::string all;
    for (const auto& e : t.events) {
        all += std::to_string(e.block) + '/' + std::to_string(e.thread) + " phase " +
               std::to_string(e.phase) + '.' + std::to_string(e.warp_phase) + " step " +
               std::to_string(e.step) + ' ' + describe(e.what) + ' ' + std::to_string(e.offset) + '+' +
               std::to_string(e.bytes) + ' ' + t.value_text(e) + '\n';
    }
    return all;
}

TEST(emulator_trace, events_of_a_small_kernel) {
    unsigned storing = 0;
    const auto t = trace_of({.threads = 2, .blocks = 2, .shared_bytes = 16}, [&](const block& b) {
        const auto x = b.shared<int>(2, 4);
        storing = __LINE__ + 1;
        x.store(b.thread(), -1 - static_cast<int>(b.thread()));
        b.sync();
        if (b.thread() == 1) (void)x.load(0);
        (void)b.warp().shuffle_xor(0.5, 1);
        b.warp().sync();
        (void)b.warp().ballot(b.thread() == 1);
    });
    EXPECT_EQ(t.blocks, 2u);
    EXPECT_EQ(t.threads, 2u);
    EXPECT_EQ(t.warp_width, 32u);
    EXPECT_EQ(t.shared_bytes, 16u);
    // The thread that completes a meeting goes on at once.
    const std::string one_block =
        "B/0 phase 0.0 step 0 writes 4+4 -1\n"
        "B/0 phase 0.0 step 1 waits at the block's barrier 0+0 \n"
        "B/1 phase 0.0 step 0 writes 8+4 -2\n"
        "B/1 phase 0.0 step 1 waits at the block's barrier 0+0 \n"
        "B/1 phase 1.0 step 2 reads 4+4 -1\n"
        "B/0 phase 1.0 step 2 shuffles 1+8 0.500000\n"
        "B/0 phase 1.0 step 3 waits for its warp 0+0 \n"
        "B/1 phase 1.0 step 3 shuffles 0+8 0.500000\n"
        "B/1 phase 1.0 step 4 waits for its warp 0+0 \n"
        "B/0 phase 1.1 step 4 votes in a ballot 0+8 2\n"
        "B/1 phase 1.1 step 5 votes in a ballot 0+8 2\n";
    std::string expected;
    for (const char index : {'0', '1'}) {
        std::string part = one_block;
        std::replace(part.begin(), part.end(), 'B', index);
        expected += part;
    }
    EXPECT_EQ(in_words(t), expected);
    EXPECT_EQ(t.events[0].where.line, storing);
    EXPECT_STREQ(t.events[0].where.file, __FILE__);
}

TEST(emulator_trace, shuffles_tell_what_every_lane_sends) {
    // A last warp that is part-filled, and values that no lane asks for.
    const auto t = trace_of({.threads = 10, .warp_width = 4}, [](const block& b) {
        (void)b.warp().shuffle(static_cast<int>(100 + b.thread()), 0);
        (void)b.warp().ballot(true);
    });
    unsigned shuffles = 0;
    for (const auto& e : t.events) {
        int received = 0, sent = 0;
        if (e.what != operation::shuffle) {
            EXPECT_EQ(e.sent, 0u);
            continue;
        }
        std::memcpy(&received, t.values.data() + e.value, sizeof(int));
        std::memcpy(&sent, t.values.data() + e.sent, sizeof(int));
        EXPECT_EQ(sent, static_cast<int>(100 + e.thread));
        EXPECT_EQ(received, static_cast<int>(100 + e.thread / 4 * 4));
        ++shuffles;
    }
    EXPECT_EQ(shuffles, 10u);
}

TEST(emulator_trace, repeats_exactly) {
    const auto kernel = [](const block& b) {
        int total = 0;
        const auto shared = b.shared<int>(block_scan_scratch(100));
        (void)block_exclusive_scan(b, shared, 1, plus{}, {.total = &total});
    };
    for (const auto order : {schedule::ascending, schedule::descending, schedule::shuffled}) {
        const emulator::launch_config config{.threads = 100, .shared_bytes = 16, .order = order, .seed = 9};
        EXPECT_EQ(in_words(trace_of(config, kernel)), in_words(trace_of(config, kernel)));
    }
    const auto ascending = in_words(trace_of({.threads = 100, .shared_bytes = 16}, kernel));
    const auto shuffled = in_words(
        trace_of({.threads = 100, .shared_bytes = 16, .order = schedule::shuffled, .seed = 9}, kernel));
    EXPECT_NE(ascending, shuffled);
}

TEST(emulator_trace, is_empty_unless_asked_for) {
    emulator::machine machine;
    const auto r = machine.run({.threads = 4, .shared_bytes = 16}, [](const block& b) {
        b.shared<int>(4).store(b.thread(), 1);
        b.sync();
    });
    EXPECT_TRUE(r.events.events.empty());
    EXPECT_TRUE(r.events.values.empty());
}

TEST(emulator_trace, order_shows_where_there_is_a_race) {
    int last = 0;
    const auto kernel = [&](const block& b) {
        const auto x = b.shared<int>(1);
        x.store(0, static_cast<int>(b.thread()));
        b.sync();
        last = x.load(0);
    };
    emulator::machine machine;
    EXPECT_FALSE(machine.run({.threads = 8, .shared_bytes = 4}, kernel).clean());
    EXPECT_EQ(last, 7);
    EXPECT_FALSE(
        machine.run({.threads = 8, .shared_bytes = 4, .order = schedule::descending}, kernel).clean());
    EXPECT_EQ(last, 0);
}

// --- bank conflicts
// --------------------------------------------------------------------------------------------

template <class T>
emulator::bank_usage stores_at_stride(unsigned stride, unsigned threads = 32) {
    return bank_conflicts(
        trace_of({.threads = threads, .shared_bytes = sizeof(T) * stride * threads},
                 [=](const block& b) { b.shared<T>(stride * b.size()).store(stride * b.thread(), T{}); }));
}

TEST(emulator_trace, bank_conflicts_of_strides) {
    EXPECT_EQ(stores_at_stride<std::uint32_t>(1).worst_degree, 1u);
    EXPECT_EQ(stores_at_stride<std::uint32_t>(2).worst_degree, 2u);
    EXPECT_EQ(stores_at_stride<std::uint32_t>(3).worst_degree, 1u);
    EXPECT_EQ(stores_at_stride<std::uint32_t>(32).worst_degree, 32u);
    EXPECT_EQ(stores_at_stride<std::uint32_t>(33).worst_degree, 1u);
    EXPECT_EQ(stores_at_stride<std::uint8_t>(1).worst_degree, 1u);  // four lanes share a word
    EXPECT_EQ(stores_at_stride<std::uint8_t>(8).worst_degree, 2u);
    EXPECT_EQ(stores_at_stride<std::uint64_t>(1).worst_degree, 1u);
    EXPECT_EQ(stores_at_stride<std::uint64_t>(1).requests, 2u);  // half a warp each
    EXPECT_EQ(stores_at_stride<std::uint64_t>(2).worst_degree, 2u);
    const auto two_warps = stores_at_stride<std::uint32_t>(4, 64);
    EXPECT_EQ(two_warps.requests, 2u);
    EXPECT_EQ(two_warps.passes, 8u);

    // One word for all is read once.
    const auto t = trace_of({.threads = 32, .shared_bytes = 4}, [](const block& b) {
        const auto x = b.shared<int>(1);
        if (b.thread() == 0) x.store(0, 1);
        b.sync();
        (void)x.load(0);
    });
    EXPECT_EQ(bank_conflicts(t).worst_degree, 1u);
}

template <class T>
emulator::bank_usage usage_of_blelloch(unsigned threads) {
    const unsigned scratch = blelloch_scratch<T>(threads);
    return bank_conflicts(
        trace_of({.threads = threads, .shared_bytes = scratch * sizeof(T)}, [=](const block& b) {
            const auto shared = b.shared<T>(scratch);
            (void)blelloch_exclusive_scan(b, shared, T{}, plus{});
        }));
}

TEST(emulator_trace, blelloch_has_no_bank_conflicts) {
    for (const unsigned threads : {64u, 128u, 256u, 512u, 1024u}) {
        EXPECT_EQ(usage_of_blelloch<std::uint8_t>(threads).worst_degree, 1u) << threads;
        EXPECT_EQ(usage_of_blelloch<std::uint16_t>(threads).worst_degree, 1u) << threads;
        EXPECT_EQ(usage_of_blelloch<std::uint32_t>(threads).worst_degree, 1u) << threads;
        EXPECT_EQ(usage_of_blelloch<double>(threads).worst_degree, 1u) << threads;
        EXPECT_EQ(usage_of_blelloch<std::complex<double>>(threads).worst_degree, 1u) << threads;
    }
    // The last node of other sizes lives where it may meet one more.
    for (const unsigned threads : {33u, 100u, 333u, 777u, 1023u}) {
        EXPECT_LE(usage_of_blelloch<std::uint32_t>(threads).worst_degree, 2u) << threads;
        EXPECT_LE(usage_of_blelloch<double>(threads).worst_degree, 2u) << threads;
    }
}

}  // namespace
}  // namespace upsweep::test
