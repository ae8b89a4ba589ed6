// Scans in CUDA graphs: captured once, replayed often, also at the same time.
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_array.cuh"
#include "support/build.hpp"
#include "upsweep/cuda/scan.cuh"
#include "upsweep/scan.hpp"

namespace upsweep::test {
namespace {

device_array<float> cpu_sums(const device_array<float>& in) {
    cpu::executor ex;
    const std::vector<float> x = in.read();
    std::vector<float> y(x.size());
    inclusive_scan(ex, x, y);
    return device_array<float>(y);
}

class cuda_graphs : public ::testing::TestWithParam<cuda::algorithm> {
  protected:
    void SetUp() override {
        if (GetParam() == cuda::algorithm::look_ahead && cuda::executor().compute_capability() < 90)
            GTEST_SKIP() << "look-ahead needs compute capability 9.0";
    }
};
INSTANTIATE_TEST_SUITE_P(each, cuda_graphs,
                         ::testing::Values(cuda::algorithm::look_ahead, cuda::algorithm::look_back,
                                           cuda::algorithm::reduce_then_scan),
                         [](const auto& given) {
                             std::string word = cuda::name(given.param);
                             for (char& c : word)
                                 if (c == '-') c = '_';
                             return word;
                         });

TEST_P(cuda_graphs, two_of_one_executor_replayed_at_the_same_time) {
    const std::size_t n = repetitions(20'000'003, 500'003), m = repetitions(15'000'001, 400'001);
    device_array<float> x = random_array<float>(n, 1), z = random_array<float>(m, 2);
    device_array<float> y(n), w(m);
    const test_stream stream, one, other;
    cuda::executor ex(stream, GetParam());
    inclusive_scan(ex, x.view(), y.span());  // before, between and after: the executor's own scratch
    const captured_graph first(stream, [&] { inclusive_scan(ex, x.view(), y.span()); });
    inclusive_scan(ex, z.view(), w.span());
    const captured_graph second(stream, [&] {
        inclusive_scan(ex, z.view(), w.span());
        inclusive_scan(ex, z.view(), w.span());  // two scans in one graph
    });
    ex.wait();
    const device_array<float> y_expected = cpu_sums(x), w_expected = cpu_sums(z);
    EXPECT_EQ(differences(y, y_expected), 0u);
    EXPECT_EQ(differences(w, w_expected), 0u);
    y.poison();
    w.poison();
    for (std::size_t k = 0; k < repetitions(100, 5); ++k) {
        first.launch(one);
        second.launch(other);
    }
    one.wait();
    other.wait();
    EXPECT_EQ(differences(y, y_expected), 0u);
    EXPECT_EQ(differences(w, w_expected), 0u);
    y.poison();
    inclusive_scan(ex, x.view(), y.span());
    ex.wait();
    EXPECT_EQ(differences(y, y_expected), 0u);
}

TEST_P(cuda_graphs, may_be_begun_before_there_is_an_executor) {
    const std::size_t n = 300'007;
    const device_array<float> x = random_array<float>(n, 3), expected = cpu_sums(x);
    device_array<float> y(n);
    const test_stream stream;
    const captured_graph captured(stream, [&] {
        cuda::executor ex(stream, GetParam());
        inclusive_scan(ex, x.view(), y.span());
    });
    for (int k = 0; k < 2; ++k) {
        y.poison();
        captured.launch(stream);
        stream.wait();
        EXPECT_EQ(differences(y, expected), 0u);
    }
}

TEST_P(cuda_graphs, may_allocate_arrays) {
    const std::size_t n = 300'007;
    const device_array<float> x = random_array<float>(n, 4), once = cpu_sums(x), expected = cpu_sums(once);
    device_array<float> y(n);
    const test_stream stream;
    cuda::executor ex(stream, GetParam());
    const captured_graph captured(stream, [&] {
        void* between = nullptr;
        expect_success(cudaMallocAsync(&between, n * sizeof(float), stream), "allocating");
        const cuda::device_span<float> middle(static_cast<float*>(between), n);
        inclusive_scan(ex, x.view(), middle);
        inclusive_scan(ex, middle, y.span());
        expect_success(cudaFreeAsync(between, stream), "freeing");
    });
    for (int k = 0; k < 2; ++k) {
        captured.launch(stream);
        stream.wait();
        EXPECT_EQ(differences(y, expected), 0u);
    }
}

TEST_P(cuda_graphs, read_their_arrays_anew_at_every_replay) {
    const std::size_t n = 1'000'003;
    device_array<float> x(n), y(n), total(1);
    const test_stream stream;
    cuda::executor ex(stream, GetParam());
    const captured_graph captured(
        stream, [&] { inclusive_scan(ex, x.view(), y.span(), plus{}, {.total = total.data()}); });
    for (std::uint64_t seed = 10; seed < 15; ++seed) {
        const device_array<float> contents = random_array<float>(n, seed);
        expect_success(cudaMemcpy(x.data(), contents.data(), n * sizeof(float), cudaMemcpyDeviceToDevice),
                       "copying");
        expect_success(cudaDeviceSynchronize(), "copying");
        captured.launch(stream);
        stream.wait();
        const device_array<float> expected = cpu_sums(x);
        EXPECT_EQ(differences(y, expected), 0u) << "replay " << seed;
        EXPECT_EQ(total.read(), expected.read(n - 1, 1));
    }
}

// With the caller's scratch a graph allocates nothing.
TEST_P(cuda_graphs, in_the_callers_scratch) {
    const std::size_t n = 1'000'003;
    const device_array<float> x = random_array<float>(n, 4);
    device_array<float> y(n);
    device_array<std::byte> scratch(cuda::scan_workspace_bytes<float>(n));
    const test_stream stream;
    cuda::executor ex(stream, scratch.span(), GetParam());
    const captured_graph captured(stream, [&] { inclusive_scan(ex, x.view(), y.span()); });
    const device_array<float> expected = cpu_sums(x);
    for (int k = 0; k < 5; ++k) {
        expect_success(cudaMemsetAsync(y.data(), 0xcb, n * sizeof(float), stream), "poisoning");
        captured.launch(stream);
        EXPECT_EQ(differences(y, expected, stream), 0u);
        inclusive_scan(ex, x.view(), y.span());  // the same scratch outside the graph
        EXPECT_EQ(differences(y, expected, stream), 0u);
    }
}

}  // namespace
}  // namespace upsweep::test
