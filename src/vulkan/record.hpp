// From a plan to commands: descriptor sets made once, dispatches recorded as often as the caller likes.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "shader/plan.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "vulkan/state.hpp"

namespace upsweep::vulkan {

class commands::state {
  public:
    struct step {
        shader::dispatch dispatch;
        VkPipeline pipeline;
    };

    // buffers: by shader::resource. callers_set, if any, is bound as set 1 of `layout`. The words of `table`,
    // if there are any, go to `table_offset` in the workspace in front of the first dispatch.
    state(executor::state& ex, VkPipelineLayout layout, VkDescriptorSet callers_set, std::vector<step> steps,
          const std::array<VkBuffer, shader::resource_count>& buffers, std::vector<std::uint32_t> table = {},
          VkDeviceSize table_offset = 0);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    void record(VkCommandBuffer command_buffer, const timestamps& times) const;
    [[nodiscard]] const std::vector<step>& steps() const { return steps_; }

  private:
    void make_sets(const std::array<VkBuffer, shader::resource_count>& buffers);
    void write_table(VkCommandBuffer command_buffer) const;

    executor::state& ex_;
    VkPipelineLayout layout_;
    VkDescriptorSet callers_set_;
    std::vector<step> steps_;
    std::vector<std::uint32_t> table_;
    VkBuffer workspace_;
    VkDeviceSize table_offset_;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets_;
};

}  // namespace upsweep::vulkan
