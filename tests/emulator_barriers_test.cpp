// Every barrier of every collective is needed, and the emulator notices when one is missing: each collective
// runs with its k-th barrier left out, for every k.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "upsweep/collectives/bins.hpp"
#include "upsweep/collectives/histogram.hpp"
#include "upsweep/emulator/machine.hpp"

namespace upsweep::test {
namespace {

// A block that passes over one of its barriers.
class lax_block : public emulator::block {
  public:
    lax_block(const emulator::block& strict, unsigned omitted, unsigned& passed)
        : emulator::block(strict), omitted_(omitted), passed_(&passed) {}

    void sync(emulator::source_line where = emulator::source_line::current()) const {
        if ((*passed_)++ != omitted_) emulator::block::sync(where);
    }

  private:
    unsigned omitted_;
    unsigned* passed_;  // this thread's barriers so far
};

constexpr unsigned none = 0xffffffff;

// Runs the collective without each of its barriers in turn; returns how many it has. One may be superfluous.
template <class Collective>
unsigned check_each_barrier(const emulator::launch_config& config, const std::string& what,
                            const Collective& collective, unsigned superfluous = none) {
    emulator::machine machine;
    unsigned barriers = 0;
    for (unsigned omitted = 0;; ++omitted) {
        const auto report = machine.run(config, [&](const emulator::block& block) {
            unsigned passed = 0;
            collective(lax_block(block, omitted, passed));
            if (block.thread() == 0) barriers = passed;
        });
        const bool all_there = omitted >= barriers;
        EXPECT_EQ(report.clean(), all_there || omitted == superfluous)
            << what << ", " << config.threads << " threads, without barrier " << omitted << " of " << barriers
            << '\n'
            << report.text();
        if (all_there || ::testing::Test::HasFailure()) return barriers;
    }
}

unsigned log2_ceil(unsigned n) { return static_cast<unsigned>(std::bit_width(n - 1)); }

template <class Algorithm>
unsigned scan_barriers(unsigned threads, unsigned width, const std::string& what,
                       unsigned superfluous = none) {
    const unsigned scratch = Algorithm::template scratch<int>(threads, width);
    const auto scan = [scratch](const lax_block& block) {
        int total = 0;
        const auto shared = block.shared<int>(scratch);
        const group_scan_options<int> options{{}, &total};
        (void)Algorithm::exclusive(block, shared, static_cast<int>(block.thread()), plus{}, options);
    };
    return check_each_barrier({.threads = threads, .warp_width = width, .shared_bytes = 4 * scratch}, what,
                              scan, superfluous);
}

// With the documented number of barriers.
TEST(emulator_barriers, of_scans) {
    for (const unsigned width : {32u, 64u}) {
        // More than 3 / 4 of a power of two: else the last step of Hillis and Steele reads only what the one
        // before it has not written, and so needs no barrier between.
        for (const unsigned n : {2u, 7u, 31u, 56u, 100u, 128u, 400u}) {
            const unsigned steps = log2_ceil(n);
            // In the last step all that is read lies before all that is written.
            EXPECT_EQ(scan_barriers<hillis_steele_algorithm>(n, width, "hillis_steele", 2 * steps - 1),
                      1 + 2 * steps);
            EXPECT_EQ(scan_barriers<hillis_steele_double_algorithm>(n, width, "hillis_steele_double"),
                      1 + steps);
            EXPECT_EQ(scan_barriers<blelloch_algorithm>(n, width, "blelloch"), 2 * steps);
            EXPECT_EQ(scan_barriers<warp_scans_algorithm>(n, width, "block_scan"), n > width ? 2u : 0u);
        }
    }
}

TEST(emulator_barriers, of_bins) {
    const bin_range<int> range{0, 10, 5};
    for (const unsigned n : {33u, 100u, 333u}) {
        const auto histogram = [range](const lax_block& block) {
            const auto counters = block.shared<std::uint32_t>(5);
            block_histogram(block, counters, static_cast<int>(block.thread() % 11), range);
            (void)counters.load(block.thread() % 5);
        };
        EXPECT_EQ(check_each_barrier({.threads = n, .shared_bytes = 4 * 5}, "histogram", histogram), 2u);

        std::vector<int> out(n);
        const unsigned scratch = block_extract_bin_scratch(n);
        const auto extraction = [&](const lax_block& block) {
            const auto shared = block.shared<std::uint32_t>(scratch);
            block_extract_bin(block, shared, static_cast<int>(block.thread() % 11), range, 2, out.data());
        };
        EXPECT_EQ(
            check_each_barrier({.threads = n, .shared_bytes = 4 * scratch}, "bin extraction", extraction),
            2u);
    }
}

}  // namespace
}  // namespace upsweep::test
