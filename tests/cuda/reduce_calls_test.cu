// Calls of reductions of segments and of runs on the GPU: long arrays, graphs, scratch, what is refused.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/segmented_reduce.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::test {
namespace {

// Elements and keys that change now and then, with what the CPU makes of them.
struct runs_problem {
    explicit runs_problem(std::size_t n) : in(random_array<float>(n, 9)), keys(n), x(in.read()) {
        std::vector<std::uint32_t> changing(n);
        for (std::size_t i = 1; i < n; ++i)
            changing[i] = changing[i - 1] + (i % 1000 == 7 || i % 77'777 < 3 || (i > n / 2 && i % 3 == 0));
        keys.assign(changing);
        cpu::executor host;
        sums.resize(n);
        of.resize(n);
        lengths.resize(n);
        scanned.resize(n);
        count = reduce_by_key(host, changing, x, of, sums);
        run_length_encode(host, changing, of, lengths);
        std::vector<std::uint64_t> begins(count + 1);
        for (std::size_t k = 0; k < count; ++k) begins[k + 1] = begins[k] + std::uint64_t(lengths[k]);
        offsets = device_array(begins);
        inclusive_scan(host, x, scanned);
        sums.resize(count);
        of.resize(count);
        lengths.resize(count);
    }
    device_array<float> in;
    device_array<std::uint32_t> keys;
    device_array<std::uint64_t> offsets;  // of the runs
    std::vector<float> x, sums, scanned;
    std::vector<std::uint32_t> of;
    std::vector<std::int32_t> lengths;
    std::size_t count = 0;
};

// Totals by offsets of elements `shift` behind an aligned place, with the CPU's bits.
template <class T, class Integer>
void expect_totals_by_offsets(std::size_t n, std::size_t shift, const std::vector<Integer>& offsets) {
    SCOPED_TRACE(n);
    SCOPED_TRACE(sizeof(T));
    const device_array<T> in = random_array<T>(n + shift, 3);
    const device_array<Integer> there(offsets);
    const std::vector<T> x = in.read();
    std::vector<T> expected(offsets.size() - 1);
    const T initial = T(3);
    cpu::executor host;
    segmented_reduce(host, by_offsets(offsets), std::span(x).subspan(shift), expected, plus{},
                     {.initial = initial});
    device_array<T> out(expected.size());
    cuda::executor ex;
    out.poison();
    segmented_reduce(ex, cuda::by_offsets(there.view()), in.view().subspan(shift, n), out.span(), plus{},
                     {.initial = initial});
    const std::vector<T> got = out.read();
    EXPECT_TRUE(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0);
}

// A key of so many bytes that differs from its neighbours' by its first four.
template <int Bytes>
struct wide_key {
    std::uint32_t number;
    std::uint32_t rest[Bytes / 4 - 1];
    UPSWEEP_HOST_DEVICE bool operator==(const wide_key& other) const { return number == other.number; }
    static wide_key of(std::size_t k) { return {static_cast<std::uint32_t>(k), {7}}; }
};
template <class Key>
Key key_of(std::size_t k) {
    if constexpr (std::is_integral_v<Key>)
        return static_cast<Key>(k);
    else
        return Key::of(k);
}

// The totals of the same segments, but empty ones, by head flags and by keys, with the first of these. There
// is room for all of them, or for some.
template <class T, class Key, class Integer>
void expect_totals_by_heads(std::size_t n, std::size_t shift, const std::vector<Integer>& offsets) {
    SCOPED_TRACE(n);
    SCOPED_TRACE(sizeof(T));
    const device_array<T> in = random_array<T>(n + shift, 3);
    std::vector<std::uint8_t> flags(n + shift);
    std::vector<Key> keys(n + shift), firsts;
    for (const Integer begin : offsets)
        if (std::size_t(begin) < n) flags[std::size_t(begin) + shift] = 1;
    for (std::size_t i = shift; i < n + shift; ++i) {
        if (i == shift || flags[i] != 0) firsts.push_back(key_of<Key>(firsts.size()));
        keys[i] = firsts.back();
    }
    const std::vector<T> x = in.read();
    std::vector<T> expected(firsts.size());
    cpu::executor host;
    segmented_reduce(host, by_head_flags(std::span(flags).subspan(shift)), std::span(x).subspan(shift),
                     expected);
    const device_array<std::uint8_t> of_flags(flags);
    const device_array<Key> of_keys(keys);
    device_array<T> out(expected.size());
    device_array<Key> keys_out(expected.size());
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    for (const std::size_t room : {expected.size(), expected.size() / 2}) {
        const std::size_t for_keys = expected.size() - room / 3;  // of its own
        const auto expect = [&](const auto& array, const auto& wanted, std::size_t most) {
            const auto got = array.read();
            constexpr std::size_t size = sizeof(wanted[0]);
            const auto* const bytes = reinterpret_cast<const char*>(got.data());
            EXPECT_EQ(count.read()[0], wanted.size());
            EXPECT_EQ(std::memcmp(bytes, wanted.data(), most * size), 0);
            EXPECT_TRUE(std::all_of(bytes + most * size, bytes + got.size() * size, [](char byte) {
                return byte == 0;
            })) << "wrote behind the room";
        };
        const auto clear = [&] {
            expect_success(cudaMemset(out.data(), 0, expected.size() * sizeof(T)), "clearing");
            expect_success(cudaMemset(keys_out.data(), 0, expected.size() * sizeof(Key)), "clearing");
            count.poison();
        };
        const auto values = in.view().subspan(shift, n);
        const auto own_keys = of_keys.view().subspan(shift, n);
        const auto to = out.span().subspan(0, room);
        clear();
        segmented_reduce(ex, cuda::by_head_flags(of_flags.view().subspan(shift, n)), values, to,
                         count.data());
        expect(out, expected, room);
        clear();
        reduce_by_key(ex, own_keys, values, keys_out.span().subspan(0, for_keys), to, count.data());
        expect(out, expected, room);
        expect(keys_out, firsts, for_keys);
        clear();
        segmented_reduce(ex, cuda::by_keys(own_keys), values, to, count.data());
        expect(out, expected, room);
    }
}

// Scans before and behind leave no trace in each other's scratch; graphs have scratch of their own.
TEST(cuda_runs, between_scans_and_in_graphs) {
    const runs_problem given(repetitions(3'000'003, 300'007));
    const std::size_t n = given.x.size(), m = given.count;
    device_array<float> sums(m), scanned(n), totals(m);
    device_array<std::uint32_t> of(m), unique_of(m), encoded(m);
    device_array<std::int32_t> lengths(m);
    device_array<std::uint64_t> counts(3);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const auto work = [&] {
            inclusive_scan(ex, given.in.view(), scanned.span());
            segmented_reduce(ex, cuda::by_offsets(given.offsets.view()), given.in.view(), totals.span());
            reduce_by_key(ex, given.keys.view(), given.in.view(), of.span(), sums.span(),
                          counts.span().data());
            unique(ex, given.keys.view(), unique_of.span(), counts.span().data() + 1);
            run_length_encode(ex, given.keys.view(), encoded.span(), lengths.span(),
                              counts.span().data() + 2);
            inclusive_scan(ex, given.in.view(), scanned.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            sums.poison();
            totals.poison();
            scanned.poison();
            for (device_array<std::uint32_t>* const out : {&of, &unique_of, &encoded}) out->poison();
            lengths.poison();
            counts.poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(sums.read(), given.sums);
            EXPECT_EQ(totals.read(), given.sums);
            EXPECT_EQ(of.read(), given.of);
            EXPECT_EQ(unique_of.read(), given.of);
            EXPECT_EQ(encoded.read(), given.of);
            EXPECT_EQ(lengths.read(), given.lengths);
            EXPECT_EQ(counts.read(), (std::vector<std::uint64_t>(3, m)));
            EXPECT_EQ(scanned.read(), given.scanned);
        }
        EXPECT_EQ(ex.latest(), choice);
    }
}

TEST(cuda_runs, through_the_callers_workspace) {
    const runs_problem given(repetitions(300'007, 70'007));
    const std::size_t n = given.x.size(), bytes = cuda::segmented_reduce_workspace_bytes<float>(n);
    EXPECT_LE(cuda::segmented_reduce_workspace_bytes<float>(n / 2), bytes);
    device_array<float> sums(given.count);
    device_array<std::uint32_t> of(given.count);
    device_array<std::uint64_t> count(1);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span(), choice);
        const auto call = [&](cuda::executor& executor) {
            reduce_by_key(executor, given.keys.view(), given.in.view(), of.span(), sums.span(),
                          count.span().data());
        };
        for (int k = 0; k < 2; ++k) {
            sums.poison();
            call(ex);
            EXPECT_EQ(sums.read(), given.sums);
            sums.poison();
            segmented_reduce(ex, cuda::by_offsets(given.offsets.view()), given.in.view(), sums.span());
            EXPECT_EQ(sums.read(), given.sums);
        }
        const std::size_t needed = cuda::run_length_encode_workspace_bytes<std::uint32_t, std::int32_t>(n);
        const std::size_t kept = cuda::compact_workspace_bytes<std::uint32_t, std::uint32_t>(n);
        const device_array<std::byte> other(std::max(needed, kept));
        cuda::executor encoder(nullptr, other.span(), choice);
        device_array<std::int32_t> lengths(given.count);
        run_length_encode(encoder, given.keys.view(), of.span(), lengths.span(), count.span().data());
        EXPECT_EQ(lengths.read(), given.lengths);
        of.poison();
        unique(encoder, given.keys.view(), of.span(), count.span().data());
        EXPECT_EQ(of.read(), given.of);
        cuda::executor small(nullptr, scratch.span().subspan(0, 64), choice);
        expect_refused(
            "workspace: expected at least", [&] { call(small); }, errc::out_of_memory);
    }
}

// Many empty segments, one behind another and at both ends, among short and long ones.
TEST(cuda_runs, offsets_with_many_empty_segments) {
    const std::size_t n = repetitions(400'003, 40'003);
    std::vector<std::int32_t> offsets(1000, 0);
    for (std::size_t i = 1; i < n; i += 1 + i % 7 + (i % 1000 == 1 ? 5000 : 0))
        offsets.insert(offsets.end(), 1 + (i % 11 == 0 ? 700 : i % 5), static_cast<std::int32_t>(i));
    offsets.insert(offsets.end(), 2000, static_cast<std::int32_t>(n));
    expect_totals_by_offsets<float>(n, 0, offsets);
}

// Segments over many supers, from within tiles and at their ends; and so many tiles that blocks have several.
TEST(cuda_runs, long_segments) {
    const auto n = static_cast<std::int64_t>(repetitions(9'000'011, 600'011));
    for (const std::int64_t far : {n / 16, n / 3, n - 2}) {
        std::vector<std::int64_t> offsets{0, 0, 5, 4096, 4100, 8191, 8192, 8192, 131072};
        for (const std::int64_t at : {far / 2, far, far + 1, n - 1, n, n}) offsets.push_back(at);
        std::sort(offsets.begin(), offsets.end());
        expect_totals_by_offsets<float>(std::size_t(n), 0, offsets);
        expect_totals_by_heads<float, std::uint32_t>(std::size_t(n), 0, offsets);
    }
    const std::vector<std::int64_t> halves{0, n / 2 + 1, n};
    expect_totals_by_offsets<double>(std::size_t(n), 0, halves);
    expect_totals_by_offsets<double>(std::size_t(n), 1, halves);
    expect_totals_by_offsets<std::uint8_t>(std::size_t(n), 3, halves);
    expect_totals_by_heads<double, std::uint8_t>(std::size_t(n), 1, halves);
    expect_totals_by_heads<double, std::uint8_t>(std::size_t(n) / 4096 * 4096, 0, halves);
}

// Of stretches in which very many segments end, some, and none, of elements of each size, wherever they lie.
TEST(cuda_runs, segments_of_elements_of_each_size) {
    const std::size_t n = repetitions(300'007, 50'007);
    std::vector<std::int32_t> offsets{0};
    while (offsets.back() < std::int32_t(n)) {
        const std::int32_t at = offsets.back(), stretch = at / 20'000 % 3;
        offsets.push_back(std::min(std::int32_t(n), at + (stretch == 0   ? 1 + at % 3
                                                          : stretch == 1 ? 30 + at % 11
                                                                         : 7001)));
    }
    for (const std::size_t shift : {0, 1}) {
        expect_totals_by_offsets<std::int8_t>(n, shift, offsets);
        expect_totals_by_offsets<std::int16_t>(n, shift, offsets);
        expect_totals_by_offsets<float>(n, shift, offsets);
        expect_totals_by_offsets<double>(n, shift, offsets);
        expect_totals_by_offsets<std::complex<double>>(n, shift, offsets);
        expect_totals_by_heads<std::int8_t, std::int64_t>(n, shift, offsets);
        expect_totals_by_heads<std::int16_t, wide_key<24>>(n, shift, offsets);
        expect_totals_by_heads<float, std::uint32_t>(n, shift, offsets);
        expect_totals_by_heads<double, wide_key<8>>(n, shift, offsets);
        expect_totals_by_heads<std::complex<double>, std::int16_t>(n, shift, offsets);
    }
}

// Offsets that are not what they should be: nothing is written but in the segments' places.
TEST(cuda_runs, offsets_that_do_not_ascend) {
    const std::size_t n = 50'000;
    const device_array<float> in = random_array<float>(n, 3);
    std::vector<std::int64_t> falling(20'001), wild(20'001);
    for (std::size_t k = 0; k < falling.size(); ++k) {
        falling[k] = std::int64_t(falling.size() - k) * 3;
        wild[k] = std::int64_t((k * 2654435761u) % 200'000) - 50'000;
    }
    for (const std::vector<std::int64_t>& offsets : {falling, wild}) {
        const device_array<std::int64_t> there(offsets);
        device_array<float> out(offsets.size() + 9);
        out.poison();
        const std::vector<float> before = out.read();
        cuda::executor ex;
        segmented_reduce(ex, cuda::by_offsets(there.view()), in.view(),
                         out.span().subspan(0, offsets.size() - 1));
        ex.wait();
        const std::vector<float> after = out.read();
        EXPECT_EQ(std::memcmp(after.data() + offsets.size() - 1, before.data() + offsets.size() - 1,
                              10 * sizeof(float)),
                  0);
    }
}

// Stretches with a segment in every row of the tree and others with few, longer than all blocks of a launch
// take at once.
TEST(cuda_runs, stretches_of_short_and_of_long_runs) {
    const std::size_t n = repetitions(14'000'011, 60'011);
    std::vector<std::int32_t> offsets, keys(n);
    for (std::size_t i = 0; i < n; i += i / (n / 5) % 2 == 0 || i > n / 2 ? 1 + i % 5 : 3001) {
        offsets.push_back(static_cast<std::int32_t>(i));
        keys[i] = 1;
    }
    for (std::size_t i = 1; i < n; ++i) keys[i] += keys[i - 1];
    offsets.push_back(static_cast<std::int32_t>(n));
    const device_array<float> in = random_array<float>(n, 3);
    const device_array<std::int32_t> there(offsets), beside(keys);
    std::vector<float> expected(offsets.size() - 1);
    cpu::executor host;
    segmented_reduce(host, by_offsets(offsets), in.read(), expected);
    device_array<float> out(expected.size());
    device_array<std::int32_t> of(expected.size());
    device_array<std::uint64_t> count(1);
    cuda::executor any;
    out.poison();
    segmented_reduce(any, cuda::by_offsets(there.view()), in.view(), out.span());
    EXPECT_EQ(out.read(), expected);
    out.poison();
    reduce_by_key(any, beside.view(), in.view(), of.span(), out.span(), count.data());
    EXPECT_EQ(count.read()[0], expected.size());
    EXPECT_EQ(out.read(), expected);
}

struct left_of_two {  // associative, without an identity
    UPSWEEP_HOST_DEVICE float operator()(float a, float) const { return a; }
};
TEST(cuda_runs, refuses) {
    cuda::executor ex;
    const device_array<float> in(std::vector<float>(6, 1.0f));
    const device_array<std::int32_t> keys(std::vector<std::int32_t>(6, 1)), few(std::vector<std::int32_t>(5));
    device_array<float> out(6);
    device_array<std::int32_t> of(6);
    device_array<std::int8_t> narrow(6);
    device_array<std::uint64_t> count(2);
    std::uint64_t* const c = count.span().data();
    expect_refused("keys: ", [&] { reduce_by_key(ex, few.view(), in.view(), of.span(), out.span(), c); });
    expect_refused("keys: ", [&] { unique_by_key(ex, few.view(), in.view(), of.span(), out.span(), c); });
    expect_refused("segments: ",
                   [&] { segmented_reduce(ex, cuda::by_keys(few.view()), in.view(), out.span(), c); });
    expect_refused("out: ", [&] {  // as many as segments
        segmented_reduce(ex, cuda::by_offsets(keys.view()), in.view(), out.span());
    });
    expect_refused("options.initial: ", [&] {
        segmented_reduce(ex, cuda::by_offsets(keys.view()), in.view(), out.span().subspan(0, 5),
                         left_of_two{});
    });
    expect_refused("out: ", [&] { unique(ex, of.view(), of.span(), c); });
    expect_refused("lengths: ", [&] { run_length_encode(ex, keys.view(), of.span(), of.span(), c); });
    expect_refused("count: ", [&] { unique(ex, keys.view(), of.span(), nullptr); });
    expect_refused("count: ", [&] {  // which is one of in's elements
        unique(ex, count.view(), cuda::device_span<std::uint64_t>(), c);
    });
    const device_array<std::uint8_t> many(std::vector<std::uint8_t>(200));
    device_array<std::uint8_t> bytes(200);
    expect_refused("lengths: ", [&] { run_length_encode(ex, many.view(), bytes.span(), narrow.span(), c); });
}

TEST(cuda_runs, no_elements) {
    cuda::executor ex;
    const cuda::device_span<const float> none;
    const device_array<std::int32_t> zeros(std::vector<std::int32_t>(3));
    device_array<float> out(2);
    device_array<std::uint64_t> count(1);
    std::uint64_t* const c = count.span().data();
    count.poison();
    unique(ex, none, out.span(), c);
    EXPECT_EQ(count.read(), (std::vector<std::uint64_t>{0}));
    count.poison();
    reduce_by_key(ex, none, none, out.span(), cuda::device_span<float>(), c);
    EXPECT_EQ(count.read(), (std::vector<std::uint64_t>{0}));
    segmented_reduce(ex, cuda::by_offsets(zeros.view()), none, out.span(), plus{}, {.initial = 3.0f});
    EXPECT_EQ(out.read(), (std::vector<float>{3, 3}));
}

}  // namespace
}  // namespace upsweep::test
