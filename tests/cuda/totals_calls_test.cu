// Totals on a device: long arrays, whose supers are folded in groups, launches of a worn executor, the
// caller's workspace, graphs, and what is refused.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "support/refused.hpp"
#include "upsweep/axis_reduce.hpp"
#include "upsweep/cuda/axis_reduce.cuh"
#include "upsweep/cuda/compact.cuh"
#include "upsweep/cuda/reduce.cuh"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/reduce.hpp"

namespace upsweep::test {
namespace {

// More than a group of 256 supers, and blocks that have several of them.
TEST(cuda_totals, several_groups_of_supers) {
    constexpr std::size_t most = 80'000'003;
    const device_array<float> x = random_array<float>(most, 3);
    const std::vector<float> in = x.read();
    cpu::executor host;
    cuda::executor ex;
    device_array<float> out(1);
    for (const std::size_t n :
         {std::size_t{33'554'432}, std::size_t{33'554'433}, std::size_t{52'000'001}, most}) {
        const float expected = reduce(host, std::span(in).first(n), plus{}, {.initial = 0.3f});
        for (int launch = 0; launch < 3; ++launch) {
            out.poison();
            reduce(ex, cuda::device_span<const float>(x.data(), n), out.data(), plus{}, {.initial = 0.3f});
            EXPECT_TRUE(same_bits(out.read()[0], expected)) << n << ", launch " << launch;
        }
    }
}

// Elements whose accumulators are too large for four images of a tile in a block.
struct wide_sum {
    std::uint64_t part[8];
};
struct add_wide {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        T sum{};
        for (int k = 0; k < 8; ++k) sum.part[k] = a.part[k] + 3 * b.part[k] + a.part[(k + 1) % 8] * b.part[0];
        return sum;
    }
};
TEST(cuda_totals, structs_of_64_bytes) {
    cpu::executor host;
    cuda::executor ex;
    for (const std::size_t n : {1u, 127u, 4097u, 300'000u}) {
        std::vector<wide_sum> in(n);
        for (std::size_t i = 0; i < n; ++i)
            for (int k = 0; k < 8; ++k) in[i].part[k] = i * 977 + static_cast<std::size_t>(k);
        const device_array<wide_sum> x(in);
        device_array<wide_sum> out(1);
        const wide_sum expected = reduce(host, in, add_wide{});
        reduce(ex, x.view(), out.data(), add_wide{});
        const wide_sum made = out.read()[0];
        EXPECT_EQ(std::memcmp(&made, &expected, sizeof made), 0) << n;
    }
}

// Tags of launches begin again after 2^32 - 1 of them, between scans that use the same words.
TEST(cuda_totals, tags_begin_again) {
    constexpr std::size_t n = 3'000'001, rows = 20'000, columns = 150;
    const device_array<float> x = random_array<float>(n, 1);
    const std::vector<float> in = x.read();
    cpu::executor host;
    std::vector<float> sums(n), of_columns(columns);
    inclusive_scan(host, in, sums);
    reduce(host, strided_view<const float>(in.data(), {rows, columns}),
           strided_view<float>(of_columns.data(), {columns}), 0);
    const std::size_t bytes =
        (std::max({cuda::scan_workspace_bytes<float>(n), cuda::reduce_workspace_bytes<float>(n),
                   cuda::axis_reduce_workspace_bytes<float>(rows, columns)}) +
         4096) /
        8 * 8;
    device_array<float> y(n), total(1), totals(columns);
    for (const std::uint32_t stale : {1u, 2u, 3u, 5u}) {
        device_array<std::byte> scratch(bytes);
        cuda::executor ex(nullptr, scratch.span());
        std::vector<std::uint64_t> worn(bytes / 8, (std::uint64_t{stale} << 32) | 0x3f800000u);
        std::fill(worn.begin(), worn.begin() + cuda::launch_state_bytes / 8, 0);
        cuda::launch_state state{};
        state.ticket = static_cast<unsigned long long>(0u - 4u) << 32;
        std::memcpy(worn.data(), &state, sizeof state);
        expect_success(cudaMemcpy(scratch.data(), worn.data(), bytes, cudaMemcpyHostToDevice), "wearing");
        for (int round = 0; round < 4; ++round) {
            SCOPED_TRACE("stale tag " + std::to_string(stale) + ", round " + std::to_string(round));
            total.poison();
            reduce(ex, x.view(), total.data());
            ASSERT_TRUE(same_bits(total.read()[0], sums.back()));
            totals.poison();
            reduce(ex, cuda::device_view<const float>(x.data(), {rows, columns}),
                   cuda::device_view<float>(totals.data(), {columns}), 0);
            ASSERT_EQ(totals.read(), of_columns);
            y.poison();
            inclusive_scan(ex, x.view(), y.span());
            ASSERT_TRUE(same_bits(y.read().back(), sums.back()));
        }
    }
}

TEST(cuda_totals, the_count_of_a_compaction_is_a_length) {
    constexpr std::size_t n = 1'000'003;
    const device_array<float> x = random_array<float>(n, 7);
    std::vector<float> kept;
    for (const float v : x.read())
        if (v > 0) kept.push_back(v);
    device_array<float> packed(n), out(1);
    device_array<std::uint64_t> count(1);
    cuda::executor ex;
    compact_if(ex, x.view(), packed.span(), greater_than(0.0f), count.data());
    reduce(ex, cuda::device_span<const float>(packed.data(), n), out.data(), plus{},
           {.length = count.data()});
    cpu::executor host;
    EXPECT_TRUE(same_bits(out.read()[0], reduce(host, kept)));
}

TEST(cuda_totals, in_a_graph) {
    constexpr std::size_t n = 5'000'001;
    device_array<float> x = random_array<float>(n, 1), out(1), rows(1000);
    cpu::executor host;
    const test_stream stream;
    cuda::executor ex(stream);
    const captured_graph graph(stream, [&] {
        reduce(ex, x.view(), out.data());
        reduce(ex, cuda::device_view<const float>(x.data(), {1000, 5000}),
               cuda::device_view<float>(rows.data(), {1000}), 1);
    });
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        const std::vector<float> in = random_array<float>(n, seed).read();
        expect_success(cudaMemcpy(x.data(), in.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copying");
        out.poison();
        rows.poison();
        graph.launch(stream);
        ex.wait();
        EXPECT_TRUE(same_bits(out.read()[0], reduce(host, in))) << seed;
        EXPECT_TRUE(same_bits(rows.read()[7], reduce(host, std::span(in).subspan(35'000, 5000)))) << seed;
    }
}

TEST(cuda_totals, the_callers_workspace) {
    constexpr std::size_t n = 5'000'001;
    const device_array<float> x = random_array<float>(n, 1);
    device_array<float> out(1);
    cpu::executor host;
    const std::size_t bytes = cuda::reduce_workspace_bytes<float>(n);
    device_array<std::byte> scratch(bytes);
    cuda::executor ex(nullptr, scratch.span());
    reduce(ex, x.view(), out.data());
    EXPECT_TRUE(same_bits(out.read()[0], reduce(host, x.read())));
    EXPECT_EQ(cuda::reduce_workspace_bytes<float>(4096), 0u);
    cuda::executor poor(nullptr, cuda::device_span<std::byte>(scratch.data(), 512));
    expect_refused(
        "", [&] { reduce(poor, x.view(), out.data()); }, errc::out_of_memory);
}

struct keep_first {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T&) const {
        return a;
    }
};
TEST(cuda_totals, refuses) {
    cuda::executor ex;
    device_array<float> x(60), out(60);
    out.poison();
    const keep_first first;
    float here = 0;
    expect_refused("out: overlaps in", [&] { reduce(ex, x.view(), x.data() + 59); });
    expect_refused("out: ", [&] { reduce(ex, x.view(), &here); });
    expect_refused("options.initial: given together", [&] {
        reduce(ex, x.view(), out.data(), plus{}, {.initial = 1.0f, .device_initial = x.data()});
    });
    expect_refused("options.initial: the total of no elements",
                   [&] { reduce(ex, cuda::device_span<const float>(x.data(), 0), out.data(), first); });
    const cuda::device_view<const float> in(x.data(), {5, 12});
    const cuda::device_view<float> five(out.data(), {5}), twelve(out.data(), {12});
    expect_refused("axis: ", [&] { reduce(ex, in, five, 2); });
    expect_refused("out: its shape", [&] { reduce(ex, in, five, 0); });
    expect_refused("out: its shape", [&] {
        reduce(ex, in, cuda::device_view<float>(out.data(), {5, 1}), 1);
    });
    expect_refused("out: stride 0",
                   [&] { reduce(ex, in, cuda::device_view<float>(out.data(), {12}, {0}), 0); });
    expect_refused("out: overlaps in", [&] { reduce(ex, in, cuda::device_view<float>(x.data(), {12}), 0); });
    expect_refused("options.initial: ", [&] {
        reduce(ex, cuda::device_view<const float>(x.data(), {0, 12}), twelve, 0, first);
    });
}

}  // namespace
}  // namespace upsweep::test
