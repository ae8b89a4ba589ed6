// Allocation, with errors in words.
#include "registry/cuda/memory.hpp"

#include <algorithm>
#include <string>

namespace upsweep::registry::gpu {
namespace {

template <class Allocate>
std::byte* allocated(std::size_t bytes, const char* where, const Allocate& allocate) {
    void* memory = nullptr;
    if (const cudaError_t status = allocate(&memory, std::max<std::size_t>(bytes, 1));
        status != cudaSuccess) {
        cudaGetLastError();
        cuda::throw_status(status, "allocating " + std::to_string(bytes) + " bytes of " + where);
    }
    return static_cast<std::byte*>(memory);
}

}  // namespace

device_memory allocate_device(std::size_t bytes) {
    return device_memory(
        allocated(bytes, "GPU memory", [](void** p, std::size_t size) { return cudaMalloc(p, size); }));
}
pinned_memory allocate_pinned(std::size_t bytes) {
    return pinned_memory(allocated(bytes, "pinned memory",
                                   [](void** p, std::size_t size) { return cudaMallocHost(p, size); }));
}
unique_stream make_stream() {
    cudaStream_t stream = nullptr;
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    return unique_stream(stream);
}
unique_event make_event(bool timed) {
    cudaEvent_t event = nullptr;
    cuda::check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
                "making an event");
    return unique_event(event);
}

}  // namespace upsweep::registry::gpu
