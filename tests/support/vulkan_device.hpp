// A Vulkan device for tests, made with volk: the first one there is, or the one whose name contains
// UPSWEEP_TEST_VULKAN_DEVICE. Buffers lie in memory that the host sees.
//
// UPSWEEP_TEST_VALIDATION = core, sync or gpu switches the validation layers on; vulkan_messages() then has
// what they said, and every test fails over it (vulkan_scanner.cpp). UPSWEEP_TEST_LOOK_BACK asks for scans in
// one pass.
#pragma once

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upsweep/vulkan/executor.hpp"

namespace upsweep::test {

class vulkan_device {
  public:
    // The one of this process. Throws std::runtime_error if there is none.
    static vulkan_device& get();
    ~vulkan_device();
    vulkan_device(const vulkan_device&) = delete;
    vulkan_device& operator=(const vulkan_device&) = delete;

    [[nodiscard]] vulkan::device_handles handles() const;
    // With the features that the device was created with.
    [[nodiscard]] vulkan::executor_options options() const;
    [[nodiscard]] VkDevice device() const { return device_; }
    [[nodiscard]] VkQueue queue() const { return queue_; }
    // "llvmpipe (LLVM 15.0.6, 256 bits), llvmpipe Mesa 22.3.6, subgroups of 8, validation sync"
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::uint32_t memory_type() const { return memory_type_; }
    [[nodiscard]] bool has_draws() const { return graphics_; }
    // "core", "sync", "gpu" or nothing.
    [[nodiscard]] const std::string& validation() const { return validation_; }

  private:
    vulkan_device();
    void make_instance();
    void choose_device();
    void make_device();

    std::string validation_;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    std::uint32_t family_ = 0;
    bool graphics_ = false;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    std::uint32_t memory_type_ = 0;
    bool float64_ = false;
    bool full_subgroups_ = false;
    bool float_controls_ = false;
    VkPipelineCache cache_ =
        VK_NULL_HANDLE;  // of every executor: the tests make the same pipelines again and again
};

// Whether to do less: UPSWEEP_TEST_QUICK asks for it, as the program runs once more in another setting, or a
// sanitizer watches.
bool vulkan_quick();

// Errors and warnings of the validation layers since the last call.
std::vector<std::string> vulkan_messages();

// Bytes on the device, mapped. Usage: storage, indirect, transfer.
class vulkan_buffer {
  public:
    explicit vulkan_buffer(std::size_t bytes = 0);
    ~vulkan_buffer();
    vulkan_buffer(const vulkan_buffer&) = delete;
    vulkan_buffer& operator=(const vulkan_buffer&) = delete;

    // At least so many bytes; contents are lost when it grows.
    void reserve(std::size_t bytes);
    [[nodiscard]] VkBuffer handle() const { return buffer_; }
    [[nodiscard]] std::byte* data() const { return mapped_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    template <class T>
    [[nodiscard]] std::span<T> as(std::size_t count, std::size_t offset_bytes = 0) const {
        return {reinterpret_cast<T*>(mapped_ + offset_bytes), count};
    }

  private:
    void release();

    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte* mapped_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace upsweep::test
