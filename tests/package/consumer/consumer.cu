// A user's kernel operator: scans floats on the GPU through the installed headers and library under a lambda.
// Without a GPU nothing is run.
#include <cstdio>
#include <upsweep/cuda/scan.cuh>
#include <vector>

int scan_on_gpu() {
    upsweep::cuda::executor executor;
    const std::vector<float> halves(4000, 0.5f);
    float *in = nullptr, *out = nullptr;
    const std::size_t bytes = halves.size() * sizeof(float);
    if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) return 1;
    cudaMemcpy(in, halves.data(), bytes, cudaMemcpyHostToDevice);
    const auto add = [] __host__ __device__(float a, float b) { return a + b; };
    upsweep::inclusive_scan(executor, upsweep::cuda::device_span<const float>(in, halves.size()),
                            upsweep::cuda::device_span<float>(out, halves.size()), add);
    std::vector<float> running(halves.size(), -1.0f);
    cudaMemcpy(running.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i] != 0.5f * static_cast<float>(i + 1)) {
            std::printf("wrong sum of floats at %zu\n", i);
            return 1;
        }
    }
    std::puts("consumer: all sums exact on the GPU");
    return 0;
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("consumer: built and linked; no GPU to run on");
        return 0;
    }
    return scan_on_gpu();
}
