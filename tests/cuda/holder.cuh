// A GPU that is not free.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <thread>

#include "cuda/device_array.cuh"

namespace upsweep::test {

// Holds its multiprocessor until `release`, or for ten seconds, which counts as given up.
static __global__ void hold(const volatile unsigned* release, volatile unsigned* gave_up,
                            volatile unsigned* running, long long ticks) {
    extern __shared__ char whole[];
    if (threadIdx.x == 0) {
        whole[0] = 1;
        running[blockIdx.x] = 1;
        const long long until = clock64() + ticks;
        while (*release == 0) {
            if (clock64() > until) {
                *gave_up = 1;
                break;
            }
        }
    }
    __syncthreads();
}

// A kernel that holds some multiprocessors whole: all their shared memory and threads.
class holder {
  public:
    explicit holder(int multiprocessors) {
        const auto words = static_cast<std::size_t>(multiprocessors) + 2;
        expect_success(cudaHostAlloc(&words_, words * sizeof(unsigned), cudaHostAllocMapped),
                       "allocating mapped memory");
        std::fill_n(words_, words, 0u);
        int shared = 0, kilohertz = 0;
        expect_success(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
                       "asking the device");
        expect_success(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking the device");
        expect_success(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                       "preparing");
        hold<<<multiprocessors, 1024, shared, stream_>>>(words_, words_ + 1, words_ + 2,
                                                         10'000ll * kilohertz);
        expect_success(cudaGetLastError(), "holding multiprocessors");
        const volatile unsigned* running = words_ + 2;
        for (int k = 0; k < multiprocessors; ++k)
            while (running[k] == 0) std::this_thread::yield();
    }
    ~holder() {
        release();
        stream_.wait();
        cudaFreeHost(words_);
    }
    void release() { const_cast<volatile unsigned*>(words_)[0] = 1; }
    [[nodiscard]] bool gave_up() const { return const_cast<const volatile unsigned*>(words_)[1] != 0; }

  private:
    test_stream stream_;
    unsigned* words_ = nullptr;  // release, given up, and for each block whether it runs
};

}  // namespace upsweep::test
