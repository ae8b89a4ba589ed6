// Pipelines and descriptor sets of tests and benchmarks.
#include "support/vulkan_pipeline.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

void require(VkResult result) {
    if (result != VK_SUCCESS)
        throw std::runtime_error("VkResult " + std::to_string(static_cast<int>(result)));
}

}  // namespace

buffer_set::buffer_set(VkDevice device, std::initializer_list<VkBuffer> buffers) : device_(device) {
    const auto count = static_cast<std::uint32_t>(buffers.size());
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < count; ++i)
        bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    layout.bindingCount = count;
    layout.pBindings = bindings.data();
    require(vkCreateDescriptorSetLayout(device, &layout, nullptr, &layout_));
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    require(vkCreateDescriptorPool(device, &pool, nullptr, &pool_));
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &layout_;
    require(vkAllocateDescriptorSets(device, &allocation, &set_));
    std::uint32_t at = 0;
    for (const VkBuffer buffer : buffers) {
        const VkDescriptorBufferInfo info{buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = set_;
        write.dstBinding = at++;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &info;
        vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    }
}

buffer_set::~buffer_set() {
    vkDestroyDescriptorPool(device_, pool_, nullptr);
    vkDestroyDescriptorSetLayout(device_, layout_, nullptr);
}

plain_pipeline::plain_pipeline(VkDevice device, std::span<const std::uint32_t> module,
                               const buffer_set& buffers)
    : device_(device) {
    const VkDescriptorSetLayout set = buffers.layout();
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set;
    require(vkCreatePipelineLayout(device, &layout, nullptr, &layout_));
    VkShaderModuleCreateInfo code{};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = module.size_bytes();
    code.pCode = module.data();
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = layout_;
    require(vkCreateShaderModule(device, &code, nullptr, &info.stage.module));
    const VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
    vkDestroyShaderModule(device, info.stage.module, nullptr);
    require(result);
}

plain_pipeline::~plain_pipeline() {
    vkDestroyPipeline(device_, pipeline_, nullptr);
    vkDestroyPipelineLayout(device_, layout_, nullptr);
}

void plain_pipeline::bind(VkCommandBuffer commands, const buffer_set& buffers) const {
    const VkDescriptorSet set = buffers.set();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
}

}  // namespace upsweep::test
