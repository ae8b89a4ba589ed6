// Scans, compaction and partition of arrays that fill memory: 5e8 bytes, and more elements than 32 bits can
// count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/random.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

// Bytes that may be used without swapping; 0 where the system does not tell.
std::uint64_t available_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    }
    return 0;
}
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

#define SKIP_BELOW(gibibytes)                                                                              \
    if (available_memory() < (gibibytes)*gibibyte) {                                                       \
        GTEST_SKIP() << "needs " << (gibibytes) << " GiB of memory, and " << available_memory() / gibibyte \
                     << " GiB are free";                                                                   \
    }

// Uninitialised: a page is touched when it is first written.
template <class T>
std::unique_ptr<T[]> uninitialised(std::size_t n) {
    return std::unique_ptr<T[]>(new T[n]);
}

TEST(large_scan, floats_of_half_a_gigabyte) {
    SKIP_BELOW(3)
    constexpr std::size_t n = 125'000'003;
    const auto x = uninitialised<float>(n), y = uninitialised<float>(n);
    random_bits random(1);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(random() >> 40) * 0x1p-24f;
    std::memset(y.get(), 0xcb, n * sizeof(float));
    cpu::executor ex;
    float total = 0;
    inclusive_scan(ex, std::span(x.get(), n), std::span(y.get(), n), plus{}, {.total = &total});
    core::odometer<float, plus> odometer(plus{});
    float before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        odometer.take(x[i]);
        ASSERT_TRUE(same_bits(y[i], *odometer.value())) << i;
        ASSERT_LE(before, y[i]) << i;
        before = y[i];
    }
    EXPECT_TRUE(same_bits(total, y[n - 1]));
}

// Whether y[i] - y[i + before] == x[i + element] modulo 256 for all i < n: a loop that the compiler turns
// into vectors.
bool differences_are(const std::uint8_t* y, std::ptrdiff_t before, const std::uint8_t* x,
                     std::ptrdiff_t element, std::size_t n) {
    constexpr std::size_t piece = 4096;
    std::size_t i = 0;
    std::uint8_t wrong = 0;
    for (; i + piece <= n && wrong == 0; i += piece) {
        const std::uint8_t *here = y + i, *there = y + i + before, *step = x + i + element;
        for (std::size_t k = 0; k < piece; ++k)
            wrong |= static_cast<std::uint8_t>((here[k] - there[k]) ^ step[k]);
    }
    for (; i < n && wrong == 0; ++i)
        wrong |= static_cast<std::uint8_t>((y[i] - y[static_cast<std::ptrdiff_t>(i) + before]) ^
                                           x[static_cast<std::ptrdiff_t>(i) + element]);
    return wrong == 0;
}

// Two arrays of more than 2^32 bytes, whose pages are touched once for all tests.
class large_bytes : public testing::Test {
  protected:
    static constexpr std::size_t n = (std::size_t{1} << 32) + 1'000'003;
    static void SetUpTestSuite() {
        if (available_memory() < 10 * gibibyte) return;
        x = uninitialised<std::uint8_t>(n);
        y = uninitialised<std::uint8_t>(n);
    }
    static void TearDownTestSuite() {
        x.reset();
        y.reset();
    }
    void SetUp() override {
        if (!x) SKIP_BELOW(10)
    }
    static inline std::unique_ptr<std::uint8_t[]> x, y;
};

TEST_F(large_bytes, sums) {
    // A random block of prime length over and over: places 2^32 apart hold different bytes.
    constexpr std::size_t block = 1'048'573;
    random_bits random(2);
    for (std::size_t i = 0; i < block; ++i) x[i] = static_cast<std::uint8_t>(random());
    for (std::size_t i = block; i < n; i += block) std::memcpy(x.get() + i, x.get(), std::min(block, n - i));
    cpu::executor ex;
    std::uint8_t total = 0;
    std::memset(y.get(), 0xcb, n);
    inclusive_scan(ex, std::span(x.get(), n), std::span(y.get(), n), plus{}, {.total = &total});
    EXPECT_EQ(y[0], x[0]);
    EXPECT_TRUE(differences_are(y.get() + 1, -1, x.get() + 1, 0, n - 1));
    EXPECT_EQ(y[n - 1], total);
    std::memset(y.get(), 0xcb, n);
    exclusive_scan(ex, std::span(x.get(), n), std::span(y.get(), n), plus{}, {.reverse = true});
    EXPECT_EQ(y[n - 1], 0);
    EXPECT_TRUE(differences_are(y.get(), 1, x.get(), 1, n - 1));
    EXPECT_EQ(static_cast<std::uint8_t>(y[0] + x[0]), total);
}

TEST_F(large_bytes, compaction_and_partition) {
    constexpr std::size_t distance = 1'048'573;
    const std::span<std::uint8_t> all(x.get(), n), results(y.get(), n);
    std::memset(x.get(), 0, n);
    std::vector<std::int64_t> marked;
    for (std::size_t i = 0; i < n; i += distance) {
        x[i] = 7;
        marked.push_back(static_cast<std::int64_t>(i));
    }
    const std::size_t chosen = marked.size();
    const auto is_seven = equal_to(std::uint8_t{7});
    const auto all_are = [](std::span<const std::uint8_t> values, std::uint8_t wanted) {
        return values.front() == wanted && std::memcmp(&values[0], &values[1], values.size() - 1) == 0;
    };

    cpu::executor ex;
    std::vector<std::int64_t> found(chosen);
    EXPECT_EQ(compact_indices_if(ex, all, found, is_seven), chosen);
    EXPECT_EQ(found, marked);
    std::memset(y.get(), 0xcb, n);
    EXPECT_EQ(partition_if(ex, all, results, is_seven), chosen);
    EXPECT_TRUE(all_are(results.first(chosen), 7));
    EXPECT_TRUE(all_are(results.subspan(chosen), 0));
    EXPECT_EQ(compact_if(ex, all, all, not_equal_to(std::uint8_t{7})), n - chosen);
    EXPECT_TRUE(all_are(all.first(n - chosen), 0));
}

// Blocks on either side of 2^32 elements continue each other.
TEST(large_scan, blocks_count_past_two_to_the_32) {
    constexpr std::size_t block = std::size_t{64} << 20;
    const auto x = uninitialised<std::uint8_t>(block), y = uninitialised<std::uint8_t>(block);
    cpu::executor ex;
    scan_carry<std::uint8_t> carry;
    std::uint8_t expected = 0;
    std::uint64_t done = 0;
    for (std::size_t k = 0; k < 65; ++k) {
        std::memset(x.get(), static_cast<int>(k + 1), block);
        x[block / 2] = 77;
        inclusive_scan(ex, std::span(x.get(), block), std::span(y.get(), block), plus{}, {.carry = &carry});
        expected = static_cast<std::uint8_t>(expected + (block - 1) * (k + 1) + 77);
        done += block;
        ASSERT_EQ(y[block - 1], expected) << k;
        ASSERT_EQ(carry.element_count(), done);
        ASSERT_EQ(*carry.total(), expected);
    }
}

}  // namespace
}  // namespace upsweep::test
