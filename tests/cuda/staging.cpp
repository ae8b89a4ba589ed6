// Transfers between the host's picture of the arrays and the device's.
#include "cuda/staging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/build.hpp"

namespace upsweep::test {
namespace {

constexpr std::size_t boundary = 256;
constexpr std::size_t guard_bytes = 256;  // on either side, at least
constexpr unsigned char sentinel = 0xa5;

bool all_equal(const std::byte* first, const std::byte* last, unsigned char value) {
    return std::all_of(first, last, [value](std::byte b) { return b == std::byte{value}; });
}

}  // namespace

void expect_success(cudaError_t status, const char* doing) {
    EXPECT_EQ(status, cudaSuccess) << doing << ": " << cudaGetErrorName(status) << " ("
                                   << cudaGetErrorString(status) << ")";
}

bool device_staging::exact() { return under_compute_sanitizer(); }

device_staging::~device_staging() {
    release();
    cudaFreeHost(host_);
    cudaFree(device_);
}

void device_staging::release() {
    for (placed& each : arrays_) {
        cudaFree(each.allocation);
        each.allocation = nullptr;
    }
}

void device_staging::begin() {
    release();
    arrays_.clear();
}

std::size_t device_staging::add(std::size_t bytes, std::size_t offset) {
    arrays_.push_back({bytes, offset % boundary, 0, 0, nullptr, nullptr, nullptr});
    return arrays_.size() - 1;
}

void device_staging::place() {
    used_ = 0;
    for (placed& each : arrays_) {
        each.at = used_ + guard_bytes + each.offset;
        used_ = (each.at + each.bytes + guard_bytes + boundary - 1) / boundary * boundary;
    }
    if (used_ > capacity_) {
        cudaFreeHost(host_);
        cudaFree(device_);
        host_ = device_ = nullptr;
        capacity_ = used_ + used_ / 4;
        expect_success(cudaMallocHost(reinterpret_cast<void**>(&host_), capacity_),
                       "allocating pinned memory");
        expect_success(cudaMalloc(reinterpret_cast<void**>(&device_), capacity_), "allocating device memory");
    }
    std::memset(host_, sentinel, used_);
    for (placed& each : arrays_) {
        each.host = host_ + each.at;
        std::memset(each.host, poison, each.bytes);
        if (exact()) {
            expect_success(cudaMalloc(reinterpret_cast<void**>(&each.allocation),
                                      std::max<std::size_t>(each.offset + each.bytes, 1)),
                           "allocating device memory");
            each.device = each.allocation + each.offset;
        } else {
            each.device = device_ + each.at;
        }
    }
}

void device_staging::write(std::size_t array, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(arrays_[array].host, from, bytes);
    arrays_[array].known = bytes;
}

void device_staging::upload(cudaStream_t stream) {
    if (!exact()) {
        expect_success(cudaMemcpyAsync(device_, host_, used_, cudaMemcpyHostToDevice, stream),
                       "copying to the device");
        return;
    }
    for (const placed& each : arrays_) {
        // All of it is read back, also what no kernel writes.
        expect_success(cudaMemsetAsync(each.allocation, static_cast<int>(poison),
                                       std::max<std::size_t>(each.offset + each.bytes, 1), stream),
                       "clearing device memory");
        if (each.known == 0) continue;
        // With what lies in front of it, which an aligned access may read.
        expect_success(cudaMemcpyAsync(each.allocation, each.host - each.offset, each.offset + each.known,
                                       cudaMemcpyHostToDevice, stream),
                       "copying to the device");
    }
}

void device_staging::download(cudaStream_t stream) {
    if (!exact()) {
        expect_success(cudaMemcpyAsync(host_, device_, used_, cudaMemcpyDeviceToHost, stream),
                       "copying from the device");
        expect_success(cudaStreamSynchronize(stream), "waiting for the stream");
        return;
    }
    for (const placed& each : arrays_) {
        if (each.bytes != 0)
            expect_success(
                cudaMemcpyAsync(each.host, each.device, each.bytes, cudaMemcpyDeviceToHost, stream),
                "copying from the device");
    }
    expect_success(cudaStreamSynchronize(stream), "waiting for the stream");
    release();
}

bool device_staging::sentinels_intact() const {
    const std::byte* from = host_;
    for (const placed& each : arrays_) {
        if (!all_equal(from, each.host, sentinel)) return false;
        from = each.host + each.bytes;
    }
    return all_equal(from, host_ + used_, sentinel);
}

bool device_staging::untouched(std::size_t array, std::size_t first, std::size_t count) const {
    const std::byte* from = arrays_[array].host + first;
    return all_equal(from, from + count, poison);
}

}  // namespace upsweep::test
