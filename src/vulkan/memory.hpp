// A buffer with memory of its own.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>

#include "vulkan/functions.hpp"

namespace upsweep::vulkan {

// What allocation needs of a device.
struct memory_context {
    const functions& vk;
    VkPhysicalDevice physical_device;
    VkDevice device;
    const VkAllocationCallbacks* allocator;
};

enum class memory_place : unsigned char {
    device,  // the device's own, where it has some
    host,    // seen by the host, mapped, coherent
};

class owned_buffer {
  public:
    // Throws upsweep::error (out_of_memory, device).
    owned_buffer(const memory_context& context, VkDeviceSize bytes, VkBufferUsageFlags usage,
                 memory_place place);
    ~owned_buffer();
    owned_buffer(const owned_buffer&) = delete;
    owned_buffer& operator=(const owned_buffer&) = delete;

    [[nodiscard]] VkBuffer handle() const { return buffer_; }
    [[nodiscard]] VkDeviceSize bytes() const { return bytes_; }
    [[nodiscard]] std::byte* mapped() const { return mapped_; }

  private:
    void make(VkBufferUsageFlags usage, memory_place place);
    void release();

    memory_context context_;
    VkDeviceSize bytes_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte* mapped_ = nullptr;
};

}  // namespace upsweep::vulkan
