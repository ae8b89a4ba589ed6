// The kernels of segments' totals under operators that allow any grouping, and of what describes segments, of
// every level against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/heads.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/simd_level.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {
namespace {

struct cut {
    std::vector<std::uint64_t> heads, ends;
    std::vector<std::uint32_t> places;  // behind ends

    // Each element ends a segment with that probability.
    cut(std::size_t n, double probability, random_bits& random)
        : heads(cpu::words_of(n + 1)), ends(cpu::words_of(n)) {
        for (std::size_t i = 0; i < n; ++i) {
            if (random.between(0.0, 1.0) >= probability) continue;
            ends[i / 64] |= std::uint64_t{1} << (i % 64);
            heads[(i + 1) / 64] |= std::uint64_t{1} << ((i + 1) % 64);
            places.push_back(static_cast<std::uint32_t>(i + 1));
        }
        heads[n / 64] &= (std::uint64_t{1} << (n % 64)) - 1;
        heads.resize(cpu::words_of(n));
    }
};

template <class T>
T element(random_bits& random, bool special) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto value = static_cast<T>(random.between(-2.0, 2.0));
        if (special && value > T(1.9)) return std::numeric_limits<T>::quiet_NaN();
        if (special && value > T(1.8)) return -std::numeric_limits<T>::quiet_NaN();
        return special && value > T(1) ? T(0) : special && value < T(-1) ? T(-0.0) : value;
    } else {
        return static_cast<T>(random());
    }
}

template <class T, class Op>
void check(cpu::simd_level level, std::size_t n, double probability, bool special) {
    random_bits random(n + 7);
    const cut segments(n, probability, random);
    guarded<T> x(n, n % 5);
    for (T& value : x.span()) value = element<T>(random, special);
    const T start = element<T>(random, special);

    std::vector<T> expected;
    T folded = start;
    bool is_open = true;  // whether an element follows the last end
    for (std::size_t i = 0, k = 0; i < n; ++i) {
        folded = Op()(folded, x.data()[i]);
        is_open = k == segments.places.size() || segments.places[k] != i + 1;
        if (is_open) continue;
        expected.push_back(folded);
        folded = Op::template identity<T>();
        ++k;
    }
    const std::size_t count = expected.size();
    const auto expect = [&](const char* kernel, const guarded<T>& totals, T rest) {
        const std::size_t wrong = first_difference(totals.data(), expected.data(), count);
        EXPECT_EQ(wrong, count) << kernel << " of " << cpu::name(level) << ", " << n << " elements, "
                                << probability;
        EXPECT_TRUE(totals.sentinels_intact()) << kernel;
        if (is_open) {
            EXPECT_TRUE(same_bits(rest, folded)) << kernel << ", " << n;
        }
    };
    const auto& kernels = cpu::exact_segment_kernels_for<T, Op>(level);
    guarded<T> totals(count + 64, n % 3);
    T rest = start;
    kernels.fold_short(x.data(), n, segments.heads.data(), segments.ends.data(), totals.data(), rest);
    expect("fold_short", totals, rest);
    totals.reset(count, n % 3);
    rest = start;
    kernels.fold_long(x.data(), n, segments.places.data(), count, totals.data(), rest);
    expect("fold_long", totals, rest);
}

template <class T, class Op>
void check_pair(cpu::simd_level level) {
    for (const std::size_t n : {1u, 7u, 63u, 64u, 65u, 200u, 2048u}) {
        if (sanitized && n == 200) continue;
        for (const double probability : {0.0, 0.01, 0.1, 0.5, 1.0}) {
            check<T, Op>(level, n, probability, false);
            if (std::is_floating_point_v<T>) check<T, Op>(level, n, probability, true);
        }
    }
}

TEST(segment_kernels, totals_of_every_pair) {
    for_each_backend(coverage::levels, [](const auto& backend) {
#define UPSWEEP_CHECK_PAIR(T, Op) check_pair<T, Op>(backend.level);
        UPSWEEP_FOR_EACH_EXACT_KERNEL(UPSWEEP_CHECK_PAIR)
#undef UPSWEEP_CHECK_PAIR
    });
}

// Where the grouping matters, against the portable level.
template <class T, class Op>
void check_tree(cpu::simd_level level, std::size_t n, double probability) {
    random_bits random(n + 3);
    const cut segments(n, probability, random);
    const std::size_t count = segments.places.size();
    guarded<T> x(n, n % 5);
    for (T& value : x.span()) value = static_cast<T>(random.between(0.75, 1.25));
    const cpu::segment_state<T> before{T(3), T(0.7), T(1.3), false, T(0)};
    const auto fold = [&](cpu::simd_level with, guarded<T>& totals) {
        cpu::segment_state<T> state = before;
        cpu::segmented_kernels_for<T, Op>(with).fold_long(x.data(), n, segments.places.data(), count,
                                                          totals.data(), state, {});
        return state;
    };
    guarded<T> expected(count), totals(count, n % 3);
    const cpu::segment_state<T> wanted = fold(cpu::simd_level::portable, expected);
    const cpu::segment_state<T> state = fold(level, totals);
    EXPECT_EQ(first_difference(totals.data(), expected.data(), count), count)
        << cpu::name(level) << ", " << n << " elements, " << probability;
    EXPECT_TRUE(totals.sentinels_intact());
    EXPECT_EQ(state.has_head, wanted.has_head) << n;
    if (n % core::row_size != 0) return;  // nothing follows a row that is part-filled
    EXPECT_TRUE(same_bits(state.supers, wanted.supers) && same_bits(state.tiles, wanted.tiles) &&
                same_bits(state.rows, wanted.rows))
        << cpu::name(level) << ", " << n << " elements, " << probability;
}
TEST(segment_kernels, totals_by_the_tree) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const std::size_t n : {1u, 100u, 128u, 130u, 1024u, 1900u, 2048u, 4096u}) {
            for (const double probability : {0.0, 0.003, 0.02, 0.3}) {
                check_tree<float, plus>(backend.level, n, probability);
                check_tree<float, multiplies>(backend.level, n, probability);
                check_tree<double, plus>(backend.level, n, probability);
                check_tree<double, multiplies>(backend.level, n, probability);
            }
        }
    });
}

TEST(segment_kernels, places_of_bits) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        random_bits random(3);
        for (const double probability : {0.0, 0.02, 0.5, 1.0}) {
            const cut segments(500, probability, random);
            guarded<std::uint32_t> places(segments.places.size() + 4, 1);
            ASSERT_EQ(cpu::head_kernels_for(backend.level)
                          .list(segments.ends.data(), segments.ends.size(), places.data()),
                      segments.places.size());
            for (std::size_t k = 0; k < segments.places.size(); ++k)
                ASSERT_EQ(places.data()[k], segments.places[k] - 1);
            EXPECT_TRUE(places.sentinels_intact());
        }
    });
}

template <class T>
void check_order(cpu::simd_level level) {
    const auto ascend = cpu::head_kernels_for(level).ascend[sizeof(T) / 8];
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    for (const std::size_t n : {0u, 1u, 2u, 32u, 33u, 64u, 65u, 150u}) {
        guarded<T> x(n, 1);
        for (std::size_t i = 0; i < n; ++i) x.data()[i] = static_cast<T>(3 * (i / 2));
        EXPECT_TRUE(ascend(x.data(), n)) << n;
        for (std::size_t i = 0; i < n; ++i) {
            const T kept = x.data()[i];
            x.data()[i] = -1;
            EXPECT_FALSE(ascend(x.data(), n)) << i << " of " << n;
            x.data()[i] = least;
            EXPECT_FALSE(ascend(x.data(), n)) << i << " of " << n;
            x.data()[i] = most;
            EXPECT_EQ(ascend(x.data(), n), i + 1 == n) << i << " of " << n;
            x.data()[i] = kept;
        }
    }
}
TEST(segment_kernels, order_of_offsets) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        check_order<std::int32_t>(backend.level);
        check_order<std::int64_t>(backend.level);
    });
}

}  // namespace
}  // namespace upsweep::test
