// A typed part of a VkBuffer: what a std::span is to memory of the host.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/shader/buffer_view.hpp"

namespace upsweep::vulkan {

// `size` elements of T from byte `offset` of `buffer` on. The offset is a multiple of sizeof(T), or of 4 for
// larger elements that are only moved; it need not
// respect minStorageBufferOffsetAlignment. The buffer needs the usage VK_BUFFER_USAGE_STORAGE_BUFFER_BIT and
// must be bound to memory. Nothing is owned.
template <class T>
struct buffer_span {
    using element_type = T;

    VkBuffer buffer = VK_NULL_HANDLE;
    std::uint64_t size = 0;
    VkDeviceSize offset = 0;

    [[nodiscard]] constexpr VkDeviceSize bytes() const { return shader::span_bytes<T>(size); }
    constexpr operator buffer_span<const T>() const requires(!std::is_const_v<T>) {
        return {buffer, size, offset};
    }
};

// What can be moved as it is: words.
template <class T>
concept record = std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0;

// A strided n-dimensional array of T in a buffer: buffer_view<T>(buffer, offset in bytes, shape, strides).
template <class T>
using buffer_view = shader::buffer_view<T, VkBuffer>;

// Scratch memory of what is prepared: bytes.
using workspace_span = buffer_span<std::byte>;

// What a workspace must be. A larger one serves too, and bytes never decrease with the length, so one made
// for the longest sequence serves all. Two recordings may use one workspace if a barrier stands between them.
struct workspace_requirements {
    VkDeviceSize bytes = 0;
    VkDeviceSize alignment = 1;  // of the span's offset
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
};

}  // namespace upsweep::vulkan
