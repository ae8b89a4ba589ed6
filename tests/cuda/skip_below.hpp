// Tests that need more memory than a device may have free.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>

#define SKIP_BELOW(bytes)                                                                                  \
    if (std::size_t free_bytes = 0, all = 0;                                                               \
        cudaMemGetInfo(&free_bytes, &all) != cudaSuccess || free_bytes < (bytes)) {                        \
        GTEST_SKIP() << "needs " << ((bytes) >> 30) << " GiB of device memory, and " << (free_bytes >> 30) \
                     << " are free";                                                                       \
    }
