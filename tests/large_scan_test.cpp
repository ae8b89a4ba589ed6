// Scans, compaction and partition of arrays that fill memory: 5e8 bytes, and more elements than 32 bits can
// count.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
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

// More than 2^32 bytes to read, which repeat a block: its pages are mapped over and over, and take no more
// memory than the block. Places 2^32 apart hold different bytes of it.
class repeated_bytes {
  public:
    static constexpr std::size_t block = std::size_t{17} << 16;  // in pages of up to 64 KiB

    repeated_bytes(const std::vector<std::uint8_t>& bytes, std::size_t n) : size_(n) {
        std::FILE* file = std::tmpfile();
        if (file == nullptr || std::fwrite(bytes.data(), 1, block, file) != block || std::fflush(file) != 0)
            throw std::runtime_error("no temporary file");
        const std::size_t times = (n + block - 1) / block;
        room_ = times * block;
        void* place = ::mmap(nullptr, room_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) throw std::runtime_error("no addresses");
        data_ = static_cast<std::uint8_t*>(place);
        for (std::size_t k = 0; k < times; ++k) {
            if (::mmap(data_ + k * block, block, PROT_READ, MAP_SHARED | MAP_FIXED, ::fileno(file), 0) ==
                MAP_FAILED)
                throw std::runtime_error("a page cannot be mapped again");
        }
        std::fclose(file);
    }
    ~repeated_bytes() { ::munmap(data_, room_); }
    repeated_bytes(const repeated_bytes&) = delete;
    repeated_bytes& operator=(const repeated_bytes&) = delete;

    [[nodiscard]] std::span<const std::uint8_t> all() const { return {data_, size_}; }

  private:
    std::size_t size_, room_ = 0;
    std::uint8_t* data_ = nullptr;
};

// An array of more than 2^32 bytes, whose pages are touched once for all tests.
class large_bytes : public testing::Test {
  protected:
    static constexpr std::size_t n = (std::size_t{1} << 32) + 1'000'003;
    static void SetUpTestSuite() {
        if (available_memory() >= 6 * gibibyte) y = uninitialised<std::uint8_t>(n);
    }
    static void TearDownTestSuite() { y.reset(); }
    void SetUp() override {
        if (!y) SKIP_BELOW(6)
    }
    static inline std::unique_ptr<std::uint8_t[]> y;
};

TEST_F(large_bytes, sums) {
    std::vector<std::uint8_t> block(repeated_bytes::block);
    random_bits random(2);
    for (std::uint8_t& each : block) each = static_cast<std::uint8_t>(random());
    const repeated_bytes repeated(block, n);
    const std::span<const std::uint8_t> x = repeated.all();
    cpu::executor ex;
    std::uint8_t total = 0;
    std::memset(y.get(), 0xcb, n);
    inclusive_scan(ex, x, std::span(y.get(), n), plus{}, {.total = &total});
    EXPECT_EQ(y[0], x[0]);
    EXPECT_TRUE(differences_are(y.get() + 1, -1, x.data() + 1, 0, n - 1));
    EXPECT_EQ(y[n - 1], total);
    std::memset(y.get(), 0xcb, n);
    exclusive_scan(ex, x, std::span(y.get(), n), plus{}, {.reverse = true});
    EXPECT_EQ(y[n - 1], 0);
    EXPECT_TRUE(differences_are(y.get(), 1, x.data(), 1, n - 1));
    EXPECT_EQ(static_cast<std::uint8_t>(y[0] + x[0]), total);
}

TEST_F(large_bytes, compaction_and_partition) {
    constexpr std::size_t place = 565'536;
    std::vector<std::uint8_t> block(repeated_bytes::block);
    block[place] = 7;
    const repeated_bytes repeated(block, n);
    const std::span<const std::uint8_t> x = repeated.all();
    const std::span<std::uint8_t> results(y.get(), n);
    std::vector<std::int64_t> marked;
    for (std::size_t i = place; i < n; i += block.size()) marked.push_back(static_cast<std::int64_t>(i));
    ASSERT_GT(marked.back(), std::int64_t{1} << 32);
    const std::size_t chosen = marked.size();
    const auto is_seven = equal_to(std::uint8_t{7});
    const auto all_are = [](std::span<const std::uint8_t> values, std::uint8_t wanted) {
        return values.front() == wanted && std::memcmp(&values[0], &values[1], values.size() - 1) == 0;
    };

    cpu::executor ex;
    std::vector<std::int64_t> found(chosen);
    EXPECT_EQ(compact_indices_if(ex, x, found, is_seven), chosen);
    EXPECT_EQ(found, marked);
    std::memset(y.get(), 0xcb, n);
    EXPECT_EQ(partition_if(ex, x, results, is_seven), chosen);
    EXPECT_TRUE(all_are(results.first(chosen), 7));
    EXPECT_TRUE(all_are(results.subspan(chosen), 0));
    std::memcpy(y.get(), x.data(), n);
    EXPECT_EQ(compact_if(ex, std::span<const std::uint8_t>(results), results, not_equal_to(std::uint8_t{7})),
              n - chosen);
    EXPECT_TRUE(all_are(results.first(n - chosen), 0));
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
