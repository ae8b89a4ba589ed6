// Scans and reductions over warps and blocks against the groupings of docs/collectives.md, bit for bit, for
// every kind of runner.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/groupings.hpp"
#include "collectives/launch_shape.hpp"
#include "collectives/operators.hpp"
#include "support/bits.hpp"
#include "upsweep/collectives/warp_reduce.hpp"

namespace upsweep::test {

// Twice in a row with a barrier between, so that a collective that leaves a thread behind shows.
template <class Algorithm, class T, class Op>
struct scan_body {
    Op op;
    bool exclusive;
    bool has_initial;
    T initial;
    unsigned scratch;

    // out: results of all threads, then the totals that they got, without and then with a total asked for.
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, T* out) const {
        const auto shared = block.template shared<T>(scratch, 0);
        const unsigned n = block.size(), thread = block.thread();
        T total{};
        group_scan_options<T> options;
        if (has_initial) options.initial = initial;
        for (int round = 0; round < 2; ++round) {
            out[round * n + thread] = exclusive
                                          ? Algorithm::exclusive(block, shared, in[thread], op, options)
                                          : Algorithm::inclusive(block, shared, in[thread], op, options);
            options.total = &total;
            block.sync();
        }
        out[2 * n + thread] = total;
    }
};

template <class T>
void expect_same(const std::vector<std::optional<T>>& expected, const T* got,
                 const std::optional<T>& identity, const std::string& what) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::optional<T> value = expected[i] ? expected[i] : identity;
        if (!value) continue;  // unspecified
        ASSERT_TRUE(same_bits(*value, got[i]))
            << what << ", thread " << i << ": expected " << describe(*value) << ", got " << describe(got[i]);
    }
}

template <class T, class Op>
std::optional<T> identity_if_any(Op op) {
    if constexpr (has_identity<Op, T>)
        return identity_of<T>(op);
    else
        return std::nullopt;
}

// The oracle of a warp scan: each warp's lanes are a sequence of their own.
template <class T, class Op>
scanned<T> expected_of_warp(std::span<const T> x, unsigned width, const std::optional<T>& initial, Op op,
                            std::vector<std::optional<T>>& totals) {
    scanned<T> all{};
    for (std::size_t first = 0; first < x.size(); first += width) {
        const auto lanes = x.subspan(first, std::min<std::size_t>(width, x.size() - first));
        const scanned<T> warp = hillis_steele_grouping(lanes, initial, op);
        all.inclusive.insert(all.inclusive.end(), warp.inclusive.begin(), warp.inclusive.end());
        all.exclusive.insert(all.exclusive.end(), warp.exclusive.begin(), warp.exclusive.end());
        totals.insert(totals.end(), lanes.size(), warp.total);
    }
    return all;
}

template <class Algorithm, class T, class Runner, class Op>
void check_scan(Runner& runner, Op op) {
    random_bits random(sizeof(T));
    for (const unsigned width : runner.warp_widths()) {
        for (const unsigned threads : block_sizes()) {
            std::vector<T> x(threads);
            for (T& value : x) value = random_element<T>(random);
            const T initial = random_element<T>(random);
            const unsigned scratch = Algorithm::template scratch<T>(threads, width);
            for (const bool has_initial : {false, true}) {
                std::optional<T> start;
                if (has_initial) start = initial;
                std::vector<std::optional<T>> totals;
                scanned<T> expected;
                if constexpr (std::same_as<Algorithm, warp_algorithm>) {
                    expected = expected_of_warp(std::span<const T>(x), width, start, op, totals);
                } else {
                    expected = Algorithm::expected(std::span<const T>(x), width, start, op);
                    totals.assign(threads, expected.total);
                }
                for (const bool exclusive : {false, true}) {
                    const std::string what =
                        std::to_string(threads) + " threads, warps of " + std::to_string(width) +
                        (exclusive ? ", exclusive" : ", inclusive") + (has_initial ? ", initial value" : "");
                    const auto got = runner.template run<T>(
                        {.threads = threads,
                         .blocks = 1,
                         .warp_width = width,
                         .shared_bytes = scratch * sizeof(T)},
                        x, 3 * threads,
                        scan_body<Algorithm, T, Op>{op, exclusive, has_initial, initial, scratch});
                    const auto& values = exclusive ? expected.exclusive : expected.inclusive;
                    expect_same(values, got.data(), identity_if_any<T>(op), what);
                    expect_same(values, got.data() + threads, identity_if_any<T>(op), what + ", with total");
                    expect_same(totals, got.data() + 2 * threads, {}, what + ": total");
                    if (::testing::Test::HasFailure()) return;
                }
            }
        }
    }
}

template <class Algorithm, class Runner>
void check_all_scans(Runner& runner) {
    if (!runner.available()) GTEST_SKIP() << "no device";
    check_scan<Algorithm, int>(runner, plus{});
    check_scan<Algorithm, std::uint8_t>(runner, plus{});
    check_scan<Algorithm, int>(runner, maximum{});
    check_scan<Algorithm, double>(runner, plus{});
    check_scan<Algorithm, counted_map>(runner, compose_maps{});
    check_scan<Algorithm, wide_matrix>(runner, multiply_matrices{});
    check_scan<Algorithm, std::uint64_t>(runner, operation_tree{});
}

template <class T, class Op>
struct reduce_body {
    Op op;
    template <class Block>
    UPSWEEP_HOST_DEVICE void operator()(const Block& block, const T* in, T* out) const {
        out[block.thread()] = warp_reduce(block.warp(), in[block.thread()], op);
    }
};

template <class T, class Runner, class Op>
void check_reduce(Runner& runner, Op op) {
    random_bits random(sizeof(T));
    for (const unsigned width : runner.warp_widths()) {
        // Every number of lanes, and a full warp before them.
        for (unsigned threads = 1; threads <= 2 * width; ++threads) {
            std::vector<T> x(threads);
            for (T& value : x) value = random_element<T>(random);
            const auto got = runner.template run<T>({.threads = threads, .blocks = 1, .warp_width = width}, x,
                                                    threads, reduce_body<T, Op>{op});
            for (unsigned t = 0; t < threads; ++t) {
                const unsigned first = t / width * width;
                const auto lanes = std::span<const T>(x).subspan(first, std::min(width, threads - first));
                const T expected = balanced_fold(lanes, op);
                ASSERT_TRUE(same_bits(expected, got[t]))
                    << threads << " threads, warps of " << width << ", thread " << t << ": expected "
                    << describe(expected) << ", got " << describe(got[t]);
            }
        }
    }
}

template <class Runner>
class collectives_scan : public ::testing::Test {
  protected:
    Runner runner;
};
TYPED_TEST_SUITE_P(collectives_scan);

TYPED_TEST_P(collectives_scan, warp) { check_all_scans<warp_algorithm>(this->runner); }
TYPED_TEST_P(collectives_scan, hillis_steele) { check_all_scans<hillis_steele_algorithm>(this->runner); }
TYPED_TEST_P(collectives_scan, hillis_steele_double) {
    check_all_scans<hillis_steele_double_algorithm>(this->runner);
}
TYPED_TEST_P(collectives_scan, blelloch) { check_all_scans<blelloch_algorithm>(this->runner); }
TYPED_TEST_P(collectives_scan, warp_scans) { check_all_scans<warp_scans_algorithm>(this->runner); }
TYPED_TEST_P(collectives_scan, warp_reduce) {
    if (!this->runner.available()) GTEST_SKIP() << "no device";
    check_reduce<int>(this->runner, plus{});
    check_reduce<double>(this->runner, plus{});
    check_reduce<counted_map>(this->runner, compose_maps{});
    check_reduce<wide_matrix>(this->runner, multiply_matrices{});
    check_reduce<std::uint64_t>(this->runner, operation_tree{});
}

REGISTER_TYPED_TEST_SUITE_P(collectives_scan, warp, hillis_steele, hillis_steele_double, blelloch, warp_scans,
                            warp_reduce);

}  // namespace upsweep::test
