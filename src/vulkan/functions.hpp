// The Vulkan functions that the library calls, from the caller's loader, and the translation of failures.
#pragma once

#include <vulkan/vulkan_core.h>

#include "upsweep/vulkan/executor.hpp"

namespace upsweep::vulkan {

#define UPSWEEP_VULKAN_INSTANCE_FUNCTIONS(f)                             \
    f(GetPhysicalDeviceMemoryProperties) f(GetPhysicalDeviceProperties2) \
        f(GetPhysicalDeviceQueueFamilyProperties)

#define UPSWEEP_VULKAN_DEVICE_FUNCTIONS(f)                                                                  \
    f(CreateShaderModule) f(DestroyShaderModule) f(CreateDescriptorSetLayout) f(DestroyDescriptorSetLayout) \
        f(CreatePipelineLayout) f(DestroyPipelineLayout) f(CreateComputePipelines) f(DestroyPipeline)       \
            f(CreateDescriptorPool) f(DestroyDescriptorPool) f(AllocateDescriptorSets)                      \
                f(UpdateDescriptorSets) f(CmdBindPipeline) f(CmdBindDescriptorSets) f(CmdPushConstants)     \
                    f(CmdCopyBuffer) f(CmdDispatch) f(CmdPipelineBarrier) f(CmdResetQueryPool)              \
                        f(CmdUpdateBuffer) f(CmdWriteTimestamp) f(CreateBuffer) f(DestroyBuffer)            \
                            f(GetBufferMemoryRequirements) f(BindBufferMemory) f(AllocateMemory)            \
                                f(FreeMemory) f(MapMemory) f(CreateCommandPool) f(DestroyCommandPool)       \
                                    f(AllocateCommandBuffers) f(BeginCommandBuffer) f(EndCommandBuffer)     \
                                        f(CreateFence) f(DestroyFence) f(WaitForFences) f(QueueWaitIdle)    \
                                            f(QueueSubmit)

struct functions {
#define UPSWEEP_DECLARE(name) PFN_vk##name name = nullptr;
    UPSWEEP_VULKAN_INSTANCE_FUNCTIONS(UPSWEEP_DECLARE)
    UPSWEEP_VULKAN_DEVICE_FUNCTIONS(UPSWEEP_DECLARE)
#undef UPSWEEP_DECLARE
};

// Throws upsweep::error (invalid_argument) for a missing handle or function.
functions load_functions(const device_handles& handles);

// Throws upsweep::error (device, or out_of_memory) unless the result is VK_SUCCESS.
void check(VkResult result, const char* call);

}  // namespace upsweep::vulkan
