// Arrays in device memory for tests that need no host's picture of them, and what such tests do to them on
// the device: filling, comparing.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/staging.hpp"
#include "upsweep/cuda/device_span.hpp"
#include "upsweep/cuda/executor.hpp"

namespace upsweep::test {

// Owns `size` elements, uninitialised.
template <class T>
class device_array {
  public:
    device_array() = default;
    explicit device_array(std::size_t size) : size_(size) {
        expect_success(cudaMalloc(&data_, size * sizeof(T) + 1), "allocating device memory");
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) { assign(from); }
    device_array(device_array&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    device_array& operator=(device_array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~device_array() { cudaFree(data_); }

    void assign(const std::vector<T>& from) {
        expect_success(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice),
                       "copying to the device");
    }
    // Waits for the whole device.
    [[nodiscard]] std::vector<T> read() const { return read(0, size_); }
    [[nodiscard]] std::vector<T> read(std::size_t first, std::size_t count) const {
        std::vector<T> copy(count);
        expect_success(cudaDeviceSynchronize(), "waiting for the device");
        expect_success(cudaMemcpy(copy.data(), data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost),
                       "copying from the device");
        return copy;
    }
    // Waits for the whole device, as streams that do not wait for the default one may be used next.
    void poison() {
        expect_success(cudaMemset(data_, device_staging::poison, size_ * sizeof(T)),
                       "poisoning device memory");
        expect_success(cudaDeviceSynchronize(), "waiting for the device");
    }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] cuda::device_span<T> span() const { return {data_, size_}; }
    [[nodiscard]] cuda::device_span<const T> view() const { return {data_, size_}; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Those of the current device.
inline const std::vector<cuda::algorithm>& cuda_algorithms() {
    static const std::vector<cuda::algorithm> made = [] {
        std::vector<cuda::algorithm> list = {cuda::algorithm::look_back, cuda::algorithm::reduce_then_scan};
        if (cuda::executor().compute_capability() >= 90)
            list.insert(list.begin(), cuda::algorithm::look_ahead);
        return list;
    }();
    return made;
}

namespace detail {

constexpr unsigned blocks = 1024, threads = 256;

// SplitMix64 of the index: bits that look random, the same whoever asks.
__device__ inline std::uint64_t mixed(std::uint64_t i, std::uint64_t seed) {
    std::uint64_t z = (i + seed) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <class T>
__global__ void fill(T* x, std::uint64_t n, std::uint64_t seed) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        const std::uint64_t bits = mixed(i, seed);
        if constexpr (std::is_floating_point_v<T>)
            x[i] = static_cast<T>(bits >> 40) * T(0x1p-24);  // in [0, 1)
        else
            x[i] = static_cast<T>(bits);
    }
}

// Counts the bytes that differ, and the places where an element is below the one before it.
template <class T>
__global__ void compare(const T* a, const T* b, std::uint64_t n, unsigned long long* different) {
    unsigned long long found = 0;
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        char x[sizeof(T)], y[sizeof(T)];
        memcpy(x, a + i, sizeof(T));
        memcpy(y, b + i, sizeof(T));
        for (std::size_t k = 0; k < sizeof(T); ++k) found += x[k] != y[k];
    }
    if (found != 0) atomicAdd(different, found);
}
template <class T>
__global__ void find_decreases(const T* x, std::uint64_t n, unsigned long long* decreases) {
    unsigned long long found = 0;
    for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i + 1 < n;
         i += gridDim.x * blockDim.x)
        found += !(x[i] <= x[i + 1]);
    if (found != 0) atomicAdd(decreases, found);
}

template <class Count>
unsigned long long counted(cudaStream_t stream, const Count& count) {
    unsigned long long* counter = nullptr;
    unsigned long long found = ~0ull;
    expect_success(cudaMalloc(&counter, sizeof found), "allocating a counter");
    expect_success(cudaMemsetAsync(counter, 0, sizeof found, stream), "clearing a counter");
    count(counter);
    expect_success(cudaGetLastError(), "counting");
    expect_success(cudaMemcpyAsync(&found, counter, sizeof found, cudaMemcpyDeviceToHost, stream),
                   "reading a counter");
    expect_success(cudaStreamSynchronize(stream), "counting");
    cudaFree(counter);
    return found;
}

}  // namespace detail

// Random elements: floats in [0, 1), integers of any bits.
template <class T>
device_array<T> random_array(std::size_t n, std::uint64_t seed) {
    device_array<T> made(n);
    detail::fill<<<detail::blocks, detail::threads>>>(made.data(), n, seed);
    expect_success(cudaDeviceSynchronize(), "filling device memory");
    return made;
}

// Bytes in which two arrays differ, found in the order of `stream`.
template <class T>
unsigned long long differences(const device_array<T>& a, const device_array<T>& b,
                               cudaStream_t stream = nullptr) {
    return detail::counted(stream, [&](unsigned long long* counter) {
        detail::compare<<<detail::blocks, detail::threads, 0, stream>>>(a.data(), b.data(), a.size(),
                                                                        counter);
    });
}
template <class T>
unsigned long long decreases(const device_array<T>& x) {
    return detail::counted(nullptr, [&](unsigned long long* counter) {
        detail::find_decreases<<<detail::blocks, detail::threads>>>(x.data(), x.size(), counter);
    });
}

// A stream that does not wait for the default one.
class test_stream {
  public:
    test_stream() {
        expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    }
    test_stream(const test_stream&) = delete;
    test_stream& operator=(const test_stream&) = delete;
    ~test_stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }
    void wait() const { expect_success(cudaStreamSynchronize(stream_), "waiting for a stream"); }

  private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace upsweep::test
