// Descriptor sets, and recording.
#include "vulkan/record.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace upsweep::vulkan {

commands::state::state(executor::state& ex, VkPipelineLayout layout, VkDescriptorSet callers_set,
                       std::vector<step> steps, const std::array<VkBuffer, shader::resource_count>& buffers,
                       std::vector<std::uint32_t> table, VkDeviceSize table_offset)
    : ex_(ex),
      layout_(layout),
      callers_set_(callers_set),
      steps_(std::move(steps)),
      table_(std::move(table)),
      workspace_(buffers[static_cast<std::size_t>(shader::resource::workspace)]),
      table_offset_(table_offset) {
    if (steps_.empty()) return;
    try {
        make_sets(buffers);
    } catch (...) {
        ex_.vk.DestroyDescriptorPool(ex_.handles.device, pool_, ex_.options.allocator);
        throw;
    }
}

commands::state::~state() {
    if (pool_ != VK_NULL_HANDLE)
        ex_.vk.DestroyDescriptorPool(ex_.handles.device, pool_, ex_.options.allocator);
}

// Dispatches with equal bindings share a set.
void commands::state::make_sets(const std::array<VkBuffer, shader::resource_count>& buffers) {
    std::vector<std::size_t> owner(steps_.size());
    std::vector<std::size_t> distinct;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const auto same = std::find_if(distinct.begin(), distinct.end(), [&](std::size_t other) {
            return steps_[other].dispatch.bindings == steps_[i].dispatch.bindings;
        });
        if (same == distinct.end()) {
            owner[i] = distinct.size();
            distinct.push_back(i);
        } else {
            owner[i] = static_cast<std::size_t>(same - distinct.begin());
        }
    }

    const auto set_count = static_cast<std::uint32_t>(distinct.size());
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, UPSWEEP_BINDINGS * set_count};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = set_count;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    check(ex_.vk.CreateDescriptorPool(ex_.handles.device, &pool, ex_.options.allocator, &pool_),
          "vkCreateDescriptorPool");
    const std::vector<VkDescriptorSetLayout> layouts(set_count, ex_.set_layout);
    std::vector<VkDescriptorSet> made(set_count);
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = set_count;
    allocation.pSetLayouts = layouts.data();
    check(ex_.vk.AllocateDescriptorSets(ex_.handles.device, &allocation, made.data()),
          "vkAllocateDescriptorSets");

    std::vector<VkDescriptorBufferInfo> ranges;
    ranges.reserve(UPSWEEP_BINDINGS * distinct.size());
    std::vector<VkWriteDescriptorSet> writes;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        const auto& bindings = steps_[distinct[i]].dispatch.bindings;
        for (std::uint32_t at = 0; at < bindings.size(); ++at) {
            const shader::binding& bound = bindings[at];
            if (bound.from == shader::resource::none) continue;
            ranges.push_back({buffers[static_cast<std::size_t>(bound.from)], bound.offset, bound.bytes});
            VkWriteDescriptorSet write{};
            write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
            write.dstSet = made[i];
            write.dstBinding = at;
            write.descriptorCount = 1;
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &ranges.back();
            writes.push_back(write);
        }
    }
    ex_.vk.UpdateDescriptorSets(ex_.handles.device, static_cast<std::uint32_t>(writes.size()), writes.data(),
                                0, nullptr);
    for (const std::size_t set : owner) sets_.push_back(made[set]);
}

// The caller makes the workspace available to compute shaders; what copies must wait for them, and what
// follows for the copies.
void commands::state::write_table(VkCommandBuffer command_buffer) const {
    const functions& vk = ex_.vk;
    const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                             VkAccessFlags used) {
        VkMemoryBarrier memory{};
        memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        memory.srcAccessMask = written;
        memory.dstAccessMask = used;
        vk.CmdPipelineBarrier(command_buffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
    };
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_WRITE_BIT);
    constexpr std::size_t most_words = 65536 / sizeof(std::uint32_t);  // that one command may write
    for (std::size_t first = 0; first < table_.size(); first += most_words) {
        const std::size_t words = std::min(most_words, table_.size() - first);
        vk.CmdUpdateBuffer(command_buffer, workspace_, table_offset_ + sizeof(std::uint32_t) * first,
                           sizeof(std::uint32_t) * words, table_.data() + first);
    }
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void commands::state::record(VkCommandBuffer command_buffer, const timestamps& times) const {
    const functions& vk = ex_.vk;
    const bool timed = times.pool != VK_NULL_HANDLE;
    std::uint32_t query = times.first;
    if (timed) {
        vk.CmdResetQueryPool(command_buffer, times.pool, query,
                             static_cast<std::uint32_t>(steps_.size()) + 1);
        vk.CmdWriteTimestamp(command_buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times.pool, query++);
    }
    if (!table_.empty()) write_table(command_buffer);
    VkPipeline bound_pipeline = VK_NULL_HANDLE;
    VkDescriptorSet bound_set = VK_NULL_HANDLE;
    if (callers_set_ != VK_NULL_HANDLE && !steps_.empty()) {
        vk.CmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 1, 1, &callers_set_,
                                 0, nullptr);
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const step& next = steps_[i];
        if (next.dispatch.waits) {
            VkMemoryBarrier barrier{};
            barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
            barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
            barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
            vk.CmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                  nullptr);
        }
        if (next.pipeline != bound_pipeline)
            vk.CmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, next.pipeline);
        bound_pipeline = next.pipeline;
        if (sets_[i] != bound_set)
            vk.CmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &sets_[i],
                                     0, nullptr);
        bound_set = sets_[i];
        vk.CmdPushConstants(command_buffer, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<std::uint32_t>(sizeof(next.dispatch.parameters)),
                            next.dispatch.parameters.data());
        vk.CmdDispatch(command_buffer, next.dispatch.groups_x, next.dispatch.groups_y, 1);
        if (timed)
            vk.CmdWriteTimestamp(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, times.pool, query++);
    }
}

commands::commands() = default;
commands::commands(std::unique_ptr<state> made) : state_(std::move(made)) {}
commands::commands(commands&&) noexcept = default;
commands& commands::operator=(commands&&) noexcept = default;
commands::~commands() = default;

void commands::record(VkCommandBuffer command_buffer, const timestamps& times) const {
    if (state_) state_->record(command_buffer, times);
}
std::uint32_t commands::dispatch_count() const {
    return state_ ? static_cast<std::uint32_t>(state_->steps().size()) : 0;
}
std::string_view commands::stage(std::uint32_t dispatch) const {
    return shader::name(state_->steps().at(dispatch).dispatch);
}

}  // namespace upsweep::vulkan
