// Calls of sorts on the GPU: one block and many, passes that are left out, values of every size and
// alignment, graphs, scratch, what is refused.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "cuda/sort_refusals.cuh"
#include "cuda/sort_tile.cuh"
#include "support/build.hpp"
#include "support/refused.hpp"
#include "support/sorted.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/sort.cuh"
#include "upsweep/scan.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

template <class T>
void expect_sorted(const std::vector<T>& x, bool descending, const std::vector<T>& found) {
    const std::vector<T> expected = taken(x, sorted_indices(x, descending));
    EXPECT_TRUE(std::memcmp(expected.data(), found.data(), x.size() * sizeof(T)) == 0);
}

// Around what one block sorts, around what a few do, and enough that all blocks take several tiles and groups
// of tiles follow one another.
template <class T>
void check_sizes(const std::vector<std::size_t>& sizes) {
    cuda::executor ex;
    for (const std::size_t n : sizes) {
        for (const std::string_view kind :
             {"any bits", "special", "numbers", "one outlier", "few values", "ascending"}) {
            SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(kind));
            const std::vector<T> x = keys_of<T>(kind, n, n);
            const bool descending = n % 2 != 0;
            device_array<T> in(x), out(n);
            device_array<std::uint32_t> indices(n);
            out.poison();
            sort(ex, in.view(), out.span(), {.descending = descending});
            expect_sorted(x, descending, out.read());
            sort_indices(ex, in.view(), indices.span(), {.descending = descending});
            const std::vector<std::size_t> order = sorted_indices(x, descending);
            EXPECT_EQ(indices.read(), std::vector<std::uint32_t>(order.begin(), order.end()));
            sort(ex, in.span(), in.span(), {.descending = descending});
            expect_sorted(x, descending, in.read());
        }
    }
}
std::vector<std::size_t> sizes_around(std::size_t tile) {
    std::vector<std::size_t> sizes;
    for (const std::size_t tiles : {1, 2, 8, 9, 16, 67})
        for (const std::size_t d : {-1, 0, 1}) sizes.push_back(tiles * tile + d);
    if (!sanitized) sizes.push_back(700 * tile + 13);
    return sizes;
}
template <class Key, class Value = cuda::detail::no_value>
constexpr std::size_t pass_tile = cuda::detail::sort_pass_shape<Key, Value>::tile;

TEST(cuda_sort, sizes_of_one_byte) { check_sizes<std::int8_t>(sizes_around(pass_tile<std::uint8_t>)); }
TEST(cuda_sort, sizes_of_two_bytes) { check_sizes<float16>(sizes_around(pass_tile<std::uint16_t>)); }
TEST(cuda_sort, sizes_of_four_bytes) { check_sizes<float>(sizes_around(pass_tile<std::uint32_t>)); }
TEST(cuda_sort, sizes_of_four_bytes_with_indices) {
    check_sizes<float>(sizes_around(pass_tile<std::uint32_t, std::uint32_t>));
    const std::size_t block = cuda::sort_block_records(4, 4);
    check_sizes<float>({block - 1, block, block + 1});
}
TEST(cuda_sort, sizes_of_eight_bytes) { check_sizes<std::int64_t>(sizes_around(pass_tile<std::uint64_t>)); }
TEST(cuda_sort, sizes_of_doubles) {
    constexpr std::size_t tile = pass_tile<std::uint64_t>;
    check_sizes<double>({tile + 1, 8 * tile + 1, repetitions(700, 14) * tile + 11});
}

// From so many records on that every multiprocessor takes some of the larger tiles.
template <class Key, class Value>
std::vector<std::size_t> sizes_of_large_tiles(const cuda::executor& ex) {
    const std::size_t least = std::size_t{cuda::detail::sort_large_shape<Key, Value>::tile} *
                              cuda::detail::sort_large_tiles<Value> *
                              static_cast<unsigned>(ex.multiprocessors());
    return {least - 1, least, least + 1, least + least / 3 + 5};
}
template <class Value, class Key>
void check_large_tiles(const std::vector<std::string_view>& kinds) {
    cuda::executor ex;
    cpu::executor host;
    for (const std::size_t n : sizes_of_large_tiles<Key, Value>(ex)) {
        std::vector<Value> values(n);
        for (std::size_t i = 0; i < n; ++i) std::memcpy(&values[i], &i, std::min(sizeof(i), sizeof(Value)));
        for (const std::string_view kind : kinds) {
            SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(sizeof(Key)) + " bytes, " +
                         std::string(kind));
            const std::vector<Key> keys = keys_of<Key>(kind, n, n);
            std::vector<Key> sorted(n);
            std::vector<Value> expected(n);
            const bool descending = n % 2 != 0;
            sort_by_key(host, keys, values, sorted, expected, {.descending = descending});
            const device_array<Key> in(keys);
            const device_array<Value> in_values(values);
            device_array<Key> out(n);
            device_array<Value> out_values(n);
            sort_by_key(ex, in.view(), in_values.view(), out.span(), out_values.span(),
                        {.descending = descending});
            EXPECT_EQ(std::memcmp(out.read().data(), sorted.data(), n * sizeof(Key)), 0);
            EXPECT_EQ(std::memcmp(out_values.read().data(), expected.data(), n * sizeof(Value)), 0);
        }
    }
}
template <class Key>
void check_large_tiles_of_keys(std::string_view kind) {
    cuda::executor ex;
    cpu::executor host;
    for (const std::size_t n : sizes_of_large_tiles<Key, cuda::detail::no_value>(ex)) {
        SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(kind));
        const std::vector<Key> keys = keys_of<Key>(kind, n, n);
        std::vector<Key> sorted(n);
        const bool descending = n % 2 != 0;
        sort(host, keys, sorted, {.descending = descending});
        const device_array<Key> in(keys);
        device_array<Key> out(n);
        sort(ex, in.view(), out.span(), {.descending = descending});
        EXPECT_EQ(std::memcmp(out.read().data(), sorted.data(), n * sizeof(Key)), 0);
    }
}
TEST(cuda_sort, large_tiles_of_small_keys) {
    check_large_tiles<std::uint32_t, std::uint8_t>({"few values"});
    check_large_tiles<std::uint32_t, float16>({"special"});
}
TEST(cuda_sort, large_tiles_of_four_bytes) {
    check_large_tiles<std::uint32_t, float>({"any bits", "numbers", "one outlier", "ascending"});
    check_large_tiles<std::uint64_t, std::uint32_t>({"any bits", "few values"});
    check_large_tiles<cuda::detail::value_of_16_bytes, std::int32_t>({"any bits"});
}
TEST(cuda_sort, large_tiles_of_eight_bytes) {
    check_large_tiles<std::uint32_t, double>({"special", "numbers"});
    check_large_tiles<std::uint64_t, std::int64_t>({"any bits", "few values"});
    check_large_tiles<cuda::detail::value_of_16_bytes, double>({"numbers"});
    check_large_tiles_of_keys<double>("special");
    check_large_tiles_of_keys<double>("numbers");
    check_large_tiles_of_keys<std::int64_t>("any bits");
}

// Keys that differ in some of their bytes alone: any number of passes is left out, elsewhere and in place.
TEST(cuda_sort, passes_left_out) {
    const std::size_t n = repetitions(300'007, 30'007);
    cuda::executor ex;
    for (unsigned bytes = 0; bytes < 16; ++bytes) {
        SCOPED_TRACE(std::to_string(bytes));
        std::vector<std::uint32_t> x = keys_of<std::uint32_t>("any bits", n, bytes + 1);
        for (std::uint32_t& key : x)
            for (unsigned k = 0; k < 4; ++k)
                if ((bytes >> k & 1) == 0) key = (key & ~(0xffu << 8 * k)) | 0x5au << 8 * k;
        std::vector<std::uint64_t> values(n);
        std::iota(values.begin(), values.end(), std::uint64_t{7});
        const std::vector<std::size_t> order = sorted_indices(x, false);
        const std::vector<std::uint64_t> sorted_values = taken(values, order);
        device_array<std::uint32_t> keys(x), out(n), indices(n);
        device_array<std::uint64_t> in_values(values), out_values(n);
        out.poison();
        sort(ex, keys.view(), out.span());
        expect_sorted(x, false, out.read());
        sort_indices(ex, keys.view(), indices.span());
        EXPECT_EQ(indices.read(), std::vector<std::uint32_t>(order.begin(), order.end()));
        // Values elsewhere and keys in place, then the other way round, then both in place.
        sort_by_key(ex, keys.span(), in_values.view(), keys.span(), out_values.span());
        expect_sorted(x, false, keys.read());
        EXPECT_EQ(out_values.read(), sorted_values);
        keys.assign(x);
        sort_by_key(ex, keys.view(), in_values.span(), out.span(), in_values.span());
        expect_sorted(x, false, out.read());
        EXPECT_EQ(in_values.read(), sorted_values);
        in_values.assign(values);
        sort_by_key(ex, keys.span(), in_values.span(), keys.span(), in_values.span());
        expect_sorted(x, false, keys.read());
        EXPECT_EQ(in_values.read(), sorted_values);
    }
}

// Values as words, at their alignment and off it, and by their index.
template <std::size_t Bytes>
struct bytes_of {
    unsigned char byte[Bytes];
    bool operator==(const bytes_of&) const = default;
};
template <class Value>
void check_values(std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " values of " + std::to_string(sizeof(Value)) + " bytes");
    const std::vector<std::int16_t> keys = keys_of<std::int16_t>("halves", n, n);
    std::vector<Value> values(n + 1);
    for (std::size_t i = 0; i <= n; ++i)
        for (std::size_t k = 0; k < sizeof(Value); ++k)
            values[i].byte[k] = static_cast<unsigned char>((i * 2654435761u >> (k % 4 * 8)) + k);
    cuda::executor ex;
    for (const std::size_t off : {std::size_t{0}, sizeof(Value) % 2 == 0 ? sizeof(Value) / 2 : 1}) {
        const device_array<std::int16_t> in_keys(keys);
        device_array<std::int16_t> out_keys(n);
        device_array<Value> in(n + 1), out(n + 1);
        auto* const from = reinterpret_cast<unsigned char*>(in.data()) + off;
        auto* const to = reinterpret_cast<unsigned char*>(out.data()) + off;
        expect_success(cudaMemcpy(from, values.data(), n * sizeof(Value), cudaMemcpyHostToDevice), "values");
        const cuda::device_span<Value> source(reinterpret_cast<Value*>(from), n);
        const cuda::device_span<Value> target(reinterpret_cast<Value*>(to), n);
        const std::vector<Value> expected = taken(values, sorted_indices(keys, true));
        const auto expect = [&](const void* where) {
            std::vector<Value> found(n);
            expect_success(cudaMemcpy(found.data(), where, n * sizeof(Value), cudaMemcpyDeviceToHost),
                           "values");
            EXPECT_TRUE(found == expected) << "off " << off;
        };
        sort_by_key(ex, in_keys.view(), source, out_keys.span(), target, {.descending = true});
        expect_sorted(keys, true, out_keys.read());
        expect(to);
        sort_by_key(ex, in_keys.view(), source, out_keys.span(), source, {.descending = true});
        expect(from);
    }
}
TEST(cuda_sort, values) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{1'000}, repetitions(123'457, 23'457)}) {
        check_values<bytes_of<1>>(n);
        check_values<bytes_of<2>>(n);
        check_values<bytes_of<3>>(n);
        check_values<bytes_of<4>>(n);
        check_values<bytes_of<8>>(n);
        check_values<bytes_of<12>>(n);
        check_values<bytes_of<16>>(n);
        check_values<bytes_of<32>>(n);
        check_values<bytes_of<48>>(n);
    }
}

TEST(cuda_sort, no_elements) {
    cuda::executor ex;
    const cuda::device_span<float> none;
    const cuda::device_span<std::uint32_t> no_indices;
    sort(ex, none, none);
    sort_indices(ex, none, no_indices);
    sort_by_key(ex, none, no_indices, none, no_indices);
    const std::vector<float> x(20'000, 2.0f);
    const device_array<float> in(x);
    device_array<float> out(x.size());
    const device_array<std::uint64_t> length(std::vector<std::uint64_t>{0});
    out.poison();
    const std::vector<float> before = out.read();
    for (const std::size_t n : {std::size_t{3}, x.size()})
        sort(ex, in.view().subspan(0, n), out.span().subspan(0, n), {.length = length.data()});
    EXPECT_TRUE(std::memcmp(out.read().data(), before.data(), x.size() * sizeof(float)) == 0);
}

// Scans before and behind leave no trace in a sort's scratch, nor it in theirs; graphs have scratch of their
// own.
TEST(cuda_sort, between_scans_and_in_graphs) {
    const std::size_t n = repetitions(2'000'003, 100'007);
    const std::vector<float> x = keys_of<float>("any bits", n, 3);
    std::vector<std::uint32_t> ones(n, 1), sums(n);
    std::iota(sums.begin(), sums.end(), 1u);
    const device_array<float> in(x);
    const device_array<std::uint32_t> counted(ones);
    device_array<float> out(n);
    device_array<std::uint32_t> indices(n), scanned(n);
    const std::vector<std::size_t> order = sorted_indices(x, false);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const test_stream stream;
        cuda::executor ex(stream, choice);
        const auto work = [&] {
            inclusive_scan(ex, counted.view(), scanned.span());
            sort(ex, in.view(), out.span());
            sort_indices(ex, in.view(), indices.span());
            inclusive_scan(ex, counted.view(), scanned.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            out.poison();
            indices.poison();
            scanned.poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_EQ(scanned.read(), sums);
            expect_sorted(x, false, out.read());
            EXPECT_EQ(indices.read(), std::vector<std::uint32_t>(order.begin(), order.end()));
        }
        EXPECT_EQ(ex.latest(), choice);
    }
}

struct negated {
    __device__ float operator()(const bytes_of<12>& e) const { return -static_cast<float>(e.byte[0]); }
};
TEST(cuda_sort, through_the_callers_workspace) {
    const std::size_t n = repetitions(300'007, 40'007);
    const std::vector<double> x = keys_of<double>("any bits", n, 5);
    const std::vector<std::uint32_t> ones(n, 1);
    std::vector<std::uint32_t> sums(n);
    std::iota(sums.begin(), sums.end(), 1u);
    const device_array<double> in(x);
    const device_array<std::uint32_t> counted(ones);
    device_array<double> out(n);
    device_array<std::uint32_t> indices(n), scanned(n);
    device_array<bytes_of<12>> elements(n), ordered(n);
    elements.poison();
    const cuda::executor device;
    const std::size_t keys = cuda::sort_workspace_bytes<double>(device, n);
    const std::size_t pairs = cuda::sort_workspace_bytes<double, std::uint32_t>(device, n);
    const std::size_t by = cuda::sort_by_workspace_bytes<float, bytes_of<12>>(device, n);
    EXPECT_LE(cuda::sort_workspace_bytes<double>(device, n / 2), keys);
    EXPECT_LE(keys, pairs);
    const device_array<std::byte> scratch(std::max({keys, pairs, by}));
    cuda::executor ex(nullptr, scratch.span());
    for (int k = 0; k < 2; ++k) {
        sort(ex, in.view(), out.span());
        expect_sorted(x, false, out.read());
        // What a sort left there means nothing to a scan.
        inclusive_scan(ex, counted.view(), scanned.span());
        EXPECT_EQ(scanned.read(), sums);
        sort_indices(ex, in.view(), indices.span());
        sort_by(ex, elements.view(), ordered.span(), negated{});
        EXPECT_EQ(indices.read()[0], sorted_indices(x, false)[0]);
    }
    cuda::executor small(nullptr, scratch.span().subspan(0, 100'000));
    expect_refused(
        "workspace: expected at least", [&] { sort(small, in.view(), out.span()); }, errc::out_of_memory);
}

class cuda_sort_errors : public sort_refusals {};

TEST_F(cuda_sort_errors, sizes_and_overlaps) {
    const auto half = [](auto& array, std::size_t from) { return array.span().subspan(from, 50); };
    refused("out: expected 100 elements, as many as in, but it has 50",
            [&] { sort(ex, x.view(), half(out, 0)); });
    refused("out: overlaps in; it must be the same array or disjoint",
            [&] { sort(ex, half(out, 0), half(out, 25)); });
    refused("out: expected 100", [&] { sort_indices(ex, x.view(), half(numbers, 0)); });
    refused("out: overlaps in", [&] { sort_indices(ex, numbers.view(), numbers.span()); });
    const cuda::device_span<std::int8_t> narrow(reinterpret_cast<std::int8_t*>(out.data()), 129);
    const device_array<float> longer(std::vector<float>(129, 0.5f));
    refused("out: index 128 does not fit", [&] { sort_indices(ex, longer.view(), narrow); });
    refused("values: expected 100 elements, as many as keys",
            [&] { sort_by_key(ex, x.view(), half(numbers, 0), out.span(), half(numbers, 50)); });
    refused("keys_out: overlaps values",
            [&] { sort_by_key(ex, half(x, 0), half(out, 0), half(out, 0), half(out, 50)); });
    refused("values_out: overlaps keys_out",
            [&] { sort_by_key(ex, half(x, 0), half(x, 50), half(out, 0), half(out, 0)); });
    const device_array<std::uint64_t> length(std::vector<std::uint64_t>{3});
    const cuda::device_span<std::uint64_t> over(length.data(), 1);
    expect_refused("out: overlaps options.length", [&] { sort(ex, over, over, {.length = length.data()}); });
}
TEST_F(cuda_sort_errors, pointers) {
    std::vector<float> host(100, 0.5f);
    std::uint64_t on_host = 3;
    const cuda::device_span<float> wrong(host.data(), 100);
    refused("in: expected device memory", [&] { sort(ex, wrong, out.span()); });
    refused("out: expected device memory", [&] { sort(ex, x.view(), wrong); });
    refused("options.length: expected device memory",
            [&] { sort(ex, x.view(), out.span(), {.length = &on_host}); });
    const cuda::device_span<float> shifted(reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 1),
                                           50);
    refused("in: the pointer is not aligned", [&] { sort(ex, shifted, out.span().subspan(0, 50)); });
}

}  // namespace
}  // namespace upsweep::test
