// SPIR-V is a header of five words and instructions, each with its length in the upper half of its first
// word. The order of instructions is fixed: capabilities, extensions, imports, memory model, entry points,
// execution modes, ...
#include "vulkan/float_controls.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace upsweep::vulkan {
namespace {

constexpr std::size_t header_words = 5;

// Numbers of the SPIR-V specification.
constexpr std::uint32_t op_extension = 10;
constexpr std::uint32_t op_entry_point = 15;
constexpr std::uint32_t op_execution_mode = 16;
constexpr std::uint32_t op_capability = 17;

// A mode has the number of its capability less 5.
struct control {
    std::uint32_t capability;
    VkBool32 VkPhysicalDeviceFloatControlsProperties::*float32;
    VkBool32 VkPhysicalDeviceFloatControlsProperties::*float64;
    [[nodiscard]] std::uint32_t mode() const { return capability - 5; }
};
constexpr std::array<control, 3> controls{{
    {4464, &VkPhysicalDeviceFloatControlsProperties::shaderDenormPreserveFloat32,
     &VkPhysicalDeviceFloatControlsProperties::shaderDenormPreserveFloat64},
    {4466, &VkPhysicalDeviceFloatControlsProperties::shaderSignedZeroInfNanPreserveFloat32,
     &VkPhysicalDeviceFloatControlsProperties::shaderSignedZeroInfNanPreserveFloat64},
    {4467, &VkPhysicalDeviceFloatControlsProperties::shaderRoundingModeRTEFloat32,
     &VkPhysicalDeviceFloatControlsProperties::shaderRoundingModeRTEFloat64},
}};

void append(std::vector<std::uint32_t>& words, std::uint32_t op, const std::vector<std::uint32_t>& operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | op);
    words.insert(words.end(), operands.begin(), operands.end());
}

std::vector<std::uint32_t> string_operand(std::string_view text) {
    std::vector<std::uint32_t> words(text.size() / 4 + 1);
    std::memcpy(words.data(), text.data(), text.size());
    return words;
}

}  // namespace

std::vector<std::uint32_t> with_float_controls(std::span<const std::uint32_t> module,
                                               const VkPhysicalDeviceFloatControlsProperties& properties,
                                               bool float64) {
    // Where the capabilities end, where the entry points end, and the one entry point.
    std::size_t capabilities_end = header_words;
    std::size_t entries_end = 0;
    std::uint32_t entry = 0;
    for (std::size_t at = header_words; at < module.size() && module[at] >> 16 != 0; at += module[at] >> 16) {
        const std::uint32_t op = module[at] & 0xffffu;
        const std::size_t next = at + (module[at] >> 16);
        if (op == op_capability) capabilities_end = next;
        if (op == op_entry_point) {
            entries_end = next;
            entry = module[at + 2];
        }
        if (op == op_execution_mode) break;
    }

    std::vector<std::uint32_t> capabilities;
    std::vector<std::uint32_t> modes;
    for (const control& each : controls) {
        const bool narrow = properties.*each.float32 == VK_TRUE;
        const bool wide = float64 && properties.*each.float64 == VK_TRUE;
        if (narrow || wide) append(capabilities, op_capability, {each.capability});
        if (narrow) append(modes, op_execution_mode, {entry, each.mode(), 32});
        if (wide) append(modes, op_execution_mode, {entry, each.mode(), 64});
    }
    std::vector<std::uint32_t> made(module.begin(), module.end());
    if (modes.empty()) return made;
    append(capabilities, op_extension, string_operand("SPV_KHR_float_controls"));
    made.insert(made.begin() + static_cast<std::ptrdiff_t>(entries_end), modes.begin(), modes.end());
    made.insert(made.begin() + static_cast<std::ptrdiff_t>(capabilities_end), capabilities.begin(),
                capabilities.end());
    return made;
}

}  // namespace upsweep::vulkan
