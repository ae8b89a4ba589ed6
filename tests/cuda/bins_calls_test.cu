// Calls of histograms and bins on the GPU: every way to count and to move, graphs, scratch, what is refused.
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/bins_calls.cuh"
#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/binned.hpp"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/histogram.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

struct first_half {
    __device__ bool operator()(float x) const { return x >= 0.5f; }
};

// Numbers, and what the CPU says of their bins.
struct bins_problem {
    bin_range<float> range;
    device_array<float> in;
    std::vector<float> x;
    std::vector<std::uint64_t> counts, offsets;
    std::vector<float> elements;

    bins_problem(std::size_t n, const bin_range<float>& bins, std::uint64_t seed)
        : range(bins),
          in(random_array<float>(n, seed)),
          x(in.read()),
          counts(bins.count),
          offsets(std::size_t(bins.count) + 1),
          elements(n) {
        cpu::executor host;
        histogram(host, x, counts, range);
        elements.resize(upsweep::bins(host, x, elements, offsets, range));
    }
};

// Counters that are copied, single ones, those of several blocks, and of all in global memory; bins that
// lanes count, and those of votes; one to four passes over the elements.
TEST(cuda_bins, any_number_of_bins) {
    const std::size_t n = repetitions(3'000'003, 100'003);
    cuda::executor ex;
    for (const std::uint32_t count :
         {1u, 3u, 4u, 31u, 32u, 63u, 64u, 255u, 256u, 257u, 4'000u, 58'111u, 58'112u, 65'536u, 65'537u,
          464'888u, 464'889u, 3'000'000u, 17'000'000u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        const bins_problem given(n, {0.125f, 0.75f, count}, count);
        device_array<std::uint64_t> counts(count), offsets(std::size_t(count) + 1);
        device_array<float> out(given.elements.size());
        counts.poison();
        offsets.poison();
        histogram(ex, given.in.view(), counts.span(), given.range);
        EXPECT_EQ(counts.read(), given.counts);
        bins(ex, given.in.view(), out.span(), offsets.span(), given.range);
        EXPECT_EQ(offsets.read(), given.offsets);
        EXPECT_EQ(out.read(), given.elements);
    }
}

// Sorted and constant input, where lanes and blocks meet in the same bins.
TEST(cuda_bins, neighbours_in_one_bin) {
    const std::size_t n = repetitions(2'000'003, 100'003);
    std::vector<double> x(n);
    cuda::executor ex;
    cpu::executor host;
    for (const bool constant : {true, false}) {
        for (std::size_t i = 0; i < n; ++i)
            x[i] = constant ? 0.3 : static_cast<double>(i) / static_cast<double>(n - 9);
        const device_array<double> in(x);
        for (const std::uint32_t count : {5u, 256u, 300u, 20'000u, 1'000'000u}) {
            SCOPED_TRACE(std::to_string(count) + " bins");
            const bin_range<double> range{0, 1, count};
            std::vector<std::uint64_t> expected(std::size_t(count) + 1);
            std::vector<double> elements(n);
            elements.resize(bins(host, x, elements, expected, range));
            device_array<std::uint64_t> counts(count), offsets(std::size_t(count) + 1);
            device_array<double> out(elements.size());
            histogram(ex, in.view(), counts.span(), range);
            bins(ex, in.view(), out.span(), offsets.span(), range);
            EXPECT_EQ(offsets.read(), expected);
            EXPECT_EQ(out.read(), elements);
            for (std::size_t b = 0; b < count; ++b) expected[b] = expected[b + 1] - expected[b];
            expected.pop_back();
            EXPECT_EQ(counts.read(), expected);
        }
    }
}

TEST(cuda_bins, no_elements) {
    cuda::executor ex;
    device_array<std::uint64_t> counts(5);
    const cuda::device_span<float> none;
    counts.poison();
    histogram(ex, none, counts.span().subspan(0, 4), {0, 1, 4});
    EXPECT_EQ(counts.read(0, 4), (std::vector<std::uint64_t>(4)));
    counts.poison();
    bins(ex, none, none, counts.span(), {0, 1, 4});
    EXPECT_EQ(counts.read(), (std::vector<std::uint64_t>(5)));
    const device_array<float> x(std::vector<float>(100, 0.5f));
    const device_array<std::uint64_t> length(std::vector<std::uint64_t>{0});
    counts.poison();
    bins(ex, x.view(), none, counts.span(), {0, 1, 4}, {.length = length.data()});
    EXPECT_EQ(counts.read(), (std::vector<std::uint64_t>(5)));
    histogram_by(ex, x.view(), cuda::device_span<std::uint64_t>(), first_half{});
}

// Scans before and behind leave no trace in bins' scratch, nor bins in theirs; graphs have scratch of their
// own.
TEST(cuda_bins, between_scans_and_in_graphs) {
    const std::size_t n = repetitions(2'000'003, 300'007);
    const bins_problem few(n, {0, 1, 100}, 1), many(n, {0, 1, 70'000}, 2);
    cpu::executor host;
    std::vector<float> sums(n);
    inclusive_scan(host, few.x, sums);
    device_array<std::uint64_t> few_offsets(101), many_offsets(70'001), counts(100);
    device_array<float> few_out(few.elements.size()), many_out(many.elements.size()), scanned(n);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const auto work = [&] {
            inclusive_scan(ex, few.in.view(), scanned.span());
            bins(ex, many.in.view(), many_out.span(), many_offsets.span(), many.range);
            histogram(ex, few.in.view(), counts.span(), few.range);
            bins(ex, few.in.view(), few_out.span(), few_offsets.span(), few.range);
            inclusive_scan(ex, few.in.view(), scanned.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            for (device_array<float>* const a : {&few_out, &many_out, &scanned}) a->poison();
            for (device_array<std::uint64_t>* const a : {&few_offsets, &many_offsets, &counts}) a->poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(scanned.read(), sums);
            EXPECT_EQ(few_out.read(), few.elements);
            EXPECT_EQ(many_out.read(), many.elements);
            EXPECT_EQ(few_offsets.read(), few.offsets);
            EXPECT_EQ(many_offsets.read(), many.offsets);
            EXPECT_EQ(counts.read(), few.counts);
        }
        EXPECT_EQ(ex.latest(), choice);
    }
}

TEST(cuda_bins, through_the_callers_workspace) {
    const std::size_t n = repetitions(500'003, 70'007);
    for (const std::uint32_t count : {100u, 2'000u, 70'000u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        const bins_problem given(n, {0, 1, count}, count);
        device_array<float> out(given.elements.size());
        device_array<std::uint64_t> offsets(std::size_t(count) + 1);
        const std::size_t bytes = cuda::bins_workspace_bytes<float>(cuda::executor(), n, count);
        EXPECT_LE(cuda::bins_workspace_bytes<float>(cuda::executor(), n / 2, count), bytes);
        const device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span());
        for (int k = 0; k < 2; ++k) {
            out.poison();
            bins(ex, given.in.view(), out.span(), offsets.span(), given.range);
            EXPECT_EQ(offsets.read(), given.offsets);
            EXPECT_EQ(out.read(), given.elements);
        }
        cuda::executor small(nullptr, scratch.span().subspan(0, bytes - 1));
        expect_refused(
            "workspace: expected at least",
            [&] { bins(small, given.in.view(), out.span(), offsets.span(), given.range); },
            errc::out_of_memory);
    }
}

TEST(cuda_bins, a_function_that_changes_its_mind) {
    expect_written_inside({2, 300, 3'000}, [](auto& ex, auto in, auto out, auto offsets, const auto& f) {
        bins_by(ex, in, out, offsets, f);
    });
}

class cuda_bins_errors : public bins_refusals {
  protected:
    cuda::device_span<std::uint64_t> counts = numbers.span().subspan(0, 4);
};

TEST_F(cuda_bins_errors, bins) {
    refused("range: expected a count of bins", [&] { histogram(ex, x.view(), counts, {0, 1, 0}); });
    refused("range: expected lo < hi, but lo is 1 and hi is 1", [&] {
        histogram(ex, x.view(), counts, {1, 1, 4});
    });
    refused("range: expected lo < hi", [&] { bins(ex, x.view(), out.span(), offsets, {2, 1, 4}); });
    refused("counts: expected 5 elements", [&] { histogram(ex, x.view(), counts, {0, 1, 5}); });
    refused("offsets: expected 4 elements", [&] { bins(ex, x.view(), out.span(), offsets, {0, 1, 3}); });
    refused("offsets: expected at least 2",
            [&] { bins_by(ex, x.view(), out.span(), offsets.subspan(0, 1), first_half{}); });
    refused("edges: expected at least two",
            [&] { histogram(ex, x.view(), counts, cuda::device_edges<float>{x.view().subspan(0, 1)}); });
    const cuda::device_span<std::int8_t> narrow(reinterpret_cast<std::int8_t*>(out.data()), 300);
    const device_array<float> longer(std::vector<float>(129, 0.5f));
    refused("out: index 128 does not fit", [&] { bin_indices(ex, longer.view(), narrow, offsets, range); });
}

TEST_F(cuda_bins_errors, overlaps) {
    const cuda::device_span<const float> inside(reinterpret_cast<const float*>(numbers.data()), 2);
    const cuda::device_span<float> written(reinterpret_cast<float*>(numbers.data()), 10);
    refused("counts: overlaps in", [&] { histogram(ex, inside, counts, range); });
    refused("counts: overlaps edges",
            [&] { histogram(ex, x.view(), counts.subspan(0, 1), cuda::device_edges<float>{inside}); });
    refused("counts: overlaps options.length",
            [&] { histogram(ex, x.view(), counts, range, {.length = numbers.data()}); });
    refused("out: overlaps in", [&] { bins(ex, out.span(), out.span(), offsets, range); });
    refused("out: overlaps offsets", [&] { bins(ex, x.view(), written, offsets, range); });
    refused("offsets: overlaps in", [&] { bins(ex, inside, out.span(), offsets, range); });
    refused("out: overlaps edges", [&] {
        bins(ex, x.view(), out.span(), offsets.subspan(0, 2),
             cuda::device_edges<float>{out.view().subspan(3, 2)});
    });
    refused("offsets: overlaps options.length",
            [&] { bins(ex, x.view(), out.span(), offsets, range, {.length = numbers.data() + 4}); });
}

TEST_F(cuda_bins_errors, pointers) {
    std::vector<float> host(100, 0.5f);
    std::vector<std::uint64_t> on_host(5);
    const cuda::device_span<float> wrong(host.data(), 100);
    const cuda::device_span<std::uint64_t> wrong_numbers(on_host.data(), 5);
    refused("in: expected device memory", [&] { histogram(ex, wrong, counts, range); });
    refused("counts: expected device memory",
            [&] { histogram(ex, x.view(), wrong_numbers.subspan(0, 4), range); });
    refused("out: expected device memory", [&] { bins(ex, x.view(), wrong, offsets, range); });
    refused("offsets: expected device memory", [&] { bins(ex, x.view(), out.span(), wrong_numbers, range); });
    refused("options.length: expected device memory",
            [&] { histogram(ex, x.view(), counts, range, {.length = on_host.data()}); });
    refused("edges: expected device memory", [&] {
        histogram(ex, x.view(), counts, cuda::device_edges<float>{{host.data(), 5}});
    });
    const cuda::device_span<float> shifted(reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 1),
                                           10);
    refused("in: the pointer is not aligned", [&] { histogram(ex, shifted, counts, range); });
    refused("out: the pointer is not aligned", [&] { bins(ex, x.view(), shifted, offsets, range); });
}

}  // namespace
}  // namespace upsweep::test
