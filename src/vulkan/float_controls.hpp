// Execution modes that make a driver keep subnormal numbers, signed zeros, infinities and NaN, and round to
// nearest even: what the numeric contract asks for and Vulkan leaves to the driver otherwise.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::vulkan {

// Adds to a SPIR-V module what `properties` says that the device can promise, for float and, if wanted,
// double. GLSL has no words for it, and not every device may be asked, so modules are completed when a
// pipeline is made.
[[nodiscard]] std::vector<std::uint32_t> with_float_controls(
    std::span<const std::uint32_t> module, const VkPhysicalDeviceFloatControlsProperties& properties,
    bool float64);

}  // namespace upsweep::vulkan
