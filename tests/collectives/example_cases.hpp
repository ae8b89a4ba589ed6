// The worked examples of docs/collectives.md for scans, and a scan over several blocks, for every kind of
// runner.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/launch_shape.hpp"
#include "support/random.hpp"
#include "upsweep/collectives/block_scan.hpp"
#include "upsweep/core/group.hpp"

namespace upsweep::test {

template <class Algorithm>
struct inclusive_body {
    unsigned scratch;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const int* in, int* out) const {
        const auto shared = block.template shared<int>(scratch, 0);
        out[block.thread()] = Algorithm::inclusive(block, shared, in[block.thread()]);
    }
};

// The inclusive sum of `n` elements, one a thread, over a grid: each block scans its own, waits for the
// prefix of the block before it and publishes its own. Blocks take their numbers in the order in which they
// start, so they wait only for blocks that run. out: n results, the next ticket, and a word a block: 2^32 +
// prefix, or 0 for "not yet".
struct chained_sum_body {
    unsigned n;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const std::uint32_t* in,
                                        std::uint64_t* out) const {
        std::uint64_t* const ticket = out + n;
        std::uint64_t* const words = out + n + 1;
        const auto shared = block.template shared<std::uint32_t>(block_scan_scratch(block.size()) + 1, 0);
        const auto warps = shared.sub(0, block_scan_scratch(block.size()));
        const auto slot = shared.sub(block_scan_scratch(block.size()), 1);

        if (block.thread() == 0) slot.store(0, static_cast<std::uint32_t>(block.fetch_add(ticket, 1)));
        block.sync();
        const unsigned index = slot.load(0);
        block.sync();
        const unsigned i = index * block.size() + block.thread();
        std::uint32_t total = 0;
        const std::uint32_t own =
            block_inclusive_scan(block, warps, i < n ? in[i] : 0, plus{}, {.total = &total});
        if (block.thread() == 0) {
            std::uint64_t before = std::uint64_t{1} << 32;
            if (index > 0) {
                do {
                    before = block.template atomic_load<access_order::acquire>(words + index - 1);
                } while (before == 0);
            }
            block.template atomic_store<access_order::release>(words + index, before + total);
            slot.store(0, static_cast<std::uint32_t>(before));
        }
        block.sync();
        if (i < n) out[i] = slot.load(0) + own;
    }
};

template <class Runner>
class collectives_examples : public ::testing::Test {
  protected:
    Runner runner;
};
TYPED_TEST_SUITE_P(collectives_examples);

template <class Algorithm, class Runner>
std::vector<int> inclusive_of(Runner& runner, const std::vector<int>& x) {
    const auto threads = static_cast<unsigned>(x.size());
    const unsigned scratch = Algorithm::template scratch<int>(threads, 32);
    return runner.template run<int>({.threads = threads, .shared_bytes = 4 * scratch}, x, x.size(),
                                    inclusive_body<Algorithm>{scratch});
}

TYPED_TEST_P(collectives_examples, block_scan_of_eight) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    const std::vector<int> x{0, 1, 2, 3, 4, 5, 6, 7}, sums{0, 1, 3, 6, 10, 15, 21, 28};
    EXPECT_EQ(inclusive_of<hillis_steele_algorithm>(this->runner, x), sums);
    EXPECT_EQ(inclusive_of<hillis_steele_double_algorithm>(this->runner, x), sums);
    EXPECT_EQ(inclusive_of<blelloch_algorithm>(this->runner, x), sums);
    EXPECT_EQ(inclusive_of<warp_scans_algorithm>(this->runner, x), sums);
}

TYPED_TEST_P(collectives_examples, warp_scan_of_thirty_two) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    std::vector<int> x(32), sums(32);
    std::iota(x.begin(), x.end(), 1);
    std::partial_sum(x.begin(), x.end(), sums.begin());
    ASSERT_EQ(sums.back(), 528);
    EXPECT_EQ(inclusive_of<warp_algorithm>(this->runner, x), sums);
}

template <class Runner>
void check_chained_sum(Runner& runner, unsigned threads, const std::vector<std::uint32_t>& x) {
    const auto n = static_cast<unsigned>(x.size());
    const unsigned blocks = (n + threads - 1) / threads;
    std::vector<std::uint64_t> memory(n, 0xcdcdcdcdcdcdcdcd);
    memory.resize(n + 1 + blocks);
    const auto got = runner.run_on({.threads = threads,
                                    .blocks = blocks,
                                    .warp_width = 32,
                                    .shared_bytes = 4 * (block_scan_scratch(threads) + 1)},
                                   x, memory, chained_sum_body{n});
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < n; ++i) {
        sum += x[i];
        ASSERT_EQ(got[i], sum) << threads << " threads, element " << i << " of " << n;
    }
    EXPECT_EQ(got[n], blocks);
    EXPECT_EQ(got.back(), (std::uint64_t{1} << 32) + sum);
}

TYPED_TEST_P(collectives_examples, several_blocks) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    std::vector<std::uint32_t> x(15);
    std::iota(x.begin(), x.end(), 0);
    check_chained_sum(this->runner, 8, x);  // ... 91 105

    random_bits random(6);
    for (const unsigned threads : {1u, 32u, 100u, 1024u}) {
        for (const unsigned blocks : {1u, 2u, 3u, 17u}) {
            x.resize(threads * blocks - threads / 2);
            for (auto& v : x) v = static_cast<std::uint32_t>(random.below(1000));
            check_chained_sum(this->runner, threads, x);
        }
    }
}

REGISTER_TYPED_TEST_SUITE_P(collectives_examples, block_scan_of_eight, warp_scan_of_thirty_two,
                            several_blocks);

}  // namespace upsweep::test
