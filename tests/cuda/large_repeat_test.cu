// Repetitions of more elements, and to more results, than 32 bits count.
#include <cstdint>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "upsweep/cuda/repeat.cuh"

namespace upsweep::test {
namespace {

// Results of a few thousand each, one of which is longer than a launch has blocks for at once, and many
// elements without any.
TEST(cuda_large, results_past_two_to_the_32) {
    constexpr std::size_t n = 30'000, length = 150'003, shorts = n / 2 * length;
    static_assert(shorts > (std::size_t{1} << 31));
    constexpr std::size_t longest = std::size_t{1} << 31, total = shorts + longest - length;
    SKIP_BELOW(3 * total)
    std::vector<std::uint8_t> x(n);
    std::vector<std::uint32_t> counts(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<std::uint8_t>(i % 251);
        counts[i] = i % 2 == 0 ? length : 0;
    }
    counts[n / 4 * 2] = longest;
    device_array<std::uint8_t> expected(total), out(total);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (counts[i] != 0) expect_success(cudaMemset(expected.data() + at, x[i], counts[i]), "filling");
        at += counts[i];
    }
    ASSERT_EQ(at, total);
    const device_array<std::uint8_t> in(x);
    const device_array<std::uint32_t> given(counts);
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    out.poison();
    repeat(ex, in.view(), given.view(), out.span(), count.data());
    EXPECT_EQ(count.read()[0], total);
    EXPECT_EQ(differences(out, expected), 0u);
    std::vector<std::uint64_t> offsets(1);
    for (const std::uint32_t c : counts) offsets.push_back(offsets.back() + c);
    const device_array<std::uint64_t> ends(offsets);
    out.poison();
    repeat(ex, in.view(), cuda::by_offsets(ends.view()), out.span(), count.data());
    EXPECT_EQ(count.read()[0], total);
    EXPECT_EQ(differences(out, expected), 0u);
}

TEST(cuda_large, equal_counts_past_two_to_the_32) {
    constexpr std::size_t n = 3, length = (std::size_t{1} << 31) + 77'777;
    SKIP_BELOW(3 * n * length)
    device_array<std::uint8_t> expected(n * length), out(n * length);
    for (std::size_t i = 0; i < n; ++i)
        expect_success(cudaMemset(expected.data() + i * length, int(i + 5), length), "filling");
    const device_array<std::uint8_t> in(std::vector<std::uint8_t>{5, 6, 7});
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    out.poison();
    repeat(ex, in.view(), length, out.span(), count.data());
    EXPECT_EQ(count.read()[0], n * length);
    EXPECT_EQ(differences(out, expected), 0u);
}

// Few of more than 2^32 elements have results.
TEST(cuda_large, elements_past_two_to_the_32) {
    constexpr std::size_t n = (std::size_t{1} << 32) + 3'000'477;
    SKIP_BELOW(2 * n)
    device_array<std::uint8_t> counts(n);
    expect_success(cudaMemset(counts.data(), 0, n), "clearing counts");
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 7; i < n; i += n / 5'000 + 3) {
        const std::size_t times = 1 + i % 200;
        expect_success(cudaMemset(counts.data() + i, int(times), 1), "setting a count");
        expected.insert(expected.end(), times, i);
    }
    device_array<std::uint64_t> out(expected.size()), count(1);
    cuda::executor ex;
    out.poison();
    repeat_indices(ex, counts.view(), out.span(), count.data());
    EXPECT_EQ(count.read()[0], expected.size());
    EXPECT_EQ(out.read(), expected);
}

}  // namespace
}  // namespace upsweep::test
