// Worked examples and a scan over several blocks on the GPU.
#include "collectives/example_cases.hpp"
#include "cuda/runner.cuh"

namespace upsweep::test {

// The kernel of docs/collectives.md.
__global__ void running_sums(const float* in, float* out, float* totals) {
    const upsweep::cuda::block<256> block;
    __shared__ float memory[upsweep::block_scan_scratch(256)];
    float total;
    out[blockIdx.x * 256 + block.thread()] = upsweep::block_inclusive_scan(
        block, upsweep::cuda::shared_view(memory), in[blockIdx.x * 256 + block.thread()], upsweep::plus{},
        {.total = &total});
    if (block.thread() == 0) totals[blockIdx.x] = total;
}

TEST(cuda_collectives, kernel_with_memory_of_its_own) {
    if (!cuda_runner::available()) GTEST_SKIP() << "no device";
    constexpr unsigned n = 512;
    float *in = nullptr, *out = nullptr;
    ASSERT_EQ(cudaMallocManaged(&in, n * sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&out, (n + 2) * sizeof(float)), cudaSuccess);
    for (unsigned i = 0; i < n; ++i) in[i] = static_cast<float>(i % 7);
    running_sums<<<2, 256>>>(in, out, out + n);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    float sum = 0;  // exact
    for (unsigned i = 0; i < n; ++i) {
        sum = i % 256 == 0 ? in[i] : sum + in[i];
        ASSERT_EQ(out[i], sum) << i;
        if (i % 256 == 255) ASSERT_EQ(out[n + i / 256], sum);
    }
    EXPECT_EQ(cudaFree(in), cudaSuccess);
    EXPECT_EQ(cudaFree(out), cudaSuccess);
}

INSTANTIATE_TYPED_TEST_SUITE_P(cuda, collectives_examples, cuda_runner, );
}  // namespace upsweep::test
