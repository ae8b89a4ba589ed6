// Pipelines that are made once in a process, and what they are made of.
#include "support/vulkan_kept.hpp"

#include <volk.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

// What an object is made from, as words.
class contents {
  public:
    template <class T>
    contents& add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return add(&value, sizeof(value));
    }
    contents& add(const void* bytes, std::size_t size) {
        const std::size_t first = bytes_.size();
        bytes_.resize(first + size);
        if (size != 0) std::memcpy(bytes_.data() + first, bytes, size);
        return *this;
    }
    friend bool operator<(const contents& a, const contents& b) { return a.bytes_ < b.bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

template <class Handle>
using table = std::map<contents, Handle>;
struct kept_objects {
    std::mutex mutex;
    table<VkShaderModule> modules;
    table<VkDescriptorSetLayout> set_layouts;
    table<VkPipelineLayout> layouts;
    table<VkPipeline> pipelines;
};
kept_objects& kept() {
    // Never destroyed: the device, whose end it sees, is an older static object.
    static auto& objects = *new kept_objects;
    return objects;
}

template <class Handle>
bool holds(const table<Handle>& objects, Handle handle) {
    for (const auto& [key, object] : objects)
        if (object == handle) return true;
    return false;
}
template <class Handle, class Make>
VkResult make_once(table<Handle>& objects, const contents& key, Handle* made, const Make& make) {
    Handle& object = objects[key];
    const VkResult result = object == VK_NULL_HANDLE ? make(&object) : VK_SUCCESS;
    *made = object;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkShaderModule* made) {
    if (allocator != nullptr || info->pNext != nullptr)
        return vkCreateShaderModule(device, info, allocator, made);
    const std::lock_guard lock(kept().mutex);
    return make_once(kept().modules, contents().add(info->pCode, info->codeSize), made,
                     [&](VkShaderModule* one) { return vkCreateShaderModule(device, info, nullptr, one); });
}

VKAPI_ATTR VkResult VKAPI_CALL create_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator,
                                                 VkDescriptorSetLayout* made) {
    contents key;
    bool keeps = allocator == nullptr && info->pNext == nullptr;
    key.add(info->flags);
    for (std::uint32_t i = 0; i < info->bindingCount; ++i) {
        const VkDescriptorSetLayoutBinding& one = info->pBindings[i];
        keeps = keeps && one.pImmutableSamplers == nullptr;
        key.add(one.binding).add(one.descriptorType).add(one.descriptorCount).add(one.stageFlags);
    }
    if (!keeps) return vkCreateDescriptorSetLayout(device, info, allocator, made);
    const std::lock_guard lock(kept().mutex);
    return make_once(kept().set_layouts, key, made, [&](VkDescriptorSetLayout* one) {
        return vkCreateDescriptorSetLayout(device, info, nullptr, one);
    });
}

VKAPI_ATTR VkResult VKAPI_CALL create_layout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkPipelineLayout* made) {
    const std::lock_guard lock(kept().mutex);
    contents key;
    bool keeps = allocator == nullptr && info->pNext == nullptr;
    key.add(info->flags).add(info->setLayoutCount);
    for (std::uint32_t i = 0; i < info->setLayoutCount; ++i) {
        keeps = keeps && holds(kept().set_layouts, info->pSetLayouts[i]);
        key.add(info->pSetLayouts[i]);
    }
    key.add(info->pPushConstantRanges, info->pushConstantRangeCount * sizeof(VkPushConstantRange));
    if (!keeps) return vkCreatePipelineLayout(device, info, allocator, made);
    return make_once(kept().layouts, key, made, [&](VkPipelineLayout* one) {
        return vkCreatePipelineLayout(device, info, nullptr, one);
    });
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                                const VkComputePipelineCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkPipeline* made) {
    const VkPipelineShaderStageCreateInfo& stage = info->stage;
    const std::lock_guard lock(kept().mutex);
    if (allocator != nullptr || count != 1 || info->pNext != nullptr || stage.pNext != nullptr ||
        !holds(kept().modules, stage.module) || !holds(kept().layouts, info->layout))
        return vkCreateComputePipelines(device, cache, count, info, allocator, made);
    contents key;
    key.add(info->flags).add(info->layout).add(stage.flags).add(stage.module);
    if (const VkSpecializationInfo* const constants = stage.pSpecializationInfo; constants != nullptr) {
        for (std::uint32_t i = 0; i < constants->mapEntryCount; ++i) {
            const VkSpecializationMapEntry& entry = constants->pMapEntries[i];
            key.add(entry.constantID)
                .add(static_cast<const std::byte*>(constants->pData) + entry.offset, entry.size);
        }
    }
    key.add(stage.pName, std::strlen(stage.pName));
    return make_once(kept().pipelines, key, made, [&](VkPipeline* one) {
        return vkCreateComputePipelines(device, cache, 1, info, nullptr, one);
    });
}

// Destroys what is not kept.
template <auto& Destroy, auto Table, class Handle>
VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, Handle handle, const VkAllocationCallbacks* allocator) {
    const std::lock_guard lock(kept().mutex);
    if (!holds(kept().*Table, handle)) Destroy(device, handle, allocator);
}
template <class Handle, class Destroy>
void destroy_all(VkDevice device, table<Handle>& objects, const Destroy& destroy_one) {
    for (const auto& [key, object] : objects) destroy_one(device, object, nullptr);
    objects.clear();
}

}  // namespace

PFN_vkVoidFunction VKAPI_CALL get_keeping_device_proc_addr(VkDevice device, const char* name) {
    const auto erased = [](auto function) { return reinterpret_cast<PFN_vkVoidFunction>(function); };
    const std::string_view wanted = name;
    if (wanted == "vkCreateShaderModule") return erased(create_module);
    if (wanted == "vkCreateDescriptorSetLayout") return erased(create_set_layout);
    if (wanted == "vkCreatePipelineLayout") return erased(create_layout);
    if (wanted == "vkCreateComputePipelines") return erased(create_pipelines);
    if (wanted == "vkDestroyShaderModule")
        return erased(destroy<vkDestroyShaderModule, &kept_objects::modules, VkShaderModule>);
    if (wanted == "vkDestroyDescriptorSetLayout")
        return erased(
            destroy<vkDestroyDescriptorSetLayout, &kept_objects::set_layouts, VkDescriptorSetLayout>);
    if (wanted == "vkDestroyPipelineLayout")
        return erased(destroy<vkDestroyPipelineLayout, &kept_objects::layouts, VkPipelineLayout>);
    if (wanted == "vkDestroyPipeline")
        return erased(destroy<vkDestroyPipeline, &kept_objects::pipelines, VkPipeline>);
    return vkGetDeviceProcAddr(device, name);
}

void destroy_kept(VkDevice device) {
    const std::lock_guard lock(kept().mutex);
    destroy_all(device, kept().pipelines, vkDestroyPipeline);
    destroy_all(device, kept().layouts, vkDestroyPipelineLayout);
    destroy_all(device, kept().set_layouts, vkDestroyDescriptorSetLayout);
    destroy_all(device, kept().modules, vkDestroyShaderModule);
}

}  // namespace upsweep::test
