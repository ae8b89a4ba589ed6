// Submitting and waiting.
#include "upsweep/vulkan/run.hpp"

#include <cstdint>

#include "vulkan/state.hpp"

namespace upsweep::vulkan {
namespace {

// Destroys what run() makes, whichever way it ends.
struct submission {
    const executor::state& ex;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;

    explicit submission(const executor::state& state) : ex(state) {}
    submission(const submission&) = delete;
    submission& operator=(const submission&) = delete;
    ~submission() {
        if (fence != VK_NULL_HANDLE) ex.vk.DestroyFence(ex.handles.device, fence, ex.options.allocator);
        if (pool != VK_NULL_HANDLE) ex.vk.DestroyCommandPool(ex.handles.device, pool, ex.options.allocator);
    }
};

void barrier(const functions& vk, VkCommandBuffer buffer, VkPipelineStageFlags from,
             VkAccessFlags from_access, VkPipelineStageFlags to, VkAccessFlags to_access) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = from_access;
    memory.dstAccessMask = to_access;
    vk.CmdPipelineBarrier(buffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

void run(executor& ex, VkQueue queue, std::span<const commands* const> sequence) {
    const executor::state& state = ex.internal();
    const functions& vk = state.vk;
    const VkDevice device = state.handles.device;
    submission made(state);

    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = state.handles.queue_family;
    check(vk.CreateCommandPool(device, &pool, state.options.allocator, &made.pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = made.pool;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = 1;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    check(vk.AllocateCommandBuffers(device, &allocation, &buffer), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vk.BeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer");

    // What the host wrote is visible to a submission anyway; this is for what the device wrote earlier.
    constexpr VkAccessFlags shader_access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier(vk, buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader_access);
    for (const commands* next : sequence) {
        next->record(buffer);
        barrier(vk, buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                shader_access | VK_ACCESS_HOST_READ_BIT);
    }
    check(vk.EndCommandBuffer(buffer), "vkEndCommandBuffer");

    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    check(vk.CreateFence(device, &fence, state.options.allocator, &made.fence), "vkCreateFence");
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &buffer;
    check(vk.QueueSubmit(queue, 1, &submit, made.fence), "vkQueueSubmit");
    check(vk.WaitForFences(device, 1, &made.fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
}

}  // namespace upsweep::vulkan
