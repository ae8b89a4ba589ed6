// Bins of a block: classification at the edges, extraction, histograms and places, for every kind of runner.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/launch_shape.hpp"
#include "support/random.hpp"
#include "upsweep/collectives/bins.hpp"
#include "upsweep/collectives/histogram.hpp"
#include "upsweep/collectives/place.hpp"

namespace upsweep::test {

template <class T>
struct find_bin_body {
    bin_range<T> range;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, std::uint32_t* out) const {
        out[block.thread()] = find_bin(range, in[block.thread()]);
    }
};

// out: place and count of every thread.
struct place_body {
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const std::uint8_t* in,
                                        std::uint32_t* out) const {
        const unsigned scratch = block_place_scratch(block.size(), block.warp().width());
        const auto shared = block.template shared<std::uint32_t>(scratch, 0);
        const auto [place, count] = block_place(block, shared, in[block.thread()] != 0);
        out[2 * block.thread()] = place;
        out[2 * block.thread() + 1] = count;
    }
};

// out: the elements of each bin, one bin behind the other; the first `absent` threads have none. Elements go
// through shared memory for odd bins.
template <class T>
struct extract_body {
    bin_range<T> range;
    unsigned absent;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, T* out) const {
        const unsigned scratch = block_extract_bin_scratch(block.size(), block.warp().width());
        const auto packed = block.template shared<T>(block.size(), 0);
        const auto shared = block.template shared<std::uint32_t>(scratch, sizeof(T) * block.size());
        const T x = in[block.thread()];
        const bool present = block.thread() >= absent;
        for (std::uint32_t bin = 0; bin < range.count; ++bin) {
            std::uint32_t count = 0;
            if (bin % 2 == 0) {
                count = block_extract_bin(block, shared, x, range, bin, out, present);
            } else {
                count = block_extract_bin(block, shared, x, range, bin, packed, present);
                block.sync();
                if (block.thread() < count) out[block.thread()] = packed.load(block.thread());
            }
            out += count;
            block.sync();
        }
    }
};

// out: the counters; every thread contributes `rounds` elements.
template <class T>
struct histogram_body {
    bin_range<T> range;
    unsigned rounds;
    unsigned absent;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, std::uint32_t* out) const {
        const auto counters = block.template shared<std::uint32_t>(block_histogram_scratch(range.count), 0);
        const unsigned n = block.size(), thread = block.thread();
        if (rounds == 1) {
            block_histogram(block, counters, in[thread], range, thread >= absent);
        } else {
            block_histogram_clear(block, counters, range.count);
            for (unsigned k = 0; k < rounds; ++k) block_histogram_add(counters, in[k * n + thread], range);
            block.sync();
        }
        for (std::uint32_t k = thread; k < range.count; k += n) out[k] = counters.load(k);
    }
};

template <class Runner>
class collectives_bins : public ::testing::Test {
  protected:
    Runner runner;

    template <class T>
    std::vector<std::uint32_t> bins_of(const bin_range<T>& range, const std::vector<T>& x) {
        return runner.template run<std::uint32_t>({.threads = static_cast<unsigned>(x.size())}, x, x.size(),
                                                  find_bin_body<T>{range});
    }
};
TYPED_TEST_SUITE_P(collectives_bins);

TYPED_TEST_P(collectives_bins, edges_of_floating_point) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    using limits = std::numeric_limits<float>;
    const std::vector<float> x{0.0f,
                               -0.0f,
                               0.125f,
                               0.12499999f,
                               0.99999994f,
                               1.0f,
                               -1e-30f,
                               2.0f,
                               limits::infinity(),
                               -limits::infinity(),
                               limits::quiet_NaN()};
    EXPECT_EQ(this->bins_of(bin_range<float>{0, 1, 8}, x),
              (std::vector<std::uint32_t>{0, 0, 1, 0, 7, no_bin, no_bin, no_bin, no_bin, no_bin, no_bin}));
    EXPECT_EQ(this->bins_of(bin_range<float>{0, 1, 8, true}, x),
              (std::vector<std::uint32_t>{0, 0, 1, 0, 7, 7, 0, 7, 7, 0, no_bin}));
    // Here the quotient rounds up to the number of bins.
    EXPECT_EQ(this->bins_of(bin_range<float>{-1, 1, 3}, {0.99999994f}), std::vector<std::uint32_t>{2});
}

TYPED_TEST_P(collectives_bins, edges_of_integers) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    using limits = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(this->bins_of(bin_range<int>{-3, 4, 7}, {-4, -3, -2, -1, 0, 1, 2, 3, 4}),
              (std::vector<std::uint32_t>{no_bin, 0, 1, 2, 3, 4, 5, 6, no_bin}));
    EXPECT_EQ(this->bins_of(bin_range<int>{0, 10, 4}, {0, 2, 3, 4, 5, 7, 8, 9}),
              (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(this->bins_of(bin_range<std::int8_t>{-128, 127, 255}, {-128, -1, 0, 126, 127}),
              (std::vector<std::uint32_t>{0, 127, 128, 254, no_bin}));
    constexpr std::int64_t large = std::int64_t{1} << 40;
    EXPECT_EQ(this->bins_of(bin_range<std::int64_t>{0, large, 2}, {large / 2 - 1, large / 2, large - 1}),
              (std::vector<std::uint32_t>{0, 1, 1}));
    // The widest ranges: no product of 64 and 32 bits fits.
    EXPECT_EQ(this->bins_of(bin_range<std::int64_t>{limits::min(), limits::max(), 0xffffffff},
                            {limits::min(), -1, 0, limits::max() - 1, limits::max()}),
              (std::vector<std::uint32_t>{0, 0x7fffffff, 0x7fffffff, 0xfffffffe, no_bin}));
    EXPECT_EQ(this->bins_of(bin_range<std::uint64_t>{0, ~std::uint64_t{0}, 3},
                            {0x5555555555555554, 0x5555555555555555, 0xaaaaaaaaaaaaaaa9, 0xaaaaaaaaaaaaaaaa}),
              (std::vector<std::uint32_t>{0, 1, 1, 2}));
}

TYPED_TEST_P(collectives_bins, places_of_a_predicate) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    random_bits random(3);
    for (const unsigned width : this->runner.warp_widths()) {
        for (const unsigned threads : block_sizes()) {
            for (const unsigned one_in : {1u, 2u, 20u}) {
                std::vector<std::uint8_t> x(threads);
                for (auto& flag : x) flag = random.below(one_in) == 0;
                const auto count = static_cast<std::uint32_t>(std::count(x.begin(), x.end(), 1));
                std::vector<std::uint32_t> expected;
                std::uint32_t before = 0;
                for (const auto flag : x) {
                    expected.insert(expected.end(), {before, count});
                    before += flag;
                }
                const auto got = this->runner.template run<std::uint32_t>(
                    {.threads = threads,
                     .blocks = 1,
                     .warp_width = width,
                     .shared_bytes = 4 * block_place_scratch(threads, width)},
                    x, 2 * threads, place_body{});
                ASSERT_EQ(got, expected) << threads << " threads, warps of " << width;
            }
        }
    }
}

TYPED_TEST_P(collectives_bins, extraction_packs_every_bin_in_order) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    random_bits random(4);
    for (const unsigned width : this->runner.warp_widths()) {
        for (const unsigned threads : block_sizes()) {
            for (const bool clamp : {false, true}) {
                const bin_range<float> range{-0.75f, 0.5f, 5, clamp};
                const unsigned absent = threads / 3;
                std::vector<float> x(threads), expected;
                for (float& v : x) v = static_cast<float>(random.between(-1, 1));
                for (std::uint32_t bin = 0; bin < range.count; ++bin) {
                    std::copy_if(x.begin() + absent, x.end(), std::back_inserter(expected),
                                 [&](float v) { return find_bin(range, v) == bin; });
                }
                const auto got = this->runner.template run<float>(
                    {.threads = threads,
                     .blocks = 1,
                     .warp_width = width,
                     .shared_bytes = 4 * (threads + block_extract_bin_scratch(threads, width))},
                    x, expected.size(), extract_body<float>{range, absent});
                ASSERT_EQ(got, expected)
                    << threads << " threads, warps of " << width << (clamp ? ", clamped" : "");
            }
        }
    }
}

TYPED_TEST_P(collectives_bins, histogram_counts_every_element) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    random_bits random(5);
    for (const unsigned threads : block_sizes()) {
        // Fewer and more bins than threads
        for (const std::uint32_t bins : {1u, 7u, 1500u}) {
            for (const unsigned rounds : {1u, 3u}) {
                const bin_range<int> range{-500, 400, bins};
                const unsigned absent = rounds == 1 ? threads / 4 : 0;
                std::vector<int> x(std::size_t{threads} * rounds);
                std::vector<std::uint32_t> expected(bins);
                for (int& v : x) v = static_cast<int>(random.below(1000)) - 500;
                for (std::size_t i = absent; i < x.size(); ++i) {
                    if (const auto bin = find_bin(range, x[i]); bin != no_bin) ++expected[bin];
                }
                const auto got = this->runner.template run<std::uint32_t>(
                    {.threads = threads, .blocks = 1, .warp_width = 32, .shared_bytes = 4 * bins}, x, bins,
                    histogram_body<int>{range, rounds, absent});
                ASSERT_EQ(got, expected)
                    << threads << " threads, " << bins << " bins, " << rounds << " elements each";
            }
        }
    }
}

TYPED_TEST_P(collectives_bins, worked_example) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    std::vector<double> x(128);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 80) / 100;
    const bin_range<double> range{0, 1, 8};
    const std::vector<std::uint32_t> counts{26, 24, 26, 22, 13, 12, 5, 0};
    EXPECT_EQ(this->runner.template run<std::uint32_t>({.threads = 128, .shared_bytes = 32}, x, 8,
                                                       histogram_body<double>{range, 1, 0}),
              counts);

    const std::size_t shared_bytes = 8 * 128 + 4 * block_extract_bin_scratch(128);
    const auto packed = this->runner.template run<double>({.threads = 128, .shared_bytes = shared_bytes}, x,
                                                          128, extract_body<double>{range, 0});
    EXPECT_EQ(std::vector<double>(packed.begin(), packed.begin() + 3),
              (std::vector<double>{0.0, 0.01, 0.02}));
    std::vector<double> expected;
    for (std::uint32_t bin = 0; bin < 8; ++bin) {
        const std::size_t before = expected.size();
        for (const double v : x) {
            if (v >= bin / 8.0 && v < (bin + 1) / 8.0) expected.push_back(v);
        }
        EXPECT_EQ(expected.size() - before, counts[bin]);
    }
    EXPECT_EQ(packed, expected);
}

REGISTER_TYPED_TEST_SUITE_P(collectives_bins, edges_of_floating_point, edges_of_integers,
                            places_of_a_predicate, extraction_packs_every_bin_in_order,
                            histogram_counts_every_element, worked_example);

}  // namespace upsweep::test
