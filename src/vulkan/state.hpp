// What an executor holds: functions, limits, the layout that all stages share, and the pipelines made so far.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <tuple>

#include "shader/plan.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "vulkan/functions.hpp"

namespace upsweep::vulkan {

// What distinguishes the pipelines of one module.
struct pipeline_constants {
    std::int32_t type = 0;
    std::int32_t line = 0;
    std::uint32_t traits = 0;
    std::uint32_t blelloch_size = 0;  // 0 for a stage whose work group size is fixed
    bool float64 = false;             // the module computes with double
    std::int32_t input = 0;           // shader::input_type
    friend bool operator<(const pipeline_constants& a, const pipeline_constants& b) {
        return a.members() < b.members();
    }

  private:
    using all = std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::uint32_t, bool, std::int32_t>;
    [[nodiscard]] all members() const { return {type, line, traits, blelloch_size, float64, input}; }
};

class executor::state {
  public:
    state(const device_handles& given, const executor_options& wanted);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    // The pipeline of a module, made at the first call. Throws upsweep::error.
    VkPipeline pipeline(std::span<const std::uint32_t> module, const pipeline_constants& constants,
                        bool subgroups);
    // One that is not kept, for a layout with the caller's descriptor set.
    VkPipeline make_pipeline(std::span<const std::uint32_t> module, const pipeline_constants& constants,
                             bool subgroups, VkPipelineLayout layout) const;
    // Set 0 as in `layout`, and the caller's set 1.
    VkPipelineLayout make_layout(VkDescriptorSetLayout callers) const;

    // Throws upsweep::error (unsupported) where the device lacks what `op` needs.
    void check_operation(const shader::operation& op) const;
    void check_shared_memory(const shader::operation& op, std::uint32_t blelloch_size,
                             shader::form shape = shader::form::sequence) const;

    const functions vk;
    const device_handles handles;
    const executor_options options;
    VkPhysicalDeviceProperties properties{};
    shader::limits limits;
    std::uint32_t subgroup_size = 0;
    bool subgroups = false;
    VkPhysicalDeviceFloatControlsProperties float_controls{};  // all false unless the option is set
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;

  private:
    void read_limits();
    void make_layouts();

    using key = std::tuple<const std::uint32_t*, pipeline_constants>;
    std::mutex mutex_;
    std::map<key, VkPipeline> pipelines_;
};

}  // namespace upsweep::vulkan
