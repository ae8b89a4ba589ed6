// Runs the tests of CUDA or NCCL. Without a GPU there is nothing to run: the status is then 77, which ctest
// takes for skipped and everybody else for failure.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (!GTEST_FLAG_GET(list_tests) && (status != cudaSuccess || devices == 0)) {
        std::printf("skipped: %s\n", status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status));
        return 77;
    }
    return RUN_ALL_TESTS();
}
