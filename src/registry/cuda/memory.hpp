// Owners of CUDA's resources: memory of the device, pinned memory of the host, streams and events.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "upsweep/cuda/executor.hpp"

namespace upsweep::registry::gpu {

struct free_device {
    void operator()(std::byte* p) const { cudaFree(p); }
};
struct free_pinned {
    void operator()(std::byte* p) const { cudaFreeHost(p); }
};
struct destroy_stream {
    void operator()(CUstream_st* stream) const { cudaStreamDestroy(stream); }
};
struct destroy_event {
    void operator()(CUevent_st* event) const { cudaEventDestroy(event); }
};
using device_memory = std::unique_ptr<std::byte, free_device>;
using pinned_memory = std::unique_ptr<std::byte, free_pinned>;
using unique_stream = std::unique_ptr<CUstream_st, destroy_stream>;
using unique_event = std::unique_ptr<CUevent_st, destroy_event>;

// Each throws upsweep::error (out_of_memory or device).
[[nodiscard]] device_memory allocate_device(std::size_t bytes);
[[nodiscard]] pinned_memory allocate_pinned(std::size_t bytes);
[[nodiscard]] unique_stream make_stream();
[[nodiscard]] unique_event make_event(bool timed);

}  // namespace upsweep::registry::gpu
