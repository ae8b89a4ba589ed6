// A Vulkan device for programs that have none of their own: command-line tools, tests, benchmarks. Programs
// that draw make their own device and give its handles to the executor.
//
// The loader (libvulkan.so.1) is opened when it is asked for, so the library does not depend on it.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/vulkan/buffer.hpp"
#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

// What a machine has, in the loader's order.
struct device_info {
    std::string name;    // "llvmpipe (LLVM 15.0.6, 256 bits)"
    std::string driver;  // "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)"
    std::uint32_t api_version = 0;
    bool is_processor = false;  // the driver runs on the CPU
    bool usable = false;        // Vulkan 1.1 and a queue with compute
};
// Empty without a loader or a driver.
[[nodiscard]] std::vector<device_info> list_devices();

// One device with one compute queue, and executor options that name the features it was made with. Not for
// use by several threads at once.
class standalone_device {
  public:
    // The first usable device that is no processor, or else the first usable one; with a name, the first
    // whose name contains it. Throws upsweep::error (unsupported) if there is none.
    explicit standalone_device(std::string_view name = {});
    // The device at that place of list_devices(). Throws upsweep::error (unsupported) if it is not usable.
    explicit standalone_device(std::size_t place);
    ~standalone_device();
    standalone_device(const standalone_device&) = delete;
    standalone_device& operator=(const standalone_device&) = delete;

    [[nodiscard]] device_handles handles() const;
    [[nodiscard]] executor_options options() const;
    [[nodiscard]] VkQueue queue() const;
    [[nodiscard]] const device_info& info() const;

    // Memory of the device, with the usages storage, indirect and transfer. Throws upsweep::error
    // (out_of_memory, device).
    class memory {
      public:
        memory(standalone_device& device, VkDeviceSize bytes);
        memory(memory&&) noexcept;
        memory& operator=(memory&&) noexcept;
        ~memory();

        [[nodiscard]] VkBuffer handle() const;
        [[nodiscard]] VkDeviceSize bytes() const;
        // `size` elements of T from byte `offset` on.
        template <class T>
        [[nodiscard]] buffer_span<T> span(std::uint64_t size, VkDeviceSize offset = 0) const {
            return {handle(), size, offset};
        }

        class state;

      private:
        std::unique_ptr<state> state_;
    };

    // Copies to and from the device and waits. The bytes must lie within the memory.
    void upload(const memory& to, VkDeviceSize offset, std::span<const std::byte> from);
    void download(const memory& from, VkDeviceSize offset, std::span<std::byte> to);
    // Copies all of `from` to the beginning of `to`, so many times one after the other, and waits.
    void copy(const memory& from, const memory& to, std::size_t times = 1);

    class state;

  private:
    std::unique_ptr<state> state_;
};

}  // namespace upsweep::vulkan
