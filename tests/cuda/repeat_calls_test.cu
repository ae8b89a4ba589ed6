// Calls of repetitions on the GPU: long arrays, graphs, scratch, counts that are not what they should be, and
// what is refused.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/cuda/repeat.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/repeat.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

constexpr std::size_t in_one_kernel = 8192;  // elements, by counts

// Elements and counts that are now of one kind, now of another, with what the CPU makes of them.
struct repeat_problem {
    explicit repeat_problem(std::size_t n) : in(random_array<float>(n, 9)), counts(n), x(in.read()) {
        std::vector<std::int32_t> given(n);
        std::vector<std::int64_t> ends(1);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t kind = i * 5 / n;
            given[i] = kind == 0   ? 1
                       : kind == 1 ? std::int32_t(i % 3)
                       : kind == 2 ? (i % 997 == 3 ? 40 : 0)
                       : kind == 3 ? (i % 30'011 == 5 ? 200'003 : std::int32_t(i % 2))
                                   : std::int32_t(i * 7 % 11);
            ends.push_back(ends.back() + given[i]);
        }
        counts.assign(given);
        offsets = device_array<std::int64_t>(ends);
        cpu::executor host;
        results.resize(static_cast<std::size_t>(ends.back()));
        owners.resize(results.size());
        repeat(host, x, given, results);
        repeat_indices(host, given, owners);
    }
    [[nodiscard]] std::size_t all() const { return results.size(); }

    device_array<float> in;
    device_array<std::int32_t> counts;
    device_array<std::int64_t> offsets;
    std::vector<float> x, results;
    std::vector<std::uint32_t> owners;
};

// Scans before and behind leave no trace in each other's scratch; graphs have scratch of their own.
TEST(cuda_repeat, between_scans_and_in_graphs) {
    for (const std::size_t n : {repetitions(1'000'003, 100'003), in_one_kernel}) {
        const repeat_problem given(n);
        const std::size_t all = given.all();
        std::vector<float> sums(n);
        cpu::executor host;
        inclusive_scan(host, given.x, sums);
        device_array<float> scanned(n), by_counts(all + 5), by_offsets(all);
        device_array<std::uint32_t> owners(all);
        device_array<std::uint64_t> counts(3);
        const test_stream stream;
        cuda::executor ex(stream, cuda::algorithm::look_back);
        const auto work = [&] {
            inclusive_scan(ex, given.in.view(), scanned.span());
            repeat(ex, given.in.view(), given.counts.view(), by_counts.span(), counts.data());
            repeat(ex, given.in.view(), cuda::by_offsets(given.offsets.view()), by_offsets.span(),
                   counts.data() + 1);
            repeat_indices(ex, given.counts.view(), owners.span(), counts.data() + 2);
            inclusive_scan(ex, given.in.view(), scanned.span());
        };
        const captured_graph captured(stream, work);
        EXPECT_EQ(captured.kernels(), n <= in_one_kernel ? 5u : 7u);
        for (int k = 0; k < 4; ++k) {
            for (device_array<float>* const out : {&scanned, &by_counts, &by_offsets}) out->poison();
            owners.poison();
            counts.poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(by_counts.read(0, all), given.results);
            EXPECT_EQ(by_offsets.read(), given.results);
            EXPECT_EQ(owners.read(), given.owners);
            EXPECT_EQ(counts.read(), (std::vector<std::uint64_t>(3, all)));
            EXPECT_EQ(scanned.read(), sums);
        }
    }
}

TEST(cuda_repeat, calls_of_other_lengths_on_one_executor) {
    const repeat_problem given(repetitions(300'007, 70'007));
    device_array<float> out(given.all());
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    for (const std::size_t n : {given.x.size(), std::size_t{9'000}, std::size_t{1}, std::size_t{257},
                                std::size_t{8'193}, given.x.size()}) {
        std::vector<std::int32_t> counts = given.counts.read(0, n);
        std::uint64_t all = 0;
        for (const std::int32_t c : counts) all += static_cast<std::uint64_t>(c);
        out.poison();
        repeat(ex, given.in.view().subspan(0, n), given.counts.view().subspan(0, n), out.span(),
               count.data());
        EXPECT_EQ(count.read()[0], all);
        EXPECT_EQ(out.read(0, all),
                  std::vector<float>(given.results.begin(), given.results.begin() + std::ptrdiff_t(all)));
    }
}

TEST(cuda_repeat, through_the_callers_workspace) {
    const repeat_problem given(repetitions(300'007, 70'007));
    const std::size_t n = given.x.size(), bytes = cuda::repeat_workspace_bytes(n);
    EXPECT_LE(cuda::repeat_workspace_bytes(n / 2), bytes);
    EXPECT_EQ(cuda::repeat_workspace_bytes(in_one_kernel), 0u);
    const std::size_t for_scans = cuda::scan_workspace_bytes<float>(n);
    const device_array<std::byte> scratch(std::max(bytes, for_scans));
    cuda::executor ex(nullptr, scratch.span());
    device_array<float> out(given.all()), scanned(n);
    device_array<std::uint64_t> count(1);
    std::vector<float> sums(n);
    cpu::executor host;
    inclusive_scan(host, given.x, sums);
    for (int k = 0; k < 3; ++k) {
        out.poison();
        repeat(ex, given.in.view(), given.counts.view(), out.span(), count.data());
        inclusive_scan(ex, given.in.view(), scanned.span());
        EXPECT_EQ(out.read(), given.results);
        EXPECT_EQ(scanned.read(), sums);
    }
    cuda::executor small(nullptr, scratch.span().subspan(0, bytes - 1));
    expect_refused(
        "workspace: expected at least",
        [&] { repeat(small, given.in.view(), given.counts.view(), out.span(), count.data()); },
        errc::out_of_memory);
}

// What run_length_encode takes apart.
TEST(cuda_repeat, runs_come_back) {
    const std::size_t n = repetitions(1'000'003, 50'003);
    std::vector<std::uint16_t> x(n);
    for (std::size_t i = 1; i < n; ++i)
        x[i] = static_cast<std::uint16_t>(x[i - 1] + (i % 7 == 2 || i % 1000 < 3));
    const device_array<std::uint16_t> in(x);
    device_array<std::uint16_t> first(n), back(n);
    device_array<std::int32_t> lengths(n);
    device_array<std::uint64_t> runs(1), count(1);
    cuda::executor ex;
    run_length_encode(ex, in.view(), first.span(), lengths.span(), runs.data());
    const std::size_t m = runs.read()[0];
    repeat(ex, first.view().subspan(0, m), lengths.view().subspan(0, m), back.span(), count.data());
    EXPECT_EQ(count.read()[0], n);
    EXPECT_EQ(back.read(), x);
}

TEST(cuda_repeat, negative_counts_are_0) {
    for (const std::size_t n : {std::size_t{100}, std::size_t{20'001}}) {
        std::vector<std::int64_t> counts(n);
        std::vector<std::int16_t> narrow(n);
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < n; ++i) {
            counts[i] = i % 3 == 1 ? std::numeric_limits<std::int64_t>::min() / std::int64_t(1 + i % 4)
                                   : std::int64_t(i % 4);
            narrow[i] = std::int16_t(i % 3 == 1 ? -int(i % 30'000) - 1 : int(i % 4));
            if (i % 3 != 1) expected.insert(expected.end(), i % 4, std::uint32_t(i));
        }
        const device_array<std::int64_t> given(counts);
        const device_array<std::int16_t> given_narrow(narrow);
        device_array<std::uint32_t> out(expected.size());
        device_array<std::uint64_t> count(1);
        cuda::executor ex;
        repeat_indices(ex, given.view(), out.span(), count.data());
        EXPECT_EQ(count.read()[0], expected.size());
        EXPECT_EQ(out.read(), expected);
        out.poison();
        repeat_indices(ex, given_narrow.view(), out.span(), count.data());
        EXPECT_EQ(count.read()[0], expected.size());
        EXPECT_EQ(out.read(), expected);
    }
}

// Whatever counts and offsets hold, nothing around out is written.
template <class T, class Integer>
void check_garbage(std::uint64_t seed) {
    const std::size_t n = 20'001, room = 30'000, around = 1000;
    std::vector<Integer> values = random_array<Integer>(n + 1, seed).read();
    for (std::size_t i = 0; i <= n; ++i)
        if (i % 3 != 0) values[i] = static_cast<Integer>(values[i] % 40'000);
    const device_array<Integer> given(values);
    const device_array<T> in = random_array<T>(n, 2);
    device_array<T> out(room + 2 * around);
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    const auto check = [&](const auto& call) {
        out.poison();
        const std::vector<T> before = out.read(0, around);
        call(out.span().subspan(around, room));
        EXPECT_EQ(out.read(0, around), before);
        EXPECT_EQ(out.read(around + room, around), before);
    };
    check([&](cuda::device_span<T> to) {
        repeat(ex, in.view(), cuda::by_offsets(given.view()), to, count.data());
    });
    check([&](cuda::device_span<T> to) {
        repeat(ex, in.view(), given.view().subspan(0, n), to, count.data());
    });
}
TEST(cuda_repeat, garbage_writes_nothing_outside) {
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        check_garbage<std::uint32_t, std::int32_t>(seed);
        check_garbage<std::uint8_t, std::uint64_t>(seed);
        check_garbage<std::uint64_t, std::int64_t>(seed);
    }
}

// One element's results do not fit 32 bits; the first ones are asked for.
TEST(cuda_repeat, sums_that_pass_32_bits) {
    constexpr std::uint64_t many = (std::uint64_t{1} << 33) + 1;
    for (const std::size_t n : {std::size_t{3}, std::size_t{30'003}}) {
        std::vector<std::uint64_t> counts(n, 2), offsets(1);
        counts[n / 2] = many;
        for (const std::uint64_t c : counts) offsets.push_back(offsets.back() + c);
        const std::size_t before = n / 2 * 2, room = before + 50'000;
        std::vector<std::uint32_t> expected(room, std::uint32_t(n / 2));
        for (std::size_t j = 0; j < before; ++j) expected[j] = std::uint32_t(j / 2);
        const device_array<std::uint64_t> given(counts), ends(offsets);
        device_array<std::uint32_t> out(room);
        device_array<std::uint64_t> count(1);
        cuda::executor ex;
        repeat_indices(ex, given.view(), out.span(), count.data());
        EXPECT_EQ(count.read()[0], many + 2 * (n - 1));
        EXPECT_EQ(out.read(), expected);
        out.poison();
        repeat_indices(ex, cuda::by_offsets(ends.view()), out.span(), count.data());
        EXPECT_EQ(count.read()[0], many + 2 * (n - 1));
        EXPECT_EQ(out.read(), expected);
        const device_array<std::uint32_t> in(std::vector<std::uint32_t>{5, 6, 7});
        repeat(ex, in.view(), many, out.span(), count.data());
        EXPECT_EQ(count.read()[0], 3 * many);
        EXPECT_EQ(out.read(), std::vector<std::uint32_t>(room, 5));
    }
}

TEST(cuda_repeat, refuses) {
    cuda::executor ex;
    const device_array<int> in(std::vector<int>{1, 2, 3}), few(std::vector<int>{1, 2});
    device_array<int> out(4);
    device_array<std::uint64_t> counts(2);
    std::uint64_t* const c = counts.data();
    expect_refused("counts: expected 3 elements, as many as in, but it has 2",
                   [&] { repeat(ex, in.view(), few.view(), out.span(), c); });
    expect_refused("segments: expected 4 offsets, one more than elements of in, but there are 3",
                   [&] { repeat(ex, in.view(), cuda::by_offsets(in.view()), out.span(), c); });
    expect_refused("segments: expected at least one offset", [&] {
        repeat_indices(ex, cuda::by_offsets(cuda::device_span<const int>()), out.span(), c);
    });
    expect_refused("count: must not be negative, but it is -1",
                   [&] { repeat(ex, in.view(), -1, out.span(), c); });
    expect_refused("counts: their sum must be less than 2^64",
                   [&] { repeat(ex, in.view(), std::numeric_limits<std::uint64_t>::max(), out.span(), c); });
    expect_refused("out: overlaps in", [&] { repeat(ex, out.view(), 1, out.span(), c); });
    expect_refused("out: overlaps counts",
                   [&] { repeat(ex, in.view(), out.view().subspan(0, 3), out.span(), c); });
    expect_refused("out: overlaps segments",
                   [&] { repeat(ex, in.view(), cuda::by_offsets(out.view()), out.span(), c); });
    expect_refused("count: overlaps counts",
                   [&] { repeat_indices(ex, counts.view(), out.span(), counts.data() + 1); });
    expect_refused("count: ", [&] { repeat(ex, in.view(), in.view(), out.span(), nullptr); });
    expect_refused("out: the pointer is not aligned for its elements", [&] {
        char* const odd = reinterpret_cast<char*>(out.data()) + 1;
        repeat(ex, in.view(), 1, cuda::device_span<int>(reinterpret_cast<int*>(odd), 3), c);
    });
    const device_array<std::uint8_t> many(std::vector<std::uint8_t>(129));
    device_array<std::int8_t> narrow(4);
    expect_refused("out: index 128 does not fit its elements, which reach 127",
                   [&] { repeat_indices(ex, many.view(), narrow.span(), c); });
    const std::vector<int> host(3, 1);
    expect_refused("counts: expected device memory", [&] {
        repeat(ex, in.view(), cuda::device_span<const int>(host.data(), 3), out.span(), c);
    });
}

TEST(cuda_repeat, no_elements_and_no_room) {
    cuda::executor ex;
    const cuda::device_span<const float> none;
    const cuda::device_span<const int> no_counts;
    const device_array<int> zero(std::vector<int>(1));
    const device_array<float> in(std::vector<float>{1, 2});
    const device_array<std::uint8_t> counts(std::vector<std::uint8_t>{3, 200});
    const device_array<std::uint32_t> offsets(std::vector<std::uint32_t>{0, 3, 203});
    device_array<float> out(2);
    device_array<std::uint64_t> count(1);
    std::uint64_t* const c = count.data();
    const auto counts_to = [&](std::uint64_t expected, const auto& call) {
        out.poison();
        const std::vector<float> before = out.read();
        count.poison();
        call();
        EXPECT_EQ(count.read()[0], expected);
        EXPECT_EQ(out.read(), before);
    };
    counts_to(0, [&] { repeat(ex, none, no_counts, out.span(), c); });
    counts_to(0, [&] { repeat(ex, none, cuda::by_offsets(zero.view()), out.span(), c); });
    counts_to(0, [&] { repeat(ex, none, 5, out.span(), c); });
    counts_to(0, [&] { repeat(ex, in.view(), 0, out.span(), c); });
    const cuda::device_span<float> nowhere;
    counts_to(203, [&] { repeat(ex, in.view(), counts.view(), nowhere, c); });
    counts_to(203, [&] { repeat(ex, in.view(), cuda::by_offsets(offsets.view()), nowhere, c); });
    counts_to(14, [&] { repeat(ex, in.view(), 7, nowhere, c); });
}

}  // namespace
}  // namespace upsweep::test
