// Sorts of more elements than one launch of a pass takes, and than 32 bits can count.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "support/random.hpp"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/segmented_sort.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

template <class T>
void check_sort(std::size_t n) {
    SKIP_BELOW(3 * n * sizeof(T) + (std::size_t{2} << 30))
    const device_array<T> in = random_array<T>(n, 11);
    device_array<T> out(n);
    cuda::executor ex;
    sort(ex, in.view(), out.span(), {.descending = true});
    cpu::executor host;
    std::vector<T> x = in.read();
    sort(host, x, x, {.descending = true});
    EXPECT_TRUE(std::memcmp(x.data(), out.read().data(), n * sizeof(T)) == 0);
}
TEST(cuda_large, sort_in_several_portions) { check_sort<std::uint32_t>((std::size_t{1} << 30) + 100'003); }
TEST(cuda_large, sort_more_than_2_to_the_32) { check_sort<std::uint8_t>((std::size_t{1} << 32) + 5); }

// Segments that a tile takes, longer ones, and one of most elements, which begins and ends far out.
TEST(cuda_large, segmented_sort_of_more_than_2_to_the_32) {
    const std::size_t n = (std::size_t{1} << 32) + 100'003;
    SKIP_BELOW(20 * n)
    std::vector<std::int64_t> offsets{0};
    random_bits random(9);
    while (static_cast<std::size_t>(offsets.back()) < n) {
        const auto begin = static_cast<std::size_t>(offsets.back());
        const bool is_huge = begin > (std::size_t{1} << 20) && begin < (std::size_t{1} << 31);
        const std::size_t length =
            is_huge ? std::size_t{3} << 30 : random.below(random.below(8) == 0 ? 1 << 20 : 9'000);
        offsets.push_back(static_cast<std::int64_t>(std::min(n, begin + length)));
    }
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n, 13);
    const device_array<std::int64_t> given(offsets);
    device_array<std::uint8_t> out(n);
    cuda::executor ex;
    segmented_sort(ex, cuda::by_offsets(given.view()), in.view(), out.span());
    cpu::executor host;
    std::vector<std::uint8_t> x = in.read();
    segmented_sort(host, by_offsets(offsets), x, x);
    EXPECT_TRUE(std::memcmp(x.data(), out.read().data(), n) == 0);
}

// Equal keys keep their order from one launch to the next, and every index is there once.
TEST(cuda_large, sort_indices_in_several_portions) {
    const std::size_t n = (std::size_t{1} << 30) + 100'003;
    SKIP_BELOW(4 * n * sizeof(std::uint32_t))
    const device_array<std::uint16_t> in = random_array<std::uint16_t>(n, 12);
    device_array<std::uint32_t> out(n);
    cuda::executor ex;
    sort_indices(ex, in.view(), out.span());
    const std::vector<std::uint16_t> x = in.read();
    const std::vector<std::uint32_t> found = out.read();
    std::vector<bool> seen(n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t at = found[i];
        if (at >= n || seen[at]) {
            ++wrong;
            continue;
        }
        seen[at] = true;
        if (i == 0 || found[i - 1] >= n) continue;
        const std::uint32_t before = found[i - 1];
        if (x[before] > x[at] || (x[before] == x[at] && before > at)) ++wrong;
    }
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace upsweep::test
