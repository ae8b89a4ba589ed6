// Arrays of more elements than 32 bits can count, and long sums: compared with the CPU's scan bit for bit,
// piece by piece.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/skip_below.hpp"
#include "support/bits.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cuda/bin_totals.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/partition.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/partition.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

// Whether `out` is the CPU's scan of `in`.
template <class T>
void expect_cpu_scan(const device_array<T>& in, const device_array<T>& out, bool exclusive, bool reverse,
                     T total) {
    constexpr std::size_t piece = std::size_t{64} << 20;
    cpu::executor ex;
    scan_carry<T> carry;
    std::vector<T> expected(piece);
    T expected_total{};
    for (std::size_t done = 0; done < in.size();) {
        const std::size_t count = std::min(piece, in.size() - done);
        const std::size_t first = reverse ? in.size() - done - count : done;
        const std::vector<T> x = in.read(first, count), y = out.read(first, count);
        const std::span<T> results(expected.data(), count);
        const scan_options<T> options{.reverse = reverse, .total = &expected_total, .carry = &carry};
        if (exclusive)
            exclusive_scan(ex, x, results, plus{}, options);
        else
            inclusive_scan(ex, x, results, plus{}, options);
        ASSERT_EQ(first_difference(y.data(), expected.data(), count), count) << "from " << first;
        done += count;
    }
    EXPECT_TRUE(same_bits(total, expected_total));
}

template <class T>
void check(std::size_t n, bool exclusive, bool reverse) {
    SKIP_BELOW(3 * n * sizeof(T) + (std::size_t{1} << 30))
    const device_array<T> in = random_array<T>(n, 7);
    device_array<T> first(n), other(n), total(1);
    bool checked = false;
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        device_array<T>& out = checked ? other : first;
        out.poison();
        total.poison();
        const cuda::scan_options<T> options{.reverse = reverse, .total = total.data()};
        if (exclusive)
            exclusive_scan(ex, in.view(), out.span(), plus{}, options);
        else
            inclusive_scan(ex, in.view(), out.span(), plus{}, options);
        ex.wait();
        EXPECT_EQ(ex.latest(), choice);
        if (!checked)
            expect_cpu_scan(in, out, exclusive, reverse, total.read()[0]);
        else
            EXPECT_EQ(differences(out, first), 0u)
                << "not the result of " << cuda::name(cuda_algorithms().front());
        checked = true;
    }
}

constexpr std::size_t past_32_bits = (std::size_t{1} << 32) + 5;

TEST(cuda_large, more_than_two_to_the_32_bytes) {
    check<std::uint8_t>(past_32_bits, false, false);
    check<std::uint8_t>(past_32_bits, true, true);
}
TEST(cuda_large, more_than_two_to_the_32_floats) {
    check<float>(past_32_bits, false, false);
    check<float>(past_32_bits, true, true);
}

TEST(cuda_large, running_sums_of_two_to_the_30_floats_never_decrease) {
    constexpr std::size_t n = std::size_t{1} << 30;
    SKIP_BELOW(2 * n * sizeof(float) + (std::size_t{1} << 30))
    const device_array<float> in = random_array<float>(n, 11);
    device_array<float> out(n);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        out.poison();
        inclusive_scan(ex, in.view(), out.span());
        ex.wait();
        EXPECT_EQ(decreases(out), 0u);
    }
    expect_cpu_scan(in, out, false, false, out.read(n - 1, 1)[0]);
}

// Several launches, each of which goes on where the one before ended.
TEST(cuda_large, compaction_and_partition_of_more_than_two_to_the_32) {
    constexpr std::size_t n = past_32_bits, piece = std::size_t{64} << 20;
    SKIP_BELOW(2 * n + (std::size_t{2} << 30))
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n, 13);
    const auto keep = at_least(std::uint8_t{100}), rare = equal_to(std::uint8_t{7});
    device_array<std::uint8_t> out(n);
    device_array<std::uint64_t> count(1), indices(n / 128);
    cpu::executor host;
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        cuda::executor ex(nullptr, choice);
        out.poison();
        partition_if(ex, in.view(), out.span(), keep, count.data());
        const std::uint64_t chosen = count.read()[0];
        compact_indices_if(ex, in.view(), indices.span(), rare, count.data());
        const std::uint64_t rare_ones = count.read()[0];
        ASSERT_LT(rare_ones, indices.size());
        std::vector<std::uint8_t> expected(piece);
        std::vector<std::uint64_t> places(piece);
        std::uint64_t kept = 0, found = 0;
        for (std::size_t first = 0; first < n; first += piece) {
            const std::vector<std::uint8_t> x = in.read(first, std::min(piece, n - first));
            const std::size_t own = partition_if(host, x, std::span(expected).first(x.size()), keep);
            ASSERT_LE(kept + own, chosen);
            const auto front = out.read(kept, own), back = out.read(chosen + first - kept, x.size() - own);
            ASSERT_TRUE(std::equal(front.begin(), front.end(), expected.begin())) << "from " << first;
            ASSERT_TRUE(std::equal(back.begin(), back.end(), expected.begin() + std::ptrdiff_t(own)))
                << "from " << first;
            kept += own;
            const std::size_t few = compact_indices_if(host, x, places, rare);
            ASSERT_LE(found + few, rare_ones);
            const auto at = indices.read(found, few);
            for (std::size_t k = 0; k < few; ++k) ASSERT_EQ(at[k], first + places[k]);
            found += few;
        }
        EXPECT_EQ(kept, chosen);
        EXPECT_EQ(found, rare_ones);

        // In place, where that is possible, of less than all.
        if (choice == cuda::algorithm::reduce_then_scan) continue;
        expect_success(cudaMemcpy(out.data(), in.data(), n, cudaMemcpyDeviceToDevice), "copying");
        const device_array<std::uint64_t> length(std::vector<std::uint64_t>{n - 3});
        compact_if(ex, out.view(), out.span(), keep, count.data(), {length.data()});
        const std::vector<std::uint8_t> last = in.read(n - 3, 3);
        const std::uint64_t dropped = std::uint64_t(std::count_if(last.begin(), last.end(), keep));
        EXPECT_EQ(count.read()[0], chosen - dropped);
        kept = 0;
        for (std::size_t first = 0; first < n; first += piece) {
            const std::vector<std::uint8_t> x = in.read(first, std::min(piece, n - first));
            std::size_t own = compact_if(host, x, expected, keep);
            if (first + x.size() == n) own -= dropped;
            const auto front = out.read(kept, own);
            ASSERT_TRUE(std::equal(front.begin(), front.end(), expected.begin())) << "from " << first;
            kept += own;
        }
    }
}

// Counts of more than 32 bits, and bins that begin behind them; in one pass, and in two.
TEST(cuda_large, bins_of_more_than_two_to_the_32) {
    constexpr std::size_t n = past_32_bits, piece = std::size_t{64} << 20;
    SKIP_BELOW(3 * n + (std::size_t{2} << 30))
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n, 17);
    device_array<std::uint8_t> out(n);
    cuda::executor ex;
    cpu::executor host;
    for (const std::uint32_t count : {3u, 300u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        device_array<std::uint64_t> counts(count), offsets(count + 1);
        const bin_range<std::uint8_t> range{2, 200, count};
        histogram(ex, in.view(), counts.span(), range);
        bins(ex, in.view(), out.span(), offsets.span(), range);
        const std::vector<std::uint64_t> begins = offsets.read();
        std::vector<std::uint64_t> sums(count), own(count + 1);
        std::vector<std::uint8_t> expected(piece);
        for (std::size_t first = 0; first < n; first += piece) {
            const std::vector<std::uint8_t> x = in.read(first, std::min(piece, n - first));
            bins(host, x, expected, own, range);
            for (std::size_t b = 0; b < count; ++b) {
                const std::uint64_t size = own[b + 1] - own[b];
                ASSERT_LE(begins[b] + sums[b] + size, begins[b + 1]);
                const std::vector<std::uint8_t> got = out.read(begins[b] + sums[b], size);
                ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + std::ptrdiff_t(own[b])))
                    << "bin " << b << " from " << first;
                sums[b] += size;
            }
        }
        EXPECT_EQ(counts.read(), sums);
        std::uint64_t before = 0;
        for (std::size_t b = 0; b < count; ++b) {
            EXPECT_EQ(begins[b], before);
            before += sums[b];
        }
        EXPECT_EQ(begins[count], before);
    }
    // All in one bin: a count that 32 bits do not hold.
    device_array<std::uint64_t> one(1);
    histogram(ex, in.view(), one.span(), {.lo = 0, .hi = 255, .count = 1, .clamp = true});
    EXPECT_EQ(one.read()[0], n);
}

// A portion is what one launch of a pass moves; where the length is far below what there is room for, most
// portions are empty, and what tiles told in one pass must not be taken for the next one's.
TEST(cuda_large, bins_of_few_elements_in_room_for_several_portions) {
    constexpr std::size_t room = (std::size_t{1} << 31) + 5, n = 3'000'001;
    constexpr std::uint32_t count = 5'000;
    SKIP_BELOW(7 * room)
    const device_array<std::uint16_t> in = random_array<std::uint16_t>(room, 19);
    device_array<std::uint16_t> out(n);
    device_array<std::uint64_t> offsets(count + 1);
    const device_array<std::uint64_t> length(std::vector<std::uint64_t>{n});
    const bin_range<std::uint16_t> range{0, 50'000, count};
    cuda::executor ex;
    cpu::executor host;
    std::vector<std::uint16_t> expected(n);
    std::vector<std::uint64_t> begins(count + 1);
    bins(host, in.read(0, n), expected, begins, range);
    expected.resize(begins.back());
    bins(ex, in.view(), out.span(), offsets.span(), range, {.length = length.data()});
    EXPECT_EQ(offsets.read(), begins);
    EXPECT_EQ(out.read(0, begins.back()), expected);
}

// Values of a second portion lie behind those of the first, as their elements do; in one pass, and in two.
TEST(cuda_large, values_of_bins_of_two_portions) {
    constexpr std::size_t n = (std::size_t{1} << 30) + 100'003;
    SKIP_BELOW(14 * n)
    const device_array<std::uint8_t> in = random_array<std::uint8_t>(n, 23);
    device_array<std::uint8_t> elements(n), values(n);
    cuda::executor ex;
    for (const std::uint32_t count : {3u, 300u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        device_array<std::uint64_t> offsets(count + 1), begins(count + 1);
        device_array<float> totals(count), expected(count);
        const bin_range<std::uint8_t> range{2, 200, count};
        bins(ex, in.view(), elements.span(), offsets.span(), range);
        bin_values(ex, in.view(), in.view(), values.span(), begins.span(), range);
        const std::vector<std::uint64_t> at = begins.read();
        EXPECT_EQ(at, offsets.read());
        EXPECT_TRUE(values.read(0, at.back()) == elements.read(0, at.back()));
        bin_totals<float>(ex, in.view(), in.view(), totals.span(), range);
        for (std::uint32_t bin = 0; bin < count; ++bin) {
            const cuda::device_span<const std::uint8_t> own(values.data() + at[bin], at[bin + 1] - at[bin]);
            reduce<float>(ex, own, expected.span().data() + bin);
        }
        EXPECT_EQ(totals.read(), expected.read());
    }
}

}  // namespace
}  // namespace upsweep::test
