// Integers of 128 bits, which are numbers where the compiler's extensions are on, as CMake has them unless it
// is told otherwise: as elements, and as flags and keys, for which no kernel has words that wide. Built with
// them.
#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/backend.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cuda/comparisons.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/predicates.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/segmented_scan.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

#if defined(__SIZEOF_INT128__)
__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;
static_assert(std::integral<wide>, "this test is about the compiler's extensions");
static_assert(!index_range<std::vector<wide>>);
static_assert(!key_range<std::vector<wide>>);

constexpr wide high_bit = wide{1} << 100;  // zero in the words that a narrower integer has
const std::size_t sizes[] = {1, 5, 64, 65, 200, 5000, 200'000};

// high_bit at every third element, else 0.
std::vector<wide> thirds(std::size_t n) {
    std::vector<wide> made(n);
    for (std::size_t i = 0; i < n; i += 3) made[i] = high_bit;
    return made;
}

TEST(wide_integers, sums) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const std::size_t n : sizes) {
            const std::vector<wide> x(n, high_bit / 1'000'000);
            std::vector<wide> out(n);
            inclusive_scan(*backend.executor, x, out);
            wide total = 0;
            for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(out[i] == (total += x[i])) << i;
        }
    });
}

TEST(wide_integers, bins_between_edges) {
    const std::vector<wide> edges{-high_bit, 0, 1, high_bit, 2 * high_bit};
    cpu::executor ex(2);
    std::vector<std::uint64_t> counts(4);
    EXPECT_EQ(histogram(ex, thirds(90'000), counts, bin_edges<wide>{edges}), 90'000u);
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 60'000, 0, 30'000}));
}

TEST(wide_integers, flags_and_keys_of_segments) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const std::size_t n : sizes) {
            const std::vector<wide> flags = thirds(n);
            std::vector<wide> keys(n);
            for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<wide>(i / 3) << 100;
            const std::vector<int> ones(n, 1);
            std::vector<int> by_flag(n, -1), by_key(n, -1);
            inclusive_segmented_scan(*backend.executor, by_head_flags(flags), ones, by_flag);
            inclusive_segmented_scan(*backend.executor, by_keys(keys), ones, by_key);
            for (std::size_t i = 0; i < n; ++i) {
                ASSERT_EQ(by_flag[i], static_cast<int>(i % 3) + 1) << i << " of " << n;
                ASSERT_EQ(by_key[i], by_flag[i]) << i << " of " << n;
            }
        }
    });
}

TEST(wide_integers, totals_of_segments) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const std::size_t n : sizes) {
            std::vector<wide> x(n), out(n);
            std::vector<std::size_t> keys(n), of(n);
            for (std::size_t i = 0; i < n; ++i) {
                keys[i] = i / 3;
                x[i] = high_bit * static_cast<wide>(i % 3);
            }
            ASSERT_EQ(segmented_reduce(*backend.executor, by_keys(keys), x, out), (n + 2) / 3);
            for (std::size_t k = 0; k < n / 3; ++k) ASSERT_TRUE(out[k] == 3 * high_bit) << k;
            ASSERT_EQ(reduce_by_key(*backend.executor, keys, x, of, out, maximum{}), (n + 2) / 3);
            for (std::size_t k = 0; k < n / 3; ++k) ASSERT_TRUE(out[k] == 2 * high_bit) << k;
        }
    });
}

TEST(wide_integers, flags_that_choose) {
    for_each_backend(coverage::levels, [](const auto& backend) {
        for (const std::size_t n : sizes) {
            const std::vector<wide> flags = thirds(n);
            std::vector<std::uint32_t> x(n), out(n);
            for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i);
            ASSERT_EQ(compact(*backend.executor, flags, x, out), (n + 2) / 3);
            for (std::size_t k = 0; k < (n + 2) / 3; ++k) ASSERT_EQ(out[k], 3 * k);
            ASSERT_EQ(partition(*backend.executor, flags, x, out), (n + 2) / 3);
            for (std::size_t k = 0; k < (n + 2) / 3; ++k) ASSERT_EQ(out[k], 3 * k);
        }
    });
}

// As a device asks; narrower integers are turned round for it.
TEST(wide_integers, comparisons) {
    cuda::detail::with_device_predicate<wide>(greater_than(high_bit), [](const auto& keep) {
        EXPECT_TRUE(keep(high_bit + 1));
        EXPECT_FALSE(keep(high_bit));
        EXPECT_FALSE(keep(wide{5}));
    });
    EXPECT_TRUE(greater_than(5.5)(high_bit));
    EXPECT_TRUE(equal_to(0x1p100)(high_bit));
    EXPECT_TRUE(less_than(0x1p100)(high_bit - 1));
    EXPECT_FALSE(less_than(static_cast<unsigned_wide>(5))(high_bit));
    EXPECT_TRUE(less_than(~static_cast<unsigned_wide>(0))(wide{-1}));
    EXPECT_TRUE(less_than(high_bit)(5.5f));
}
#endif

}  // namespace
}  // namespace upsweep::test
