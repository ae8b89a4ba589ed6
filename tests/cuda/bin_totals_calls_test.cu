// Calls of totals by bin on the GPU, and values of bins: every way to move them, graphs, scratch, what
// operators see, what is refused.
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/bins_calls.cuh"
#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/binned.hpp"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "upsweep/bin_totals.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/cuda/bin_totals.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

// Numbers with floats beside them, and what the CPU makes of them.
struct totals_problem {
    bin_range<float> range;
    device_array<float> in, values;
    std::vector<float> x, v, totals, moved;
    std::vector<std::uint64_t> offsets;

    totals_problem(std::size_t n, const bin_range<float>& bins, std::uint64_t seed)
        : range(bins),
          in(random_array<float>(n, seed)),
          values(random_array<float>(n, seed + 1)),
          x(in.read()),
          v(values.read()),
          totals(bins.count),
          moved(n),
          offsets(std::size_t(bins.count) + 1) {
        cpu::executor host;
        bin_totals(host, x, v, totals, range);
        moved.resize(bin_values(host, x, v, moved, offsets, range));
    }
};

// Bins that lanes count, and those of votes; one to four passes over the values; fewer values than bins.
TEST(cuda_bin_totals, any_number_of_bins) {
    const std::size_t n = repetitions(3'000'003, 100'003);
    cuda::executor ex;
    for (const std::uint32_t count : {1u, 4u, 32u, 63u, 256u, 257u, 4'000u, 58'112u, 65'536u, 65'537u,
                                      464'889u, 3'000'000u, 17'000'000u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        const totals_problem given(n, {0.125f, 0.75f, count}, count);
        device_array<float> totals(count), out(given.moved.size());
        device_array<std::uint64_t> offsets(std::size_t(count) + 1);
        totals.poison();
        bin_totals(ex, given.in.view(), given.values.view(), totals.span(), given.range);
        EXPECT_TRUE(same_bytes<float>(totals.read(), given.totals));
        out.poison();
        offsets.poison();
        bin_values(ex, given.in.view(), given.values.view(), out.span(), offsets.span(), given.range);
        EXPECT_EQ(offsets.read(), given.offsets);
        EXPECT_EQ(out.read(), given.moved);
    }
}

struct scaled_byte {
    int factor;
    template <class T>
    __host__ __device__ int operator()(const T& x) const {
        return first_byte()(x) * factor;
    }
};
// Values of any size beside elements of any other, in one pass and in several, with room for some of them.
template <class In, class V>
void check_values_of_bins(std::size_t n) {
    SCOPED_TRACE(std::to_string(sizeof(V)) + " bytes beside " + std::to_string(sizeof(In)));
    const std::vector<In> x = random_elements<In>(n, 3);
    const std::vector<V> values = random_elements<V>(n, 4);
    const device_array<In> in(x);
    const device_array<V> beside(values);
    cpu::executor host;
    cuda::executor ex;
    for (const std::uint32_t factor : {1u, 5u, 700u, 140'000u}) {
        const scaled_byte key{static_cast<int>(factor)};
        const std::size_t bins = 90 * factor;
        std::vector<std::uint64_t> begins(bins + 1);
        std::vector<V> expected(n);
        const std::size_t all = bin_values_by(host, x, values, expected, begins, key);
        for (const std::size_t room : {n, all / 2}) {
            device_array<V> out(n);
            device_array<std::uint64_t> offsets(bins + 1);
            out.poison();
            const std::vector<V> before = out.read();
            bin_values_by(ex, in.view(), beside.view(), out.span().subspan(0, room), offsets.span(), key);
            EXPECT_EQ(offsets.read(), begins);
            const std::vector<V> made = out.read();
            const auto written = std::min(all, room);
            EXPECT_TRUE(
                same_bytes<V>(std::span(made).first(written), std::span<const V>(expected).first(written)));
            EXPECT_TRUE(same_bytes<V>(std::span(made).subspan(written), std::span(before).subspan(written)));
        }
    }
}
TEST(cuda_bin_totals, values_of_any_size) {
    const std::size_t n = repetitions(200'003, 20'003);
    check_values_of_bins<std::uint8_t, record_of<3>>(n);
    check_values_of_bins<std::uint32_t, double>(n);
    check_values_of_bins<record_of<80>, std::uint16_t>(n);
    check_values_of_bins<std::uint64_t, record_of<80>>(n);
}

// Elements of any type by a function, and an operator that tells every other grouping.
TEST(cuda_bin_totals, by_a_function) {
    const std::size_t n = repetitions(2'000'003, 100'003);
    const std::vector<record_of<3>> x = random_elements<record_of<3>>(n, 8);
    const std::vector<std::uint64_t> values = random_elements<std::uint64_t>(n, 9);
    const device_array<record_of<3>> in(x);
    const device_array<std::uint64_t> beside(values);
    cpu::executor host;
    cuda::executor ex;
    for (const std::size_t bins : {1u, 90u, 1'000u}) {
        std::vector<std::uint64_t> expected(bins);
        device_array<std::uint64_t> totals(bins);
        totals.poison();
        bin_totals_by(host, x, values, expected, first_byte(), fingerprint{}, {.initial = 5});
        bin_totals_by(ex, in.view(), beside.view(), totals.span(), first_byte(), fingerprint{},
                      {.initial = 5});
        EXPECT_EQ(totals.read(), expected);
    }
}

// Integers in cells of shared memory, copied or single, of either width, and in more bins than there are
// cells for, by operators that the machine has and, of 8 bits, in wider cells.
template <class V, class Op, class Acc = core::accumulator_for<deduced, V, Op>>
void check_cells(std::size_t n, const std::optional<std::type_identity_t<Acc>>& initial) {
    const device_array<float> in = random_array<float>(n, 11);
    const std::vector<V> values = random_elements<V>(n, 12);
    const device_array<V> beside(values);
    const std::vector<float> x = in.read();
    cpu::executor host;
    cuda::executor ex;
    for (const std::uint32_t count : {1u, 3u, 40u, 255u, 256u, 3'000u, 29'055u, 29'056u, 58'111u, 58'112u}) {
        SCOPED_TRACE(std::to_string(count) + " bins of " + std::to_string(sizeof(V)) + " bytes");
        const bin_range<float> range{0.125f, 0.75f, count};
        std::vector<Acc> expected(count);
        device_array<Acc> totals(count);
        totals.poison();
        bin_totals(host, x, values, expected, range, Op{}, {.initial = initial});
        bin_totals(ex, in.view(), beside.view(), totals.span(), range, Op{}, {.initial = initial});
        EXPECT_EQ(totals.read(), expected);
    }
}
TEST(cuda_bin_totals, integers_in_cells) {
    const std::size_t n = repetitions(1'000'003, 100'003);
    check_cells<std::uint32_t, plus>(n, 7u);
    check_cells<std::int64_t, minimum>(n, {});
    check_cells<std::int8_t, maximum>(n, {});
    check_cells<std::uint64_t, bit_xor>(n, {});
    check_cells<std::uint8_t, bit_and>(n, std::uint8_t{0xf7});
}

struct no_bin_at_all {
    __device__ int operator()(float) const { return -1; }
};
TEST(cuda_bin_totals, no_elements) {
    cuda::executor ex;
    device_array<float> totals(4);
    const cuda::device_span<float> none;
    const auto expect_totals = [&](float expected) {
        EXPECT_TRUE(same_bytes<float>(totals.read(), std::vector<float>(4, expected)));
        totals.poison();
    };
    totals.poison();
    bin_totals(ex, none, none, totals.span(), {0, 1, 4});
    expect_totals(-0.0f);
    bin_totals(ex, none, none, totals.span(), {0, 1, 4}, plus{}, {.initial = 3.0f});
    expect_totals(3);
    const device_array<float> x(std::vector<float>(10'000, 0.5f));
    const device_array<std::uint64_t> length(std::vector<std::uint64_t>{0});
    bin_totals(ex, x.view(), x.view(), totals.span(), {0, 1, 4}, multiplies{}, {.length = length.data()});
    expect_totals(1);
    bin_totals(ex, x.view(), x.view(), totals.span(), {1, 2, 4});
    expect_totals(-0.0f);
    bin_totals_by(ex, x.view(), x.view(), none, first_byte{});
    bin_totals_by(ex, x.view(), x.view(), totals.span(), no_bin_at_all{});
    expect_totals(-0.0f);
}

// Operators are called for values that have a bin alone, whatever lies behind these in scratch.
struct watchful_sum {
    unsigned* seen;
    __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
#if defined(__CUDA_ARCH__)
        if (((a | b) >> 63) != 0) atomicAdd(seen, 1u);
#endif
        return a + b;
    }
};
TEST(cuda_bin_totals, operators_see_values_of_bins_alone) {
    const std::size_t n = repetitions(2'000'003, 200'003);
    std::vector<float> x(n);
    std::vector<std::uint64_t> values(n), expected(100);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = i % 3 == 0 ? -1 : static_cast<float>(i % 100);
        values[i] = i % 3 == 0 ? ~std::uint64_t{0} - i : i;
        if (i % 3 != 0) expected[i % 100] += i;
    }
    const device_array<float> in(x), all(std::vector<float>(n, 7.0f));
    const device_array<std::uint64_t> beside(values), large(std::vector<std::uint64_t>(n, ~std::uint64_t{0}));
    const device_array<unsigned> seen(std::vector<unsigned>{0});
    device_array<std::uint64_t> totals(100);
    cuda::executor ex;
    const bin_range<float> range{0, 100, 100};
    bin_totals(ex, all.view(), large.view(), totals.span(), range, multiplies{});
    bin_totals(ex, in.view(), beside.view(), totals.span(), range, watchful_sum{seen.data()}, {.initial = 0});
    EXPECT_EQ(totals.read(), expected);
    EXPECT_EQ(seen.read(), std::vector<unsigned>{0});
}

// Scans before and behind leave no trace in totals' scratch, nor totals in theirs; graphs have their own.
TEST(cuda_bin_totals, between_scans_and_in_graphs) {
    const std::size_t n = repetitions(2'000'003, 300'007);
    const totals_problem few(n, {0, 1, 100}, 1), many(n, {0, 1, 70'000}, 2);
    cpu::executor host;
    std::vector<float> sums(n);
    inclusive_scan(host, few.x, sums);
    device_array<float> few_totals(100), many_totals(70'000), scanned(n);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const auto work = [&] {
            inclusive_scan(ex, few.in.view(), scanned.span());
            bin_totals(ex, many.in.view(), many.values.view(), many_totals.span(), many.range);
            bin_totals(ex, few.in.view(), few.values.view(), few_totals.span(), few.range);
            inclusive_scan(ex, few.in.view(), scanned.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            for (device_array<float>* const a : {&few_totals, &many_totals, &scanned}) a->poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(scanned.read(), sums);
            EXPECT_TRUE(same_bytes<float>(few_totals.read(), few.totals));
            EXPECT_TRUE(same_bytes<float>(many_totals.read(), many.totals));
        }
    }
}

TEST(cuda_bin_totals, through_the_callers_workspace) {
    const std::size_t n = repetitions(500'003, 70'007);
    for (const std::uint32_t count : {100u, 2'000u, 70'000u}) {
        SCOPED_TRACE(std::to_string(count) + " bins");
        const totals_problem given(n, {0, 1, count}, count);
        device_array<float> totals(count), out(given.moved.size());
        device_array<std::uint64_t> offsets(std::size_t(count) + 1);
        const auto check_with = [&](std::size_t bytes, const auto& call, const auto& result) {
            const device_array<std::byte> scratch(bytes);
            cuda::executor ex(nullptr, scratch.span());
            for (int k = 0; k < 2; ++k) {
                call(ex);
                result();
            }
            cuda::executor small(nullptr, scratch.span().subspan(0, bytes - 1));
            expect_refused(
                "workspace: expected at least", [&] { call(small); }, errc::out_of_memory);
        };
        const cuda::executor any;
        const std::size_t bytes = cuda::bin_totals_workspace_bytes<float, float>(any, n, count);
        EXPECT_LE((cuda::bin_totals_workspace_bytes<float, float>(any, n / 2, count)), bytes);
        check_with(
            bytes,
            [&](cuda::executor& ex) {
                totals.poison();
                bin_totals(ex, given.in.view(), given.values.view(), totals.span(), given.range);
            },
            [&] { EXPECT_TRUE(same_bytes<float>(totals.read(), given.totals)); });
        check_with(
            cuda::bin_values_workspace_bytes<float, float>(any, n, count),
            [&](cuda::executor& ex) {
                out.poison();
                bin_values(ex, given.in.view(), given.values.view(), out.span(), offsets.span(), given.range);
            },
            [&] { EXPECT_EQ(out.read(), given.moved); });
    }
}

TEST(cuda_bin_totals, a_function_that_changes_its_mind) {
    expect_written_inside({2, 300, 70'000}, [](auto& ex, auto in, auto out, auto offsets, const auto& f) {
        bin_values_by(ex, in, in, out, offsets, f);
    });
}

struct earlier_of_two {
    __host__ __device__ float operator()(float a, float) const { return a; }
};
class cuda_bin_totals_errors : public bins_refusals {
  protected:
    device_array<float> v{std::vector<float>(100, 2.0f)};
    cuda::device_span<float> totals = out.span().subspan(0, 4);
};

TEST_F(cuda_bin_totals_errors, arguments) {
    refused("range: expected lo < hi, but lo is 1 and hi is 0", [&] {
        bin_totals(ex, x.view(), v.view(), totals, {1, 0, 4});
    });
    refused("edges: expected at least two", [&] {
        bin_totals(ex, x.view(), v.view(), totals, cuda::device_edges<float>{x.view().subspan(0, 1)});
    });
    refused("values: expected 100 elements, as many as in, but it has 99",
            [&] { bin_totals(ex, x.view(), v.view().subspan(0, 99), totals, range); });
    refused("values: expected 100 elements, as many as in, but it has 99",
            [&] { bin_values(ex, x.view(), v.view().subspan(0, 99), out.span(), offsets, range); });
    refused("totals: expected 3 elements for these bins, but it has 4", [&] {
        bin_totals(ex, x.view(), v.view(), totals, {0, 1, 3});
    });
    refused("offsets: expected at least 2",
            [&] { bin_values_by(ex, x.view(), v.view(), out.span(), offsets.subspan(0, 1), first_byte{}); });
    const earlier_of_two first;
    refused("options.initial: bins may be empty, and need an initial value",
            [&] { bin_totals(ex, x.view(), v.view(), totals, range, first); });
    refused("options.initial: bins may be empty, and need an initial value",
            [&] { bin_totals_by(ex, x.view(), v.view(), totals, first_byte{}, first); });
}

TEST_F(cuda_bin_totals_errors, overlaps) {
    const cuda::device_span<float> written(reinterpret_cast<float*>(numbers.data()), 4);
    const cuda::device_span<const float> inside(reinterpret_cast<const float*>(numbers.data()), 10),
        ten = x.view().subspan(0, 10);
    refused("totals: overlaps values", [&] { bin_totals(ex, x.view(), out.view(), totals, range); });
    refused("totals: overlaps in", [&] { bin_totals(ex, out.view(), v.view(), totals, range); });
    refused("totals: overlaps edges", [&] {
        bin_totals(ex, x.view(), v.view(), totals, cuda::device_edges<float>{out.view().subspan(3, 5)});
    });
    refused("totals: overlaps options.length",
            [&] { bin_totals(ex, x.view(), v.view(), written, range, plus{}, {.length = numbers.data()}); });
    refused("out: overlaps values",
            [&] { bin_values(ex, x.view(), out.view(), out.span(), offsets, range); });
    refused("offsets: overlaps values", [&] { bin_values(ex, ten, inside, out.span(), offsets, range); });
    refused("offsets: overlaps in", [&] { bin_values(ex, inside, ten, out.span(), offsets, range); });
}

TEST_F(cuda_bin_totals_errors, pointers) {
    std::vector<float> host(100, 0.5f);
    const cuda::device_span<float> wrong(host.data(), 100);
    refused("in: expected device memory", [&] { bin_totals(ex, wrong, v.view(), totals, range); });
    refused("values: expected device memory", [&] { bin_totals(ex, x.view(), wrong, totals, range); });
    refused("values: expected device memory",
            [&] { bin_values(ex, x.view(), wrong, out.span(), offsets, range); });
    refused("totals: expected device memory",
            [&] { bin_totals(ex, x.view(), v.view(), wrong.subspan(0, 4), range); });
    const cuda::device_span<float> shifted(reinterpret_cast<float*>(reinterpret_cast<char*>(v.data()) + 1),
                                           100);
    refused("values: the pointer is not aligned", [&] { bin_totals(ex, x.view(), shifted, totals, range); });
}

}  // namespace
}  // namespace upsweep::test
