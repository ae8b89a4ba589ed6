// Time on the GPU of what is recorded into a command buffer.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/vulkan/commands.hpp"

namespace bench {

inline void require(VkResult result, const char* call) {
    if (result != VK_SUCCESS) throw std::runtime_error(std::string(call) + " failed");
}

// Command buffers with two timestamps around what they hold.
class stopwatch {
  public:
    stopwatch(VkDevice device, VkQueue queue, std::uint32_t family, double tick_seconds)
        : device_(device), queue_(queue), tick_(tick_seconds) {
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = family;
        require(vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool");
        VkCommandBufferAllocateInfo buffers{};
        buffers.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        buffers.commandPool = pool_;
        buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        buffers.commandBufferCount = 1;
        require(vkAllocateCommandBuffers(device, &buffers, &commands_), "vkAllocateCommandBuffers");
        VkQueryPoolCreateInfo queries{};
        queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = 64;
        require(vkCreateQueryPool(device, &queries, nullptr, &queries_), "vkCreateQueryPool");
    }
    ~stopwatch() {
        vkDestroyQueryPool(device_, queries_, nullptr);
        vkDestroyCommandPool(device_, pool_, nullptr);
    }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;

    // Seconds on the GPU for `repetitions` of the work.
    double time(const std::function<void(VkCommandBuffer)>& work, int repetitions) {
        begin();
        vkCmdResetQueryPool(commands_, queries_, 0, 2);
        vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries_, 0);
        for (int i = 0; i < repetitions; ++i) {
            work(commands_);
            VkMemoryBarrier barrier{};
            barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
            barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
            barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
            constexpr VkPipelineStageFlags stages =
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
            vkCmdPipelineBarrier(commands_, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        }
        vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries_, 1);
        const std::vector<double> seconds = end(2);
        return seconds[1] - seconds[0];
    }
    // Seconds of each dispatch.
    std::vector<double> time_stages(const upsweep::vulkan::commands& work) {
        begin();
        work.record(commands_, {queries_, 0});
        std::vector<double> seconds = end(work.timestamp_count());
        for (std::size_t i = 0; i + 1 < seconds.size(); ++i) seconds[i] = seconds[i + 1] - seconds[i];
        seconds.pop_back();
        return seconds;
    }

  private:
    void begin() {
        VkCommandBufferBeginInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        require(vkBeginCommandBuffer(commands_, &info), "vkBeginCommandBuffer");
    }
    std::vector<double> end(std::uint32_t count) {
        require(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commands_;
        require(vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
        require(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
        std::array<std::uint64_t, 64> ticks{};
        require(vkGetQueryPoolResults(device_, queries_, 0, count, count * 8, ticks.data(), 8,
                                      VK_QUERY_RESULT_64_BIT),
                "vkGetQueryPoolResults");
        std::vector<double> seconds(count);
        for (std::size_t i = 0; i < count; ++i) seconds[i] = static_cast<double>(ticks[i] - ticks[0]) * tick_;
        return seconds;
    }

    VkDevice device_;
    VkQueue queue_;
    double tick_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkQueryPool queries_ = VK_NULL_HANDLE;
};

}  // namespace bench
