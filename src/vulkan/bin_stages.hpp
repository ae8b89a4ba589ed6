// The pipelines of stages that find bins: the library's own, or those of a user's bins.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>

#include "shader/plan.hpp"
#include "upsweep/vulkan/histogram.hpp"
#include "vulkan/state.hpp"

namespace upsweep::vulkan {

class bin_stages::state {
  public:
    state(executor::state& executor, const user_bins& bins, VkDescriptorSetLayout callers);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    // Of a stage for which shader::takes_bins is true.
    [[nodiscard]] VkPipeline pipeline(shader::stage which) const;

    executor::state& ex;
    VkPipelineLayout layout = VK_NULL_HANDLE;

  private:
    void destroy() const;

    std::array<VkPipeline, shader::stage_count> pipelines_{};
};

namespace detail {

// That of a dispatch of a histogram or an extraction, with the user's bins if `stages` is not null.
VkPipeline bins_pipeline(executor::state& ex, const shader::dispatch& next, shader::element_type type,
                         const bin_stages::state* stages);

}  // namespace detail
}  // namespace upsweep::vulkan
