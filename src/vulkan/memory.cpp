// Allocation: one piece of memory a buffer, which is enough for the few buffers that the library makes
// itself.
#include "vulkan/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::vulkan {
namespace {

// The first type with the properties wanted, best first.
std::uint32_t choose_type(const memory_context& context, std::uint32_t allowed, memory_place place) {
    constexpr VkMemoryPropertyFlags visible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr std::array<VkMemoryPropertyFlags, 2> on_device{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    constexpr std::array<VkMemoryPropertyFlags, 2> on_host{visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                                           visible};
    VkPhysicalDeviceMemoryProperties memory;
    context.vk.GetPhysicalDeviceMemoryProperties(context.physical_device, &memory);
    for (const VkMemoryPropertyFlags wanted : place == memory_place::device ? on_device : on_host) {
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
            if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
        }
    }
    throw_error(errc::unsupported, "device: expected memory that the host sees");
}

}  // namespace

owned_buffer::owned_buffer(const memory_context& context, VkDeviceSize bytes, VkBufferUsageFlags usage,
                           memory_place place)
    : context_(context), bytes_(std::max<VkDeviceSize>(bytes, 4)) {
    try {
        make(usage, place);
    } catch (...) {
        release();
        throw;
    }
}

owned_buffer::~owned_buffer() { release(); }

void owned_buffer::release() {
    context_.vk.DestroyBuffer(context_.device, buffer_, context_.allocator);
    context_.vk.FreeMemory(context_.device, memory_, context_.allocator);
}

void owned_buffer::make(VkBufferUsageFlags usage, memory_place place) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes_;
    info.usage = usage;
    check(context_.vk.CreateBuffer(context_.device, &info, context_.allocator, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements needed;
    context_.vk.GetBufferMemoryRequirements(context_.device, buffer_, &needed);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needed.size;
    allocation.memoryTypeIndex = choose_type(context_, needed.memoryTypeBits, place);
    check(context_.vk.AllocateMemory(context_.device, &allocation, context_.allocator, &memory_),
          "vkAllocateMemory");
    check(context_.vk.BindBufferMemory(context_.device, buffer_, memory_, 0), "vkBindBufferMemory");
    if (place == memory_place::device) return;
    void* mapped = nullptr;
    check(context_.vk.MapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    mapped_ = static_cast<std::byte*>(mapped);
}

}  // namespace upsweep::vulkan
