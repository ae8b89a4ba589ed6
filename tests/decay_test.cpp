// Recurrences that decay, whose products of coefficients become subnormal: the kernels do without arithmetic
// on such numbers, and without what has decayed, and the bits are those of the tree all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "src/cpu/careful_product.hpp"
#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/random.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/recurrence.hpp"

namespace upsweep::test {
namespace {

template <class T>
using bits_of = typename cpu::float_format<T>::bits;

// Numbers that meet near the smallest ones: of any bits, subnormal, powers of two and halfway between.
template <class T>
T number_near_the_smallest(random_bits& random) {
    using format = cpu::float_format<T>;
    const auto any = static_cast<bits_of<T>>(random());
    switch (random.below(4)) {
        case 0:
            return std::bit_cast<T>(any);
        case 1:
            return std::bit_cast<T>(
                static_cast<bits_of<T>>((any & ~format::sign) >> random.below(8 * sizeof(T))));
        case 2:
            return std::ldexp(T(1) + T(random.below(8)) / 8, -static_cast<int>(random.below(60)));
        default:
            return std::ldexp(static_cast<T>(random.between(-1, 1)),
                              static_cast<int>(random.below(80)) + format::limits::min_exponent - 40);
    }
}

template <class T>
void expect_products() {
    random_bits random(3);
    std::size_t subnormal = 0;
    for (int i = 0; i < 400000; ++i) {
        const T a = number_near_the_smallest<T>(random), b = number_near_the_smallest<T>(random);
        const T expected = a * b;
        if (std::fpclassify(expected) == FP_SUBNORMAL) ++subnormal;
        const T product = cpu::careful_product(a, b);
        ASSERT_EQ(first_difference(&product, &expected, 1), 1u)
            << describe(a) << " * " << describe(b) << " is " << describe(expected) << ", not "
            << describe(product);
    }
    EXPECT_GT(subnormal, 10000u);
}
TEST(decay, products_of_small_numbers) {
    expect_products<float>();
    expect_products<double>();
}

constexpr std::size_t slope_kinds = 12;
template <class T>
T slope(std::size_t kind, T constant, random_bits& random) {
    const int range = std::numeric_limits<T>::max_exponent;
    switch (kind) {
        case 0:
            return static_cast<T>(random.unit());
        case 1:
            return static_cast<T>(random.between(-1, 1));
        case 2:
            return constant;
        case 3:
            return -constant;
        case 4:  // begins anew
            return random.below(50) != 0 ? constant : T(0);
        case 5:
            return T(0.5);
        case 6:  // up and down
            return random.below(128) < 64 ? T(0.5) : T(2);
        case 7:
            return std::ldexp(static_cast<T>(random.between(-2, 2)), -static_cast<int>(random.below(30)));
        case 8:  // far down, and back
            return random.below(200) != 0
                       ? static_cast<T>(random.between(0.3, 0.9))
                       : std::ldexp(static_cast<T>(random.between(-2, 2)),
                                    static_cast<int>(random.below(static_cast<unsigned>(range))) - range / 2);
        case 9:
            return random.below(64) != 0 ? static_cast<T>(random.between(0.2, 0.9))
                                         : std::numeric_limits<T>::denorm_min() * T(random.below(1000));
        case 10:
            return random.below(400) != 0 ? static_cast<T>(random.between(0.5, 1))
                                          : std::numeric_limits<T>::infinity();
        default:
            return random.below(400) != 0 ? static_cast<T>(random.between(0.9, 1.1))
                                          : std::numeric_limits<T>::quiet_NaN();
    }
}
constexpr std::size_t offset_kinds = 8;
template <class T>
T offset(std::size_t kind, std::size_t i, random_bits& random) {
    using limits = std::numeric_limits<T>;
    switch (kind) {
        case 0:
            return static_cast<T>(random.unit());
        case 1:
            return static_cast<T>(random.between(-1, 1));
        case 2:  // an impulse now and then
            return i % 3000 == 0 ? T(1) : T(0);
        case 3:
            return random.below(10) != 0 ? T(0) : static_cast<T>(random.between(-1, 1));
        case 4:  // of any size
            return std::ldexp(
                static_cast<T>(random.between(-1, 1)),
                static_cast<int>(random.below(static_cast<unsigned>(2 * limits::max_exponent - 10))) -
                    limits::max_exponent);
        case 5:
            return random.below(2) != 0 ? T(-0.0) : T(0);
        case 6:
            return random.below(300) != 0 ? static_cast<T>(random.between(-1, 1)) : limits::infinity();
        default:  // sums that cancel
            return std::ldexp(T(random.below(3)) - 1, -static_cast<int>(random.below(60)));
    }
}

template <class T>
void expect_bits(const std::vector<T>& a, const std::vector<T>& b, T x0) {
    const std::size_t n = a.size();
    std::vector<T> expected(n), out(n);
    core::odometer<affine_map<T>, affine> odometer(affine{}, affine_map<T>{0, x0});
    for (std::size_t i = 0; i < n; ++i) {
        odometer.take({a[i], b[i]});
        expected[i] = odometer.value()->b;
    }
    for_each_backend([&](const auto& backend) {
        out.assign(n, T(-7));
        linear_recurrence(*backend.executor, a, b, x0, out);
        const std::size_t wrong = first_difference(out.data(), expected.data(), n);
        ASSERT_EQ(wrong, n) << "got " << describe(out[wrong]) << ", expected " << describe(expected[wrong]);
    });
}

template <class T>
void expect_recurrences(std::size_t n, std::size_t first_kind, std::size_t kinds) {
    random_bits random(n);
    std::vector<T> a(n), b(n);
    for (std::size_t of_a = first_kind; of_a < first_kind + kinds; ++of_a) {
        for (std::size_t of_b = 0; of_b < offset_kinds; ++of_b) {
            if (sanitized && (of_a + of_b) % 3 != 0) continue;
            const T constant = static_cast<T>(1 - std::pow(10, -random.between(0.1, 4)));
            SCOPED_TRACE("n = " + std::to_string(n) + ", kinds " + std::to_string(of_a) + " and " +
                         std::to_string(of_b) + ", constant " + std::to_string(constant));
            for (std::size_t i = 0; i < n; ++i) {
                a[i] = slope(of_a, constant, random);
                b[i] = offset<T>(of_b, i, random);
            }
            expect_bits(a, b, of_b % 2 == 0 ? T(0) : T(0.75));
            if (testing::Test::HasFailure()) return;
        }
    }
}
TEST(decay, sequences) {
    for (const std::size_t n : {25u, 130u, 700u, 2300u, 9001u}) {
        expect_recurrences<float>(n, 0, slope_kinds);
        expect_recurrences<double>(n, 0, slope_kinds);
    }
}
// Of which totals of tiles decay slowly.
TEST(decay, sequences_of_supers) {
    expect_recurrences<float>(140000, 2, 1);
    expect_recurrences<double>(140000, 2, 1);
}

// A tile decays, a row comes near the largest number, and the next passes it: times x0 = 0 that is no number,
// although the tile's coefficient is zero.
template <class T>
void expect_overflow() {
    constexpr int exponent = std::numeric_limits<T>::max_exponent - 1;
    std::vector<T> a(4096 + 3 * 128, T(0.5)), b(a.size(), T(1));
    for (std::size_t i = 0; i < 127; ++i) a[4096 + i] = std::ldexp(T(1), exponent / 127);
    a[4096 + 127] = std::ldexp(T(1), exponent % 127);
    std::fill_n(b.begin() + 4096, 128, T(0));
    const std::size_t last = 4096 + 128;  // its first run and the first element of the next come near 2 each
    a[last] = T(1.5);
    std::fill_n(a.begin() + last + 1, 3, T(1));
    a[last + 4] = T(1.75);
    expect_bits(a, b, T(0));
}
TEST(decay, coefficients_that_overflow) {
    expect_overflow<float>();
    expect_overflow<double>();
}

// What is before lanes side by side, and their maps; scanned or folded by the kernels of a level.
template <class T>
struct lanes_of_maps {
    std::size_t lanes, length;
    std::vector<T> a, b, runs_a, runs_b, rows_a, rows_b, tiles_a, tiles_b, supers;
    bool has_runs, has_rows, has_tiles;

    lanes_of_maps(std::size_t lane_count, std::size_t item_count, random_bits& random)
        : lanes(lane_count),
          length(item_count),
          has_runs(random.below(2) != 0),
          has_rows(random.below(2) != 0),
          has_tiles(random.below(2) != 0) {
        const bool alike = random.below(2) != 0;
        std::size_t of_a = random.below(slope_kinds), of_b = random.below(offset_kinds);
        T constant = static_cast<T>(random.between(0.5, 1));
        a.resize(lanes * length);
        b.resize(lanes * length);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (!alike) {
                of_a = random.below(slope_kinds);
                of_b = random.below(offset_kinds);
                constant = static_cast<T>(random.between(0, 1));
            }
            for (std::size_t i = 0; i < length; ++i) {
                a[i * lanes + lane] = slope(of_a, constant, random);
                b[i * lanes + lane] = offset<T>(of_b, i, random);
            }
        }
        const bool decayed = random.below(4) != 0;
        for (std::vector<T>* all : {&runs_a, &rows_a, &tiles_a}) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const T usual = static_cast<T>(random.between(-1, 1));
                all->push_back(decayed && random.below(16) != 0 ? number_near_the_smallest<T>(random)
                                                                : usual);
            }
        }
        for (std::vector<T>* all : {&runs_b, &rows_b, &tiles_b, &supers})
            for (std::size_t lane = 0; lane < lanes; ++lane)
                all->push_back(alike ? static_cast<T>(random.between(-1, 1)) : offset<T>(of_b, 1, random));
    }

    // Results, and then the runs.
    std::vector<T> scanned(cpu::simd_level level, bool slow_subnormals, bool fold, bool in_place) const {
        auto of_a = runs_a, of_b = runs_b, y = in_place ? b : std::vector<T>(b.size(), T(-7));
        auto all_rows_a = rows_a, all_rows_b = rows_b, all_tiles_a = tiles_a, all_tiles_b = tiles_b,
             all_supers = supers;
        cpu::affine_lanes<T> state{
            of_a.data(),        of_b.data(),       all_rows_a.data(), all_rows_b.data(), all_tiles_a.data(),
            all_tiles_b.data(), all_supers.data(), has_runs,          has_rows,          has_tiles};
        const auto stride = static_cast<std::ptrdiff_t>(lanes);
        cpu::affine_block<T> block{a.data(), stride, in_place ? y.data() : b.data(), stride, y.data(), stride,
                                   length,   lanes,  cpu::placement::cached};
        block.slow_subnormals = slow_subnormals;
        const cpu::affine_kernels<T>& kernels = cpu::affine_kernels_for<T>(level);
        (fold ? kernels.fold_lanes : kernels.scan_lanes)(block, state);
        EXPECT_TRUE(state.has_runs);
        y.insert(y.end(), of_a.begin(), of_a.end());
        y.insert(y.end(), of_b.begin(), of_b.end());
        return y;
    }
};

template <class T>
void expect_lanes(cpu::simd_level level) {
    random_bits random(5);
    const std::size_t least = cpu::affine_kernels_for<T>(level).least_lanes;
    for (int round = 0; round < (sanitized ? 60 : 600); ++round) {
        const bool fold = round % 4 == 3;
        const std::size_t length =
            fold || round % 3 != 0 ? 4 * (1 + random.below(32)) : 1 + random.below(128);
        const lanes_of_maps<T> maps(least + random.below(3 * least), length, random);
        SCOPED_TRACE("level " + std::string(name(level)) + ", round " + std::to_string(round) + ", " +
                     std::to_string(maps.lanes) + " lanes of " + std::to_string(length));
        const auto expected = maps.scanned(cpu::simd_level::portable, false, fold, false);
        // The runs are those after the last complete one.
        const std::size_t seen = length % 4 == 0 ? expected.size() : maps.lanes * length;
        for (const bool slow : {false, true}) {
            const auto made = maps.scanned(level, slow, fold, !fold && round % 2 == 0);
            const std::size_t wrong = first_difference(made.data(), expected.data(), seen);
            ASSERT_EQ(wrong, seen) << (slow ? "slow subnormals" : "") << ": got " << describe(made[wrong])
                                   << ", expected " << describe(expected[wrong]);
        }
    }
}
TEST(decay, lanes) {
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        expect_lanes<float>(level);
        expect_lanes<double>(level);
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace upsweep::test
