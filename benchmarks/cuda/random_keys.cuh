// Keys to be put in order, and memory for a cell.
#pragma once

#include <cstdint>
#include <cstring>

#include "bench.cuh"

namespace bench {

// Random keys of which the bits in `mask` differ.
template <class T>
__global__ void fill_with_random(T* x, std::size_t n, std::uint64_t mask) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = ((z ^ z >> 27) * 0x94d049bb133111ebu) & mask;
        std::memcpy(x + i, &z, sizeof(T));
    }
}
// Memory of a cell.
template <class T>
class buffer {
  public:
    explicit buffer(std::size_t size) {
        upsweep::cuda::check(cudaMalloc(&data_, size * sizeof(T)), "memory of a cell");
    }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
    ~buffer() { cudaFree(data_); }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] upsweep::cuda::device_span<T> span(std::size_t n) const { return {data_, n}; }

  private:
    T* data_ = nullptr;
};

// Of a copy that reads and writes so many bytes in all.
inline double copy_seconds(std::size_t bytes) {
    return median_seconds([&] {
        cudaMemcpyAsync(memory().expected, memory().in, bytes / 2, cudaMemcpyDeviceToDevice, nullptr);
    });
}

}  // namespace bench
