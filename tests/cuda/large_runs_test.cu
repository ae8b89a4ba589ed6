// Runs among more elements than a launch takes, and more than 32 bits may count.
#include <cstdint>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "support/refused.hpp"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/unique.cuh"

namespace upsweep::test {
namespace {

// Runs of 1000 bytes; one goes on where the second launch of a compaction begins, and ends there.
TEST(cuda_large, runs_past_two_to_the_31_elements) {
    constexpr std::size_t n = (std::size_t{1} << 31) + 3'000'477, length = 1000;
    constexpr std::size_t m = (n + length - 1) / length;
    SKIP_BELOW(4 * n)
    std::vector<std::uint8_t> host(n), first(m);
    std::vector<std::uint32_t> sums(m), lengths(m, length);
    lengths.back() = n - (m - 1) * length;
    for (std::size_t i = 0; i < n; ++i) {
        host[i] = static_cast<std::uint8_t>(1 + i / length % 199);
        sums[i / length] += host[i];
        first[i / length] = host[i];
    }
    const device_array<std::uint8_t> keys(host);
    device_array<std::uint8_t> keys_out(m);
    device_array<std::uint32_t> totals(m);
    device_array<std::uint64_t> count(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        keys_out.poison();
        count.poison();
        unique(ex, keys.view(), keys_out.span(), count.data());
        EXPECT_EQ(count.read()[0], m);
        EXPECT_EQ(keys_out.read(), first);
        keys_out.poison();
        totals.poison();
        run_length_encode(ex, keys.view(), keys_out.span(), totals.span(), count.data());
        EXPECT_EQ(count.read()[0], m);
        EXPECT_EQ(keys_out.read(), first);
        EXPECT_EQ(totals.read(), lengths);
    }
    std::vector<std::uint64_t> offsets(m + 1, n);
    for (std::size_t k = 0; k < m; ++k) offsets[k] = k * length;
    const device_array<std::uint64_t> there(offsets);
    cuda::executor ex;
    totals.poison();
    segmented_reduce<std::uint32_t>(ex, cuda::by_offsets(there.view()), keys.view(), totals.span());
    EXPECT_EQ(totals.read(), sums);
    keys_out.poison();
    totals.poison();
    count.poison();
    reduce_by_key<std::uint32_t>(ex, keys.view(), keys.view(), keys_out.span(), totals.span(), count.data());
    EXPECT_EQ(count.read()[0], m);
    EXPECT_EQ(keys_out.read(), first);
    EXPECT_EQ(totals.read(), sums);
}

// A run whose length 32 bits do not hold, and some behind it.
TEST(cuda_large, lengths_past_two_to_the_32) {
    constexpr std::size_t long_run = (std::size_t{1} << 32) + 3'000'477, length = 100'003, m = 21;
    constexpr std::size_t n = long_run + (m - 1) * length;
    SKIP_BELOW(2 * n)
    device_array<std::uint8_t> in(n), first(m);
    device_array<std::uint64_t> lengths(m), count(1);
    std::vector<std::uint8_t> elements(m);
    std::vector<std::uint64_t> sizes(m, length);
    sizes[0] = long_run;
    std::size_t at = 0;
    for (std::size_t k = 0; k < m; ++k) {
        elements[k] = static_cast<std::uint8_t>(3 + k);
        expect_success(cudaMemset(in.data() + at, elements[k], sizes[k]), "filling a run");
        at += sizes[k];
    }
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        first.poison();
        lengths.poison();
        count.poison();
        run_length_encode(ex, in.view(), first.span(), lengths.span(), count.data());
        EXPECT_EQ(count.read()[0], m);
        EXPECT_EQ(first.read(), elements);
        EXPECT_EQ(lengths.read(), sizes);
    }
    std::vector<std::uint64_t> offsets{0}, sums;
    for (std::size_t k = 0; k < m; ++k) {
        offsets.push_back(offsets.back() + sizes[k]);
        sums.push_back(elements[k] * sizes[k]);
    }
    const device_array<std::uint64_t> there(offsets);
    cuda::executor ex;
    lengths.poison();
    segmented_reduce<std::uint64_t>(ex, cuda::by_offsets(there.view()), in.view(), lengths.span());
    EXPECT_EQ(lengths.read(), sums);
}

}  // namespace
}  // namespace upsweep::test
