// Runs test bodies over a block on the GPU: the twin of collectives/emulator_runner.hpp.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "collectives/guarded_runner.hpp"
#include "collectives/launch_shape.hpp"
#include "upsweep/cuda/group.cuh"

namespace upsweep::test {

// Threads as in cuda::block.
template <unsigned Threads, class Body, class In, class Out>
__global__ void __launch_bounds__(Threads == 0 ? 1024 : Threads) run_body(Body body, const In* in, Out* out) {
    body(cuda::block<Threads>{}, in, out);
}

class cuda_runner : public guarded_runner<cuda_runner> {
  public:
    static bool available() {
        int devices = 0;
        return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    }
    static std::vector<unsigned> warp_widths() { return {cuda::warp_width}; }

    template <class Out, class In, class Body>
    void launch(const launch_shape& shape, const std::vector<In>& in, std::vector<Out>& out,
                const Body& body) {
        const std::size_t in_bytes = in.size() * sizeof(In), out_bytes = out.size() * sizeof(Out);
        In* device_in = nullptr;
        Out* device_out = nullptr;
        expect_success(cudaMalloc(&device_in, in_bytes + 1));
        expect_success(cudaMalloc(&device_out, out_bytes));
        expect_success(cudaMemcpy(device_in, in.data(), in_bytes, cudaMemcpyHostToDevice));
        expect_success(cudaMemcpy(device_out, out.data(), out_bytes, cudaMemcpyHostToDevice));
        // One size is known to the compiler, so that its warps are full ones.
        const auto kernel = shape.threads == 256 ? run_body<256, Body, In, Out> : run_body<0, Body, In, Out>;
        expect_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shape.shared_bytes)));
        kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(body, device_in, device_out);
        expect_success(cudaGetLastError());
        expect_success(cudaDeviceSynchronize());
        expect_success(cudaMemcpy(out.data(), device_out, out_bytes, cudaMemcpyDeviceToHost));
        expect_success(cudaFree(device_in));
        expect_success(cudaFree(device_out));
    }

  private:
    static void expect_success(cudaError_t status) {
        EXPECT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
    }
};

}  // namespace upsweep::test
