// A consumer of upsweep::nccl: a scan over as many GPUs as there are, one rank each, where there are any.
#include <cstdio>
#include <upsweep/nccl/nccl.cuh>

// What a rank does; compiled and linked, also where there is no GPU to run it.
void sum(ncclComm_t comm, cudaStream_t stream, float* x, std::size_t n) {
    upsweep::cuda::executor gpu(stream);
    upsweep::nccl::executor ranks(comm, gpu);
    const upsweep::cuda::device_span<float> elements(x, n);
    upsweep::inclusive_scan(ranks, elements, elements);
    gpu.wait();
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no CUDA device: linked, not run");
        return 0;
    }
    ncclComm_t comm = nullptr;
    if (ncclCommInitAll(&comm, 1, nullptr) != ncclSuccess) return 1;
    float* x = nullptr;
    cudaMalloc(&x, 1000 * sizeof(float));
    cudaMemset(x, 0, 1000 * sizeof(float));
    sum(comm, nullptr, x, 1000);
    float last = 1;
    cudaMemcpy(&last, x + 999, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(x);
    ncclCommDestroy(comm);
    return last == 0 ? 0 : 1;
}
