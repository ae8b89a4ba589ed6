// Submissions of the tests.
#include "support/vulkan_submission.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/vulkan_device.hpp"

namespace upsweep::test {
namespace {

void require(VkResult result) {
    if (result != VK_SUCCESS)
        throw std::runtime_error("VkResult " + std::to_string(static_cast<int>(result)));
}
VkDevice device() { return vulkan_device::get().device(); }

}  // namespace

one_submission::one_submission() {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = vulkan_device::get().handles().queue_family;
    require(vkCreateCommandPool(device(), &pool, nullptr, &pool_));
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = pool_;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = 1;
    require(vkAllocateCommandBuffers(device(), &allocation, &commands_));
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    require(vkBeginCommandBuffer(commands_, &begin));
}

one_submission::~one_submission() { vkDestroyCommandPool(device(), pool_, nullptr); }

void one_submission::run() {
    // To the host's reads.
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
    require(vkEndCommandBuffer(commands_));
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    require(vkQueueSubmit(vulkan_device::get().queue(), 1, &info, VK_NULL_HANDLE));
    require(vkQueueWaitIdle(vulkan_device::get().queue()));
}

}  // namespace upsweep::test
