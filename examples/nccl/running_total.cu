// A running total over all GPUs of this machine, each of which has another number of elements. The bits are
// those of one scan of everything, which the CPU checks.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <upsweep/nccl/nccl.cuh>
#include <upsweep/upsweep.hpp>
#include <vector>

namespace {

float deposit(std::size_t i) { return 0.1f * static_cast<float>(i % 7); }

// One rank: elements [first, first + balance.size()) of the whole, on its GPU.
void run(int rank, ncclComm_t comm, std::size_t first, std::vector<float>& balance) {
    cudaSetDevice(rank);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    const std::size_t n = balance.size();
    for (std::size_t i = 0; i < n; ++i) balance[i] = deposit(first + i);
    float* x = nullptr;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpyAsync(x, balance.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
    {
        upsweep::cuda::executor gpu(stream);
        upsweep::nccl::executor ranks(comm, gpu);
        const upsweep::nccl::distribution parts(ranks, n);  // known from here on: no call waits
        const upsweep::cuda::device_span<float> elements(x, n);
        upsweep::inclusive_scan(ranks, elements, elements, upsweep::plus{}, {.elements = &parts});
        gpu.wait();
    }
    cudaMemcpy(balance.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaStreamDestroy(stream);
}

}  // namespace

int main() {
    int ranks = 0;
    if (cudaGetDeviceCount(&ranks) != cudaSuccess || ranks == 0) {
        std::puts("skipped: no CUDA device");
        return 77;
    }
    std::vector<ncclComm_t> comms(static_cast<std::size_t>(ranks));
    if (ncclCommInitAll(comms.data(), ranks, nullptr) != ncclSuccess) return 1;

    std::vector<std::vector<float>> balances;
    std::vector<std::thread> threads;
    std::size_t count = 0;
    for (int rank = 0; rank < ranks; ++rank)
        balances.emplace_back(300'000 * static_cast<std::size_t>(rank) + 500'001);
    for (int rank = 0; rank < ranks; ++rank) {
        const auto k = static_cast<std::size_t>(rank);
        threads.emplace_back([&, rank, k, count] { run(rank, comms[k], count, balances[k]); });
        count += balances[k].size();
    }
    for (std::thread& thread : threads) thread.join();
    for (ncclComm_t comm : comms) ncclCommDestroy(comm);

    std::vector<float> all, whole(count), expected(count);
    for (const std::vector<float>& balance : balances) all.insert(all.end(), balance.begin(), balance.end());
    for (std::size_t i = 0; i < count; ++i) whole[i] = deposit(i);
    upsweep::cpu::executor executor;
    upsweep::inclusive_scan(executor, whole, expected);
    const bool same = std::memcmp(all.data(), expected.data(), count * sizeof(float)) == 0;
    std::printf("%d GPUs, %zu elements, total %.1f: %s\n", ranks, count, static_cast<double>(all.back()),
                same ? "the bits of one scan" : "other bits");
    return same ? 0 : 1;
}
