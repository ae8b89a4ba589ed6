// Selections from more elements than 32 bits can count.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "upsweep/cuda/top_k.cuh"

namespace upsweep::test {
namespace {

// The indices of the k smallest keys, of which k at least are up to the bound, by definition.
template <class T>
std::vector<std::uint64_t> smallest_indices(const std::vector<T>& x, std::size_t k, T bound) {
    std::vector<std::pair<T, std::uint64_t>> some;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] <= bound) some.emplace_back(x[i], i);
    EXPECT_GE(some.size(), k);
    std::sort(some.begin(), some.end());
    std::vector<std::uint64_t> made(k);
    for (std::size_t i = 0; i < k && i < some.size(); ++i) made[i] = some[i].second;
    return made;
}

template <class T>
void check_large(std::size_t n, std::size_t k, T bound) {
    SKIP_BELOW(2 * n * sizeof(T) + (std::size_t{2} << 30))
    const device_array<T> in = random_array<T>(n, 11);
    device_array<std::uint64_t> indices(k);
    device_array<T> out(k);
    cuda::executor ex;
    top_k_indices(ex, in.view(), indices.span(), {.smallest = true});
    top_k(ex, in.view(), out.span(), {.smallest = true});
    const std::vector<T> x = in.read();
    const std::vector<std::uint64_t> expected = smallest_indices(x, k, bound);
    EXPECT_EQ(indices.read(), expected);
    std::vector<T> keys(k);
    for (std::size_t i = 0; i < k; ++i) keys[i] = x[expected[i]];
    EXPECT_EQ(std::memcmp(out.read().data(), keys.data(), k * sizeof(T)), 0);
}
// All of them behind one another among equal keys, so that the index decides.
TEST(cuda_large, top_k_of_more_than_2_to_the_32_bytes) {
    check_large<std::uint8_t>((std::size_t{1} << 32) + 100'005, 1'000'000, 0);
}
TEST(cuda_large, top_k_of_more_than_2_to_the_32_words) {
    check_large<std::uint32_t>((std::size_t{1} << 32) + 100'005, 1'000, 1u << 12);
}

// The only ones that count lie far out.
TEST(cuda_large, top_k_behind_2_to_the_32) {
    const std::size_t n = (std::size_t{1} << 32) + 100'005;
    SKIP_BELOW(n + (std::size_t{2} << 30))
    device_array<std::uint8_t> in(n);
    expect_success(cudaMemset(in.data(), 3, n), "filling device memory");
    expect_success(cudaMemset(in.data() + n - 7, 9, 7), "filling device memory");
    device_array<std::uint64_t> indices(9);
    cuda::executor ex;
    top_k_indices(ex, in.view(), indices.span());
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 7; ++i) expected.push_back(n - 7 + i);
    expected.push_back(0);
    expected.push_back(1);
    EXPECT_EQ(indices.read(), expected);
}

// Rows that begin behind 2^32 elements, of each kind.
TEST(cuda_large, top_k_of_rows_of_more_than_2_to_the_32) {
    const std::size_t n = (std::size_t{1} << 32) + (std::size_t{1} << 26);
    SKIP_BELOW(4 * n)
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n, 5);
    cuda::executor ex;
    for (const std::size_t length : {std::size_t{64}, std::size_t{1} << 9, std::size_t{1} << 14,
                                     std::size_t{1} << 19, std::size_t{1} << 26}) {
        for (const std::size_t k : {std::size_t{5}, std::size_t{40}}) {
            SCOPED_TRACE(length);
            const std::size_t rows = n / length;
            device_array<std::uint32_t> out(rows * k);
            top_k_row_indices(ex, rows, in.view(), out.span());
            for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1}) {
                const std::vector<std::uint8_t> own = in.read(row * length, length);
                std::vector<std::uint32_t> order(length);
                for (std::size_t i = 0; i < length; ++i) order[i] = static_cast<std::uint32_t>(i);
                std::stable_sort(order.begin(), order.end(),
                                 [&](std::uint32_t a, std::uint32_t b) { return own[a] > own[b]; });
                order.resize(k);
                EXPECT_EQ(out.read(row * k, k), order);
            }
        }
    }
}

}  // namespace
}  // namespace upsweep::test
