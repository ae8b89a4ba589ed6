// Calls of sorts of segments on the GPU: segments as long as what threads, warps and tiles take, wherever
// they begin, and longer ones; graphs, scratch, what is refused.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "cuda/segment_sorter.cuh"
#include "cuda/sort_refusals.cuh"
#include "support/build.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/sorted.hpp"
#include "upsweep/cuda/segmented_sort.cuh"
#include "upsweep/segmented_sort.hpp"

namespace upsweep::test {
namespace {

using offsets_array = std::vector<std::int64_t>;

// Segments of `length` elements behind a first one of `first`.
offsets_array offsets_of(std::size_t n, std::size_t first, std::size_t length) {
    offsets_array made{0};
    for (std::size_t at = first; at < n; at += length) made.push_back(static_cast<std::int64_t>(at));
    made.push_back(static_cast<std::int64_t>(n));
    return made;
}

template <class T>
void check(const std::vector<T>& x, const offsets_array& offsets, bool descending) {
    cuda::executor ex;
    const device_array<T> in(x);
    const device_array<std::int64_t> given(offsets);
    device_array<T> out(x.size());
    device_array<std::uint32_t> indices(x.size());
    out.poison();
    indices.poison();
    const cuda::by_offsets segments(given.view());
    segmented_sort(ex, segments, in.view(), out.span(), {.descending = descending});
    segmented_sort_indices(ex, segments, in.view(), indices.span(), {.descending = descending});
    cpu::executor host;
    std::vector<T> expected(x.size());
    std::vector<std::uint32_t> expected_indices(x.size());
    segmented_sort(host, by_offsets(offsets), x, expected, {.descending = descending});
    segmented_sort_indices(host, by_offsets(offsets), x, expected_indices, {.descending = descending});
    EXPECT_TRUE(std::memcmp(out.read().data(), expected.data(), x.size() * sizeof(T)) == 0);
    EXPECT_EQ(indices.read(), expected_indices);
}

// Around what stretches of 1, 2, 4, ... threads hold, tiles and windows, from places on and off their
// borders.
template <class T>
void check_lengths() {
    using key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    using shape = cuda::detail::segment_tile_shape<key>;
    const std::size_t n = 3 * shape::tile + 1'001;
    std::vector<std::size_t> lengths{shape::window - 1, shape::window, shape::window + 1, 2 * shape::window};
    const std::size_t least = cuda::detail::record_sorter<cuda::detail::ordered_key<key, false>>::items;
    for (std::size_t length = least; length <= shape::tile; length *= 2)
        for (const std::size_t more : {-1, 0, 1, 2}) lengths.push_back(length + more);
    std::size_t turn = 0;
    for (const std::size_t length : lengths) {
        for (const std::size_t first : {length, length / 2 + 1, least - 1}) {
            SCOPED_TRACE("segments of " + std::to_string(length) + ", the first of " + std::to_string(first));
            const std::string_view kind = key_kinds[turn++ % key_kinds.size()];
            check(keys_of<T>(kind, n, turn), offsets_of(n, first, length), turn % 2 == 0);
        }
    }
}
TEST(cuda_segmented_sort, lengths_of_one_byte) { check_lengths<std::uint8_t>(); }
TEST(cuda_segmented_sort, lengths_of_two_bytes) { check_lengths<float16>(); }
TEST(cuda_segmented_sort, lengths_of_four_bytes) { check_lengths<float>(); }
TEST(cuda_segmented_sort, lengths_of_eight_bytes) { check_lengths<double>(); }

// More windows than blocks, in which long segments begin, end, pass and are not met.
TEST(cuda_segmented_sort, many_windows) {
    using shape = cuda::detail::segment_tile_shape<std::uint16_t>;
    const std::size_t n = repetitions(4'173, 60) * shape::window + 5;
    random_bits random(7);
    offsets_array offsets{0};
    while (static_cast<std::size_t>(offsets.back()) < n) {
        const std::size_t most = random.below(4) == 0 ? 9 * shape::tile : random.below(2) == 0 ? 600 : 12'000;
        const std::size_t next = static_cast<std::size_t>(offsets.back()) + random.below(most);
        offsets.push_back(static_cast<std::int64_t>(std::min(n, next)));
    }
    check(keys_of<std::int16_t>("any bits", n, 3), offsets, false);
    check(keys_of<float>("special", n, 4), offsets, true);
}

// What lies behind the length is in no segment, and is left.
TEST(cuda_segmented_sort, lengths_in_device_memory) {
    const std::size_t n = 50'000;
    const std::vector<float> x = keys_of<float>("any bits", n, 2);
    const device_array<float> in(x);
    device_array<float> out(n);
    cuda::executor ex;
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, std::size_t{7'999}, n, 2 * n}) {
        const std::size_t length = std::min(wanted, n);
        const offsets_array offsets = offsets_of(length, 10, 12'000);
        const device_array<std::int64_t> given(offsets);
        const device_array<std::uint64_t> told(std::vector<std::uint64_t>{wanted});
        out.poison();
        std::vector<float> expected = out.read();
        segmented_sort(ex, cuda::by_offsets(given.view()), in.view(), out.span(), {.length = told.data()});
        const std::vector<float> front(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(length));
        const std::vector<float> sorted = taken(front, sorted_indices(front, offsets, false));
        std::copy(sorted.begin(), sorted.end(), expected.begin());
        EXPECT_TRUE(std::memcmp(out.read().data(), expected.data(), n * sizeof(float)) == 0) << wanted;
    }
}

TEST(cuda_segmented_sort, in_graphs_and_the_callers_workspace) {
    const std::size_t n = repetitions(300'007, 40'007);
    const std::vector<double> x = keys_of<double>("special", n, 5);
    const offsets_array offsets = offsets_of(n, 3, 9'000);
    const device_array<double> in(x);
    const device_array<std::int64_t> given(offsets);
    device_array<double> out(n);
    device_array<std::uint64_t> indices(n);
    const std::vector<std::size_t> order = sorted_indices(x, offsets, false);
    const std::vector<double> expected = taken(x, order);
    const cuda::executor device;
    const std::size_t keys = cuda::segmented_sort_workspace_bytes<double>(device, n);
    const std::size_t pairs = cuda::segmented_sort_workspace_bytes<double, std::uint64_t>(device, n);
    EXPECT_LE(cuda::segmented_sort_workspace_bytes<double>(device, n / 2), keys);
    const device_array<std::byte> scratch(std::max(keys, pairs));
    const test_stream stream;
    cuda::executor own(stream);
    cuda::executor callers(stream, scratch.span());
    for (cuda::executor* const ex : {&own, &callers}) {
        const auto work = [&] {
            segmented_sort(*ex, cuda::by_offsets(given.view()), in.view(), out.span());
            segmented_sort_indices(*ex, cuda::by_offsets(given.view()), in.view(), indices.span());
        };
        const captured_graph captured(stream, work);
        for (int k = 0; k < 4; ++k) {
            out.poison();
            indices.poison();
            if (k % 2 == 0)
                captured.launch(stream);
            else
                work();
            stream.wait();
            EXPECT_TRUE(std::memcmp(out.read().data(), expected.data(), n * sizeof(double)) == 0);
            EXPECT_EQ(indices.read(), std::vector<std::uint64_t>(order.begin(), order.end()));
        }
    }
    cuda::executor small(stream, scratch.span().subspan(0, 100'000));
    expect_refused(
        "workspace: expected at least",
        [&] { segmented_sort(small, cuda::by_offsets(given.view()), in.view(), out.span()); },
        errc::out_of_memory);
}

class cuda_segmented_sort_errors : public sort_refusals {
  protected:
    device_array<std::int64_t> offsets{offsets_array{0, 100}};
};

TEST_F(cuda_segmented_sort_errors, segments) {
    refused("segments: expected 100 keys, one an element, but there are 50",
            [&] { segmented_sort(ex, cuda::by_keys(numbers.view().subspan(0, 50)), x.view(), out.span()); });
    const cuda::device_span<const std::int64_t> none;
    refused("segments: expected at least one offset",
            [&] { segmented_sort(ex, cuda::by_offsets(none), x.view(), out.span()); });
    std::vector<std::uint8_t> host(100, 1);
    const cuda::device_span<const std::uint8_t> wrong(host.data(), 100);
    refused("segments: expected device memory",
            [&] { segmented_sort(ex, cuda::by_head_flags(wrong), x.view(), out.span()); });
    refused("out: overlaps segments",
            [&] { segmented_sort(ex, cuda::by_keys(out.view()), x.view(), out.span()); });
    refused("out: overlaps segments",
            [&] { segmented_sort_indices(ex, cuda::by_keys(numbers.view()), x.view(), numbers.span()); });
    const device_array<std::uint32_t> values(std::vector<std::uint32_t>(100, 1));
    refused("values_out: overlaps segments", [&] {
        segmented_sort_by_key(ex, cuda::by_keys(numbers.view()), x.view(), values.view(), out.span(),
                              numbers.span());
    });
}
TEST_F(cuda_segmented_sort_errors, arrays) {
    const cuda::by_offsets segments(offsets.view());
    refused("out: expected 100 elements, as many as in, but it has 50",
            [&] { segmented_sort(ex, segments, x.view(), out.span().subspan(0, 50)); });
    refused("out: overlaps in; it must be the same array or disjoint",
            [&] { segmented_sort(ex, segments, out.span().subspan(0, 50), out.span().subspan(25, 50)); });
}

}  // namespace
}  // namespace upsweep::test
