// Device memory that is taken and given back in the order of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "upsweep/cuda/device_scope.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

class stream_memory {
  public:
    // Throws upsweep::error (out_of_memory or device).
    stream_memory(const cuda::executor& ex, std::size_t bytes) : stream_(ex.stream()) {
        const cuda::device_scope current(ex);
        if (const cudaError_t status = ex.allocate(&data_, std::max<std::size_t>(bytes, 1));
            status != cudaSuccess) {
            cudaGetLastError();  // an allocation that failed is not a sticky error
            cuda::throw_status(status, "allocating " + std::to_string(bytes) + " bytes of temporary memory");
        }
    }
    // A failure here means that the device is lost, and the memory with it.
    ~stream_memory() {
        if (cudaFreeAsync(data_, stream_) != cudaSuccess) cudaGetLastError();
    }
    stream_memory(const stream_memory&) = delete;
    stream_memory& operator=(const stream_memory&) = delete;

    [[nodiscard]] void* data() const { return data_; }

  private:
    cudaStream_t stream_;
    void* data_ = nullptr;
};

}  // namespace upsweep::registry::gpu
