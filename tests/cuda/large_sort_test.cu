// Sorts of more elements than one launch of a pass takes, and than 32 bits can count.
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "upsweep/cuda/sort.cuh"
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
