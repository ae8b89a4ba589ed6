// Bins between edges of so many elements that the GPU makes a table of cells for them: counts, and the
// elements of each bin, are the CPU's.
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/bits.hpp"
#include "support/build.hpp"
#include "support/edge_sets.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/cuda/bins.cuh"
#include "upsweep/cuda/histogram.cuh"
#include "upsweep/cuda/tuning.hpp"

namespace upsweep::test {
namespace {

constexpr std::size_t enough = cuda::cells_of_few_edges_from_elements + 77;

template <class Element, class T>
void check_edges(const std::vector<T>& edges) {
    SCOPED_TRACE(std::to_string(edges.size()) + " edges from " + describe(edges[0]));
    const std::vector<T> around = numbers_around(edges);
    std::vector<Element> x(edges.size() < cuda::cells_from_edges ? enough : cuda::cells_from_elements + 77);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = cpu::convert<Element>(around[i * 7 % around.size()]);
    const std::size_t count = edges.size() - 1;
    std::vector<std::uint64_t> counts(count), offsets(count + 1);
    std::vector<Element> out(x.size());
    cpu::executor host;
    histogram(host, x, counts, bin_edges<T>{edges});
    const std::size_t placed = bins(host, x, out, offsets, bin_edges<T>{edges});

    cuda::executor ex;
    const device_array<Element> in(x), to(x.size());
    const device_array<T> limits(edges);
    device_array<std::uint64_t> counted(count), begins(count + 1);
    counted.poison();
    begins.poison();
    const cuda::device_edges<T> by{limits.view()};
    if (sizeof(Element) != 1) {
        EXPECT_NE((cuda::detail::edge_cells<T>(ex, by, x.size()).map()), nullptr) << "no table";
    }
    histogram(ex, in.view(), counted.span(), by);
    bins(ex, in.view(), to.span(), begins.span(), by);
    EXPECT_EQ(counted.read(), counts);
    EXPECT_EQ(begins.read(), offsets);
    EXPECT_EQ(first_difference(to.read(0, placed).data(), out.data(), placed), placed);
}
template <class Element, class T = accumulator_type<Element>>
void check_all() {
    for (const std::vector<T>& edges : edge_sets<T>()) check_edges<Element>(edges);
}
TEST(cuda_edges, floats) { check_all<float>(); }
TEST(cuda_edges, doubles) { check_all<double>(); }
TEST(cuda_edges, halves) { check_all<float16>(); }
TEST(cuda_edges, integers) {
    check_all<std::int8_t>();
    check_all<std::uint16_t>();
    check_all<std::int32_t>();
    check_all<std::uint64_t>();
}

// A graph has the table of each replay's edges, and goes by the length of each.
TEST(cuda_edges, in_a_graph) {
    cudaStream_t stream = nullptr;
    expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    cuda::executor ex(stream);
    const device_array<float> in = random_array<float>(enough, 3);
    device_array<float> limits(std::vector<float>{0.25f, 0.5f, 0.75f});
    device_array<std::uint64_t> counts(2);
    const captured_graph graph(
        stream, [&] { histogram(ex, in.view(), counts.span(), cuda::device_edges<float>{limits.view()}); });
    cpu::executor host;
    for (const std::vector<float>& edges :
         {std::vector{0.25f, 0.5f, 0.75f}, std::vector{0.0f, 0.125f, 0.13f}}) {
        limits.assign(edges);
        counts.poison();
        graph.launch(stream);
        std::vector<std::uint64_t> expected(2);
        histogram(host, in.read(), expected, bin_edges<float>{edges});
        EXPECT_EQ(counts.read(), expected);
    }
    expect_success(cudaStreamDestroy(stream), "giving a stream back");
}

// With scratch of the caller's nothing is allocated, and a binary search does.
TEST(cuda_edges, without_a_table) {
    const device_array<std::byte> scratch(1 << 20);
    cuda::executor ex(nullptr, scratch.span());
    const std::vector<float> edges{0.25f, 0.5f, 0.75f};
    const device_array<float> limits(edges);
    const cuda::device_edges<float> by{limits.view()};
    EXPECT_EQ((cuda::detail::edge_cells<float>(ex, by, enough).map()), nullptr);
    const device_array<float> in = random_array<float>(enough, 3);
    device_array<std::uint64_t> counts(2);
    histogram(ex, in.view(), counts.span(), by);
    std::vector<std::uint64_t> expected(2);
    cpu::executor host;
    histogram(host, in.read(), expected, bin_edges<float>{edges});
    EXPECT_EQ(counts.read(), expected);
}

}  // namespace
}  // namespace upsweep::test
