// Compaction and scan in a command buffer of your own: the stars brighter than a limit (bright.glsl), then
// the running sum of their brightness, whose length is the count that the compaction left on the device. One
// submission, barriers by the rule of commands::record, and the time of each stage.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <upsweep/upsweep.hpp>
#include <upsweep/vulkan/compact.hpp>
#include <upsweep/vulkan/scan.hpp>
#include <upsweep/vulkan/standalone.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bright.hpp"  // upsweep::vulkan::user_items bright, made by upsweep_vulkan_items()

namespace {

namespace vulkan = upsweep::vulkan;

void require(VkResult result, const char* call) {
    if (result != VK_SUCCESS) throw std::runtime_error(std::string(call) + " failed");
}

// Descriptor set 1 of bright.glsl.
struct star_set {
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
};
star_set make_set(VkDevice device, VkBuffer stars, VkBuffer packed) {
    star_set made;
    std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
    for (std::uint32_t i = 0; i < 2; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    layout.bindingCount = 2;
    layout.pBindings = bindings.data();
    require(vkCreateDescriptorSetLayout(device, &layout, nullptr, &made.layout),
            "vkCreateDescriptorSetLayout");
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    require(vkCreateDescriptorPool(device, &pool, nullptr, &made.pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = made.pool;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &made.layout;
    require(vkAllocateDescriptorSets(device, &allocation, &made.set), "vkAllocateDescriptorSets");
    const std::array<VkDescriptorBufferInfo, 2> ranges{
        {{stars, 0, VK_WHOLE_SIZE}, {packed, 0, VK_WHOLE_SIZE}}};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = made.set;
    write.descriptorCount = 2;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = ranges.data();
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    return made;
}

// What shaders wrote before becomes visible to what shaders read and write after.
void wait_for_shaders(VkCommandBuffer buffer) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &memory, 0, nullptr, 0, nullptr);
}

// Stars of a brightness from 0 to 1, in steps that floats hold.
std::vector<std::array<float, 4>> make_stars(std::size_t n) {
    std::vector<std::array<float, 4>> made(n);
    std::uint32_t random = 1;
    for (auto& star : made) {
        for (float& x : star) {
            random = random * 1664525u + 1013904223u;
            x = static_cast<float>(random >> 16) * 0x1p-16f;
        }
    }
    return made;
}

int run() {
    if (volkInitialize() != VK_SUCCESS) throw std::runtime_error("there is no Vulkan loader");
    vulkan::standalone_device device;
    const VkDevice handle = device.handles().device;
    volkLoadInstanceOnly(device.handles().instance);
    volkLoadDevice(handle);

    constexpr std::size_t n = 200000;
    constexpr float limit = 0.75f;
    const std::vector<std::array<float, 4>> stars = make_stars(n);
    const vulkan::standalone_device::memory input(device, 16 * n), kept(device, 4 * n), sums(device, 4 * n),
        counts(device, sizeof(vulkan::indirect_arguments));
    device.upload(input, 0, std::as_bytes(std::span(stars)));
    const star_set set = make_set(handle, input.handle(), kept.handle());

    {
        vulkan::executor gpu(device.handles(), device.options());
        const vulkan::item_stages stages(gpu, bright, set.layout);
        const auto compact_needs = vulkan::compact_workspace(gpu, n);
        const auto scan_needs = vulkan::scan_workspace<float>(gpu, n);
        const vulkan::standalone_device::memory compact_space(device, compact_needs.bytes),
            scan_space(device, scan_needs.bytes);
        const auto arguments = counts.span<vulkan::indirect_arguments>(1);
        const vulkan::commands compact = vulkan::prepare_compact(
            stages, set.set, n, arguments, compact_space.span<std::byte>(compact_needs.bytes),
            {.user = {std::bit_cast<std::uint32_t>(limit)}});
        const vulkan::commands scan = vulkan::prepare_inclusive_scan(
            gpu, kept.span<const float>(n), sums.span<float>(n), scan_space.span<std::byte>(scan_needs.bytes),
            upsweep::plus{}, {.length = {counts.handle(), 1, vulkan::count_offset}});

        VkCommandPoolCreateInfo pool_info{};
        pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool_info.queueFamilyIndex = device.handles().queue_family;
        VkCommandPool pool = VK_NULL_HANDLE;
        require(vkCreateCommandPool(handle, &pool_info, nullptr, &pool), "vkCreateCommandPool");
        VkCommandBufferAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocation.commandPool = pool;
        allocation.commandBufferCount = 1;
        VkCommandBuffer buffer = VK_NULL_HANDLE;
        require(vkAllocateCommandBuffers(handle, &allocation, &buffer), "vkAllocateCommandBuffers");
        VkQueryPoolCreateInfo query_info{};
        query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        query_info.queryCount = compact.timestamp_count() + scan.timestamp_count();
        VkQueryPool queries = VK_NULL_HANDLE;
        require(vkCreateQueryPool(handle, &query_info, nullptr, &queries), "vkCreateQueryPool");

        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        require(vkBeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer");
        compact.record(buffer, {queries, 0});
        wait_for_shaders(buffer);
        scan.record(buffer, {queries, compact.timestamp_count()});
        require(vkEndCommandBuffer(buffer), "vkEndCommandBuffer");
        VkSubmitInfo submit{};
        submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &buffer;
        require(vkQueueSubmit(device.queue(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
        require(vkQueueWaitIdle(device.queue()), "vkQueueWaitIdle");

        std::vector<std::uint64_t> ticks(query_info.queryCount);
        require(vkGetQueryPoolResults(handle, queries, 0, query_info.queryCount, 8 * ticks.size(),
                                      ticks.data(), 8, VK_QUERY_RESULT_64_BIT),
                "vkGetQueryPoolResults");
        const double microseconds = 1e-3 * static_cast<double>(gpu.properties().limits.timestampPeriod);
        std::size_t query = 0;
        for (const vulkan::commands* each : {&compact, &scan}) {
            for (std::uint32_t i = 0; i < each->dispatch_count(); ++i, ++query)
                std::printf("%-12s %8.1f us\n", std::string(each->stage(i)).c_str(),
                            microseconds * static_cast<double>(ticks[query + 1] - ticks[query]));
            ++query;  // each list has one timestamp more than dispatches
        }
        vkDestroyQueryPool(handle, queries, nullptr);
        vkDestroyCommandPool(handle, pool, nullptr);
    }
    vkDestroyDescriptorPool(handle, set.pool, nullptr);
    vkDestroyDescriptorSetLayout(handle, set.layout, nullptr);

    // The same on the CPU.
    std::vector<float> expected, got;
    for (const auto& star : stars) {
        if (star[3] > limit) expected.push_back(star[3]);
    }
    upsweep::cpu::executor cpu;
    upsweep::inclusive_scan(cpu, expected, expected);
    vulkan::indirect_arguments found{};
    device.download(counts, 0, std::as_writable_bytes(std::span(&found, 1)));
    got.resize(found.count);
    device.download(sums, 0, std::as_writable_bytes(std::span(got)));
    const bool same =
        got.size() == expected.size() && std::memcmp(got.data(), expected.data(), 4 * got.size()) == 0;
    std::printf("%s: %u of %zu stars are bright, their brightness adds up to %.3f\n",
                device.info().name.c_str(), found.count, n,
                static_cast<double>(got.empty() ? 0.0f : got.back()));
    std::puts(same ? "CPU and Vulkan agree in every bit" : "CPU and Vulkan differ");
    return same ? 0 : 1;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "own_commands: %s\n", problem.what());
        return 1;
    }
}
