// Device memory for the arrays of one call, with poison and sentinels around them, and the way to it and
// back.
//
// All arrays lie in one allocation, which is carried to the device and back as a whole: two transfers a scan,
// however many arrays. With the environment variable UPSWEEP_TEST_SANITIZER each array has an allocation of
// its own that ends with it, and outputs are left unwritten, so that compute-sanitizer sees every access
// outside and every read of what nobody wrote; sentinels are not needed then.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

// Records a failure unless `status` is success.
void expect_success(cudaError_t status, const char* doing);

class device_staging {
  public:
    static constexpr unsigned char poison = 0xcb;

    device_staging() = default;
    device_staging(const device_staging&) = delete;
    device_staging& operator=(const device_staging&) = delete;
    ~device_staging();

    // Whether arrays have allocations of their own.
    [[nodiscard]] static bool exact();

    // Forgets all arrays.
    void begin();
    // `bytes` bytes that begin `offset` bytes past a 256-byte boundary; their number.
    std::size_t add(std::size_t bytes, std::size_t offset);
    // Makes room for them, poisoned.
    void place();
    // The host's picture of an array: what upload() carries to the device, and download() brings from there.
    [[nodiscard]] std::byte* host(std::size_t array) const { return arrays_[array].host; }
    void write(std::size_t array, const void* from, std::size_t bytes);
    [[nodiscard]] std::byte* device(std::size_t array) const { return arrays_[array].device; }
    template <class T>
    [[nodiscard]] T* at(std::size_t array) const {
        return reinterpret_cast<T*>(device(array));
    }
    // The offset at which an array lies as the host's does.
    static std::size_t misalignment(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64; }

    void upload(cudaStream_t stream);
    // Returns when everything in the stream is done.
    void download(cudaStream_t stream);

    // After download(): whether nothing was written around the arrays.
    [[nodiscard]] bool sentinels_intact() const;
    // Whether bytes [first, first + count) of an array are still poison, or may be taken for it.
    [[nodiscard]] bool untouched(std::size_t array, std::size_t first, std::size_t count) const;

  private:
    struct placed {
        std::size_t bytes = 0;
        std::size_t offset = 0;
        std::size_t at = 0;     // in the common allocation
        std::size_t known = 0;  // bytes that the host has written
        std::byte* host = nullptr;
        std::byte* device = nullptr;
        std::byte* allocation = nullptr;  // its own
    };

    void release();

    std::vector<placed> arrays_;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
    std::byte* host_ = nullptr;    // pinned
    std::byte* device_ = nullptr;  // capacity_ bytes each
};

}  // namespace upsweep::test
