// What blocks publish carries the launch's tag, and tags begin again after 2^32 - 1 launches: what an old
// launch left must not be taken for the new one's.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "upsweep/cuda/axis_scan.cuh"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/repeat.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/cuda/unique.cuh"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

// Scratch as 2^32 - `launches` launches would have left it, with every published word of tag `stale`.
std::vector<std::uint64_t> worn_scratch(std::size_t bytes, std::uint32_t launches, std::uint32_t stale) {
    std::vector<std::uint64_t> words(bytes / 8, (std::uint64_t{stale} << 32) | 0x3f800000u);
    std::fill(words.begin(), words.begin() + cuda::launch_state_bytes / 8, 0);
    cuda::launch_state state{};
    state.ticket = static_cast<unsigned long long>(0u - launches) << 32;
    std::memcpy(words.data(), &state, sizeof state);
    return words;
}

TEST(cuda_tags, begin_again) {
    constexpr std::size_t n = 3'000'001;
    const device_array<float> x = random_array<float>(n, 1);
    const std::vector<float> in = x.read();
    std::vector<float> expected(n);
    cpu::executor host;
    inclusive_scan(host, in, expected);
    const device_array<float> wanted(expected);
    const std::size_t bytes = cuda::scan_workspace_bytes<float>(n) + 4096;
    device_array<float> y(n);
    struct kernel {
        cuda::algorithm choice;
        std::optional<unsigned> tiles_ahead;
    };
    for (const auto& [choice, tiles_ahead] :
         {kernel{cuda::algorithm::look_ahead, {}}, kernel{cuda::algorithm::look_back, 0u},
          kernel{cuda::algorithm::look_back, 128u}}) {
        if (choice == cuda::algorithm::look_ahead && cuda::executor().compute_capability() < 90) continue;
        SCOPED_TRACE(std::string(cuda::name(choice)) + " " + std::to_string(tiles_ahead.value_or(0)));
        // Tags of the first launches after the turn: words with them must have been cleared by then.
        for (const std::uint32_t stale : {1u, 2u, 3u}) {
            device_array<std::byte> scratch(bytes);
            cuda::executor ex(nullptr, scratch.span(), choice);
            ex.set_tiles_ahead(tiles_ahead);
            const std::vector<std::uint64_t> worn = worn_scratch(bytes, 4, stale);
            expect_success(cudaMemcpy(scratch.data(), worn.data(), worn.size() * 8, cudaMemcpyHostToDevice),
                           "wearing");
            for (int launch = 0; launch < 8; ++launch) {
                y.poison();
                inclusive_scan(ex, x.view(), y.span());
                ASSERT_EQ(differences(y, wanted), 0u) << "launch " << launch << ", stale tag " << stale;
            }
        }
    }
}

// What one launch of a call leaves for the next lies among the words that the one with the last tag clears.
TEST(cuda_tags, begin_again_between_launches_of_a_call) {
    constexpr std::size_t n = 3'000'001, length = 700, m = (n + length - 1) / length;
    std::vector<std::uint32_t> keys(n), first(m), lengths(m, length);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i / length);
    for (std::size_t k = 0; k < m; ++k) first[k] = static_cast<std::uint32_t>(k);
    lengths.back() = n - (m - 1) * length;
    const device_array<std::uint32_t> in(keys);
    device_array<std::uint32_t> out(m), sizes(m);
    device_array<std::uint64_t> count(1);
    const std::size_t needed = cuda::run_length_encode_workspace_bytes<std::uint32_t, std::uint32_t>(n);
    const std::size_t bytes = (needed + 4096) / 8 * 8;
    for (const cuda::algorithm choice : {cuda::algorithm::look_ahead, cuda::algorithm::look_back}) {
        if (choice == cuda::algorithm::look_ahead && cuda::executor().compute_capability() < 90) continue;
        SCOPED_TRACE(cuda::name(choice));
        for (const std::uint32_t stale : {1u, 2u, 3u}) {
            device_array<std::byte> scratch(bytes);
            cuda::executor ex(nullptr, scratch.span(), choice);
            const std::vector<std::uint64_t> worn = worn_scratch(bytes, 4, stale);
            expect_success(cudaMemcpy(scratch.data(), worn.data(), worn.size() * 8, cudaMemcpyHostToDevice),
                           "wearing");
            for (int launch = 0; launch < 8; ++launch) {
                SCOPED_TRACE("launch " + std::to_string(launch) + ", stale tag " + std::to_string(stale));
                out.poison();
                sizes.poison();
                run_length_encode(ex, in.view(), out.span(), sizes.span(), count.data());
                ASSERT_EQ(count.read()[0], m);
                ASSERT_EQ(out.read(), first);
                ASSERT_EQ(sizes.read(), lengths);
            }
        }
    }
}
TEST(cuda_tags, begin_again_in_a_repetition) {
    constexpr std::size_t n = 300'001, each = 3;
    const std::vector<std::uint32_t> counts(n, each);
    std::vector<std::uint32_t> expected(n * each);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::uint32_t>(i / each);
    const device_array<std::uint32_t> times(counts);
    device_array<std::uint32_t> out(n * each);
    device_array<std::uint64_t> count(1);
    const std::size_t bytes = cuda::repeat_workspace_bytes(n) + 4096;
    for (const std::uint32_t stale : {1u, 2u, 3u}) {
        device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span());
        const std::vector<std::uint64_t> worn = worn_scratch(bytes / 8 * 8, 4, stale);
        expect_success(cudaMemcpy(scratch.data(), worn.data(), worn.size() * 8, cudaMemcpyHostToDevice),
                       "wearing");
        for (int launch = 0; launch < 8; ++launch) {
            out.poison();
            repeat_indices(ex, times.view(), out.span(), count.data());
            ASSERT_EQ(out.read(), expected) << "launch " << launch << ", stale tag " << stale;
        }
    }
}

// Calls that have other things than tags in the caller's workspace leave the count of launches alone, with
// which a scan knows its own words: most of these lie where such a call has nothing.
TEST(cuda_tags, go_on_behind_other_calls) {
    using number = std::uint64_t;
    constexpr std::size_t n = 12'000'001, m = 5'000;
    const device_array<number> x = random_array<number>(n, 1), y = random_array<number>(n, 2);
    const device_array<std::uint32_t> keys = random_array<std::uint32_t>(m, 3);
    std::vector<number> of_x(n), of_y(n);
    cpu::executor host;
    inclusive_scan(host, x.read(), of_x);
    inclusive_scan(host, y.read(), of_y);
    const device_array<number> expected_of_x(of_x), expected_of_y(of_y);
    device_array<number> out(n);
    device_array<std::uint32_t> few(m);
    device_array<std::uint64_t> offsets(257);
    const cuda::executor any;
    const std::size_t of_scan = cuda::scan_workspace_bytes<number>(n);
    EXPECT_LT(2 * cuda::bins_workspace_bytes<std::uint32_t>(any, m, 256), of_scan);
    for (const cuda::algorithm choice : cuda_algorithms()) {
        SCOPED_TRACE(cuda::name(choice));
        const device_array<std::byte> scratch(of_scan);
        cuda::executor ex(nullptr, scratch.span(), choice);
        const auto scan = [&](const device_array<number>& in, const device_array<number>& expected) {
            out.poison();
            inclusive_scan(ex, in.view(), out.span());
            EXPECT_EQ(differences(out, expected), 0u);
        };
        const auto extract = [&] {
            bins(ex, keys.view(), few.span(), offsets.span(), {.lo = 0, .hi = 1u << 31, .count = 256});
        };
        scan(x, expected_of_x);
        extract();
        scan(y, expected_of_y);
        extract();
        scan(x, expected_of_x);
    }
}

// Two totals of tiles, side by side, may look like one that a launch with a small tag has published.
TEST(cuda_tags, are_not_what_reduce_then_scan_leaves) {
    constexpr std::size_t n = 5'000'001;
    std::vector<int> ones(n);
    ones[0] = 1;
    const device_array<int> x(ones);
    device_array<int> y(n);
    device_array<std::byte> scratch(cuda::scan_workspace_bytes<int>(n));
    cuda::executor ex(nullptr, scratch.span(), cuda::algorithm::reduce_then_scan);
    inclusive_scan(ex, x.view(), y.span());
    EXPECT_EQ(y.read(n - 1, 1)[0], 1);
    EXPECT_EQ(scratch.read(), std::vector<std::byte>(scratch.size()));

    // Along an axis whoever scans columns reads such words, whatever the executor's algorithm is.
    constexpr std::size_t rows = 4096, columns = 16;
    std::vector<int> in(rows * columns), expected(rows * columns);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<int>(i % 7);
        expected[i] = in[i] + (i < columns ? 0 : expected[i - columns]);
    }
    const device_array<int> table(in);
    device_array<int> sums(in.size());
    ex.set_axis_way(cuda::axis_way::columns);
    inclusive_scan(ex, cuda::device_view<const int>(table.data(), {rows, columns}),
                   cuda::device_view<int>(sums.data(), {rows, columns}), 0);
    EXPECT_EQ(sums.read(), expected);
}

}  // namespace
}  // namespace upsweep::test
