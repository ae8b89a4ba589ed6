// What the options of a scan promise: initial values, totals, blocks that continue each other; and elements,
// accumulators and results of different types.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// ---- by hand ----

#if !defined(UPSWEEP_TEST_SHADERS)
// Not commutative: the later of two, unless that is 1.
struct later_but_one {
    UPSWEEP_HOST_DEVICE int operator()(int a, int b) const { return b == 1 ? a : b; }
};
struct first_of_two {
    UPSWEEP_HOST_DEVICE float operator()(float a, float) const { return a; }
};
#endif

TEST(scan_options, small_examples) {
    for_each_backend([](const auto& backend) {
        test_executor& ex = *backend.executor;
        const std::vector<int> in{3, 1, 4, 1, 5};
        std::vector<int> out(5, -1);
        inclusive_scan(ex, in, out);
        EXPECT_EQ(out, (std::vector{3, 4, 8, 9, 14}));
        exclusive_scan(ex, in, out);
        EXPECT_EQ(out, (std::vector{0, 3, 4, 8, 9}));
        inclusive_scan(ex, in, out, plus{}, {.initial = 100, .reverse = true});
        EXPECT_EQ(out, (std::vector{114, 111, 110, 106, 105}));
        exclusive_scan(ex, in, out, plus{}, {.initial = 100, .reverse = true});
        EXPECT_EQ(out, (std::vector{111, 110, 106, 105, 100}));
        inclusive_scan(ex, in, out, maximum{});
        EXPECT_EQ(out, (std::vector{3, 3, 4, 4, 5}));
        exclusive_scan(ex, in, out, minimum{}, {.initial = 3});
        EXPECT_EQ(out, (std::vector{3, 3, 1, 1, 1}));
#if !defined(UPSWEEP_TEST_SHADERS)  // which take operators of the user's as text
        inclusive_scan(ex, in, out, later_but_one{});
        EXPECT_EQ(out, (std::vector{3, 3, 4, 4, 5}));
        inclusive_scan(ex, in, out, later_but_one{}, {.reverse = true});
        EXPECT_EQ(out, (std::vector{5, 5, 5, 5, 5}));
#endif
    });
}

#if !defined(UPSWEEP_TEST_SHADERS)  // this one is about host memory
TEST(scan_options, any_contiguous_range) {
    cpu::executor ex(1);
    const int in[3] = {1, 2, 3};
    std::array<int, 3> array{};
    inclusive_scan(ex, in, array);
    EXPECT_EQ(array, (std::array{1, 3, 6}));
    inclusive_scan(ex, std::span(array), std::span(array));
    EXPECT_EQ(array, (std::array{1, 4, 10}));
    int out[3];
    exclusive_scan(ex, std::span<const int, 3>(in), out);
    EXPECT_EQ(out[2], 3);
}
#endif

TEST(scan_options, nothing_to_scan) {
    for_each_backend([](const auto& backend) {
        test_executor& ex = *backend.executor;
        const std::vector<float> none;
        std::vector<float> out;
        float total = 9;
        inclusive_scan(ex, none, out, plus{}, {.total = &total});
        EXPECT_TRUE(same_bits(total, -0.0f));
        exclusive_scan(ex, none, out, multiplies{}, {.initial = 5.0f, .total = &total});
        EXPECT_EQ(total, 5.0f);
#if !defined(UPSWEEP_TEST_SHADERS)
        inclusive_scan(ex, none, out, first_of_two{});
        exclusive_scan(ex, none, out, first_of_two{});
#endif
        inclusive_scan(ex, none, out, plus{}, {.initial = 3.0f, .total = &total});
        EXPECT_EQ(total, 3.0f);
    });
}

// ---- types ----

#if !defined(UPSWEEP_TEST_SHADERS)  // whose elements, accumulators and results have one type
TEST(scan_options, accumulator_and_result_of_other_types) {
    sweep<std::int8_t, plus, std::int64_t, std::int64_t>(-1000, {}, false);
    sweep<std::uint8_t, plus, std::uint16_t, std::uint32_t>(70000u, {}, false);  // results wrap when stored
    further_sweep<std::int32_t, plus, double, std::int32_t>(7, {}, false);
    sweep<float, plus, double, double>(0.1, {}, false);
    further_sweep<float, plus, float, double>(0.1, {}, false);  // one rounding more, on store only
    sweep<double, plus, float, float>(0.1f, {}, false);
    further_sweep<std::int16_t, plus, float, float>(0.5f, {}, false);
    sweep<std::int64_t, maximum, std::uint8_t, std::uint8_t>(std::uint8_t{3}, {}, false);
    further_sweep<std::uint32_t, multiplies, std::uint64_t, std::uint64_t>(3u, {}, false);
    further_sweep<std::int32_t, minimum, std::int16_t, std::int32_t>(-7, {}, false);
}
// The same with several threads: conversions happen in both passes.
TEST(scan_options, other_types_on_several_threads) {
    sweep<std::int8_t, plus, std::int64_t, std::int64_t>(-1000);
    sweep<float, plus, double, double>(0.1);
}

TEST(scan_options, the_accumulator_is_never_a_literals_type) {
    cpu::executor ex(1);
    std::vector<std::uint8_t> out(2);
    // 200 + 100 wraps in the element's type, whatever type 100 has.
    inclusive_scan(ex, std::vector<std::uint8_t>{200, 1}, out, plus{}, {.initial = 100});
    EXPECT_EQ(out, (std::vector<std::uint8_t>{44, 45}));
    static_assert(std::is_same_v<core::accumulator_for<deduced, std::int8_t, plus>, std::int8_t>);
    static_assert(std::is_same_v<core::accumulator_for<deduced, float, plus>, float>);
    static_assert(std::is_same_v<core::accumulator_for<double, float, plus>, double>);
    static_assert(std::is_same_v<core::accumulator_for<deduced, const float, logical_or>, bool>);
}
#endif

// ---- blocks ----

// Elsewhere a sequence is given as a whole.
#if !defined(UPSWEEP_TEST_CUDA) && !defined(UPSWEEP_TEST_SHADERS) && !defined(UPSWEEP_TEST_MPI)

// Scans `values`, in scan order, block by block, and compares with one scan of everything.
template <class T, class Op>
void check_blocks(const std::vector<std::size_t>& blocks, bool exclusive, bool reverse,
                  std::optional<T> initial, cpu::executor& ex) {
    const Op op;
    std::size_t n = 0;
    for (const std::size_t block : blocks) n += block;
    const auto values = sequence<T, Op>(n, 41);
    const auto expected = is_commutative<Op> || !reverse
                              ? prefixes<T>(span_of(values), op, initial)
                              : prefixes<T>(span_of(values), turned<Op>{op}, initial);
    scan_carry<T> carry;
    std::size_t done = 0;
    for (const std::size_t block : blocks) {
        std::vector<T> in(std::begin(values) + done, std::begin(values) + done + block);
        if (reverse) std::ranges::reverse(in);
        std::vector<T> out(block);
        T total{};
        // `initial` counts on the first block only; later ones must not fold it in again.
        const scan_options<T> options{initial, reverse, &total, &carry};
        if (exclusive)
            exclusive_scan(ex, in, out, op, options);
        else
            inclusive_scan(ex, in, out, op, options);
        if (reverse) std::ranges::reverse(out);
        ASSERT_EQ(first_difference(out.data(), std::begin(expected) + done + (exclusive ? 0 : 1), block),
                  block)
            << "after " << done;
        done += block;
        EXPECT_TRUE(same_bits(total, expected[done])) << done;
        ASSERT_EQ(carry.element_count(), done);
        ASSERT_TRUE(carry.total().has_value());
        EXPECT_TRUE(same_bits(*carry.total(), expected[done])) << done;
    }
}
template <class T, class Op>
void check_all_blocks(T initial) {
    constexpr std::size_t tile = scan_block_multiple;
    const std::vector<std::vector<std::size_t>> cuts{{tile, tile, tile},
                                                     {tile, 5},
                                                     {3 * tile, tile, 2 * tile + 77},
                                                     {31 * tile, tile, tile, 1},
                                                     {32 * tile, 33 * tile, 3},
                                                     {20 * tile, 50 * tile, 4095},
                                                     {7},
                                                     {1, 1, 1, 1, 123, 1, 130, 3700, 138, 5000},
                                                     {tile - 1, 2, 31 * tile, 5, 3 * tile, 128, 60}};
    for_each_backend(cpu::has_kernels<T, Op> ? coverage::all : coverage::threads, [&](const auto& backend) {
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (sanitized && (i == 4 || i == 5)) continue;  // others lead over supers too
            for (unsigned mode = 0; mode < 8; ++mode) {
                if (cuts[i].size() > 2 && (mode + i + backend.threads) % repetitions(3, 12) != 0) continue;
                if ((mode & 1) != 0 && (mode & 4) == 0 && !has_identity<Op, T>) continue;
                SCOPED_TRACE(i * 10 + mode);
                check_blocks<T, Op>(cuts[i], (mode & 1) != 0, (mode & 2) != 0,
                                    (mode & 4) != 0 ? std::optional<T>(initial) : std::nullopt,
                                    *backend.executor);
            }
        }
    });
}
TEST(scan_options, blocks_of_sums_continue_bit_for_bit) {
    check_all_blocks<float, plus>(0.1f);
    check_all_blocks<double, plus>(0.1);
}
TEST(scan_options, blocks_of_other_operators) {
    check_all_blocks<std::int32_t, plus>(3);
    check_all_blocks<std::uint64_t, fingerprint>(8);
    if (thread_sanitizer) return;  // between threads they are all alike
    check_all_blocks<float, maximum>(-0.4f);
    if (!sanitized) check_all_blocks<matrix, matrix_product>({{1, 2, 3, 5}});
    check_all_blocks<word, concatenate>(word::letter('!'));
}

TEST(scan_options, an_empty_block_changes_nothing) {
    cpu::executor ex(2);
    scan_carry<float> carry;
    std::vector<float> in(4096, 0.1f), out(4096), nothing;
    inclusive_scan(ex, in, out, plus{}, {.carry = &carry});
    const std::optional<float> before = carry.total();
    float total = 0;
    inclusive_scan(ex, nothing, nothing, plus{}, {.total = &total, .carry = &carry});
    EXPECT_EQ(carry.total(), before);
    EXPECT_EQ(total, *before);
    EXPECT_EQ(carry.element_count(), 4096u);
}
TEST(scan_options, nothing_does_not_begin_a_carry) {
    cpu::executor ex(1);
    const std::vector<float> none;
    std::vector<float> out;
    float total = 9;
    scan_carry<float> carry;
    inclusive_scan(ex, none, out, plus{}, {.initial = 3.0f, .total = &total, .carry = &carry});
    EXPECT_EQ(total, 3.0f);
    EXPECT_EQ(carry.element_count(), 0u);
}
// Nor is its initial value lost; and one that comes before any element counts, though a block came.
TEST(scan_options, the_first_initial_value_before_any_element_counts) {
    cpu::executor ex(1);
    const std::vector<float> none, one{1.0f};
    std::vector<float> nothing, out(1);
    scan_carry<float> carry, other;
    inclusive_scan(ex, none, nothing, plus{}, {.initial = 3.0f, .carry = &carry});
    inclusive_scan(ex, one, out, plus{}, {.initial = 100.0f, .carry = &carry});
    EXPECT_EQ(out[0], 4.0f);
    inclusive_scan(ex, none, nothing, plus{}, {.carry = &other});
    inclusive_scan(ex, one, out, plus{}, {.initial = 100.0f, .carry = &other});
    EXPECT_EQ(out[0], 101.0f);
}
#endif

}  // namespace
}  // namespace upsweep::test
