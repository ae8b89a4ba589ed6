// Launches as a whole: waiting that ends and waiting that does not, exceptions, and configs that no machine
// has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "upsweep/emulator/machine.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using emulator::block;
using emulator::finding_kind;
using emulator::report;
using emulator::schedule;

TEST(emulator_launches, waiting_for_a_later_block) {
    std::uint32_t flag = 0;
    unsigned line = 0;
    emulator::machine machine;
    const report r = machine.run({.threads = 33, .blocks = 2}, [&](const block& b) {
        if (b.block_index() == 1) b.atomic_store<access_order::release>(&flag, 1);
        line = __LINE__ + 1;
        while (b.thread() == 7 && b.atomic_load<access_order::acquire>(&flag) == 0) {
        }
        b.sync();
    });
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::no_progress);
    EXPECT_EQ(r.findings[0].first.thread, 7u);
    EXPECT_EQ(r.findings[0].first.where.line, line);
    EXPECT_EQ(flag, 0u);
}

TEST(emulator_launches, waiting_together_for_what_never_comes) {
    std::uint32_t flag = 0;
    emulator::machine machine;
    const auto spinning_warps = [&](const block& b) {
        while (b.warp().ballot(b.atomic_load<access_order::relaxed>(&flag) == 0) != 0) {
        }
    };
    const auto spinning_block = [&](const block& b) {
        while (b.atomic_load<access_order::relaxed>(&flag) == 0) b.sync();
    };
    report r = machine.run({.threads = 64}, spinning_warps);
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::no_progress);
    r = machine.run({.threads = 64}, spinning_block);
    ASSERT_EQ(r.findings.size(), 1u) << r.text();
    EXPECT_EQ(r.findings[0].kind, finding_kind::no_progress);
}

TEST(emulator_launches, waiting_for_a_thread_of_the_same_block) {
    std::uint64_t flag = 0;
    emulator::machine machine;
    for (const auto order : {schedule::ascending, schedule::descending, schedule::shuffled}) {
        const report r = machine.run({.threads = 64, .order = order}, [&](const block& b) {
            if (b.thread() == 0) flag = 0;
            b.sync();
            if (b.thread() == 63) b.atomic_store<access_order::release>(&flag, 1);
            while (b.atomic_load<access_order::acquire>(&flag) == 0) {
            }
        });
        EXPECT_TRUE(r.clean()) << r.text();
    }
}

TEST(emulator_launches, the_kernels_exception_comes_out_and_threads_are_unwound) {
    struct counted {
        int& alive;
        explicit counted(int& a) : alive(a) { ++alive; }
        ~counted() { --alive; }
    };
    int alive = 0, most = 0;
    emulator::machine machine;
    const auto kernel = [&](const block& b) {
        const counted here(alive);
        most = std::max(most, alive);
        if (b.thread() == 20) throw std::runtime_error("from the kernel");
        b.sync();
    };
    EXPECT_THROW((void)machine.run({.threads = 64, .blocks = 3}, kernel), std::runtime_error);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(most, 21);
    // The machine is as good as new.
    EXPECT_TRUE(machine.run({.threads = 64}, [](const block& b) { b.sync(); }).clean());
}

TEST(emulator_launches, launches_that_no_machine_has) {
    emulator::machine machine;
    const auto kernel = [](const block&) {};
    EXPECT_THROW((void)machine.run({.threads = 0}, kernel), error);
    EXPECT_THROW((void)machine.run({.threads = 1025}, kernel), error);
    for (const unsigned width : {0u, 3u, 33u, 48u, 128u})
        EXPECT_THROW((void)machine.run({.threads = 32, .warp_width = width}, kernel), error) << width;
    for (unsigned width = 1; width <= 64; width *= 2)
        EXPECT_TRUE(machine.run({.threads = 32, .warp_width = width}, kernel).clean()) << width;
    EXPECT_TRUE(machine.run({.threads = 32, .blocks = 0}, kernel).clean());
    emulator::machine huge(std::size_t{1} << 60);
    EXPECT_THROW((void)huge.run({.threads = 1}, kernel), error);
}

}  // namespace
}  // namespace upsweep::test
