// The Vulkan executor: the caller's device, and the compute pipelines that scans and compactions on it use.
//
// It submits nothing, waits for nothing and allocates no device memory: buffers and command buffers are the
// caller's. All of Vulkan is reached through the caller's vkGetInstanceProcAddr, so it does not matter who
// loaded it.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "upsweep/shader/operation.hpp"
#include "upsweep/shader/sequence_way.hpp"
#include "upsweep/shader/sort.hpp"

namespace upsweep::vulkan {

// Vulkan 1.1 or later. The handles must outlive the executor.
struct device_handles {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::uint32_t queue_family = 0;  // one with VK_QUEUE_COMPUTE_BIT
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
    PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;  // null: from get_instance_proc_addr
};

using shader::sequence_way;

enum class subgroup_use : std::uint8_t {
    automatic,  // where the device has the operations and the operator is exact
    off,        // shared memory only
    required,   // as automatic, but a device without them is an error
};

struct executor_options {
    // Features of the device that the caller enabled. Without them what needs them is an error.
    bool shader_float64 = false;          // for double
    bool compute_full_subgroups = false;  // of VK_EXT_subgroup_size_control or Vulkan 1.3; used if there
    bool float_controls = false;          // VK_KHR_shader_float_controls, or Vulkan 1.2: without it
                                          // some drivers flush subnormal numbers
    subgroup_use subgroups = subgroup_use::automatic;
    VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
    const VkAllocationCallbacks* allocator = nullptr;
    sequence_way way = sequence_way::automatic;  // of scans of sequences, docs/shaders.md
    // Limits lower than the device's, to see how work is divided; 0 takes the device's.
    std::uint32_t max_groups_x = 0;
    std::uint32_t max_groups_y = 0;
    std::uint64_t max_binding_bytes = 0;
    std::uint32_t max_supers_per_dispatch = 0;  // 0: 16384
    // Of look_back: how often a work group asks for a total before it computes it, 0 for 256; and whether the
    // last tile comes first, so that no total is there yet.
    std::uint32_t max_polls = 0;
    bool last_tile_first = false;
    // A sort of up to so many keys of a word, or four times as many of two, merges sorted tiles; one of more
    // splits by digits: docs/shaders.md.
    std::uint64_t merged_keys = shader::most_merged_keys;
};

class executor {
  public:
    // Throws upsweep::error: invalid_argument for a missing handle or a queue family without compute,
    // unsupported for a device that is too small, device if Vulkan reports a failure.
    explicit executor(const device_handles& handles, const executor_options& options = {});
    ~executor();
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    // Whether exact operators use subgroup operations, and the size that the device states.
    [[nodiscard]] bool uses_subgroups() const;
    [[nodiscard]] std::uint32_t subgroup_size() const;
    [[nodiscard]] const VkPhysicalDeviceProperties& properties() const;
    [[nodiscard]] const device_handles& handles() const;

    // Whether this operation can be computed here: sums and products of doubles need shader_float64.
    [[nodiscard]] bool supports(const shader::operation& op) const;

    class state;
    [[nodiscard]] state& internal() const { return *state_; }

  private:
    std::unique_ptr<state> state_;
};

}  // namespace upsweep::vulkan
