// The executor: limits of the device, layouts, and pipelines on demand.
#include "upsweep/vulkan/executor.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/float_controls.hpp"
#include "vulkan/state.hpp"

namespace upsweep::vulkan {
namespace {

constexpr std::uint32_t nvidia = 0x10de;  // VkPhysicalDeviceProperties::vendorID

constexpr std::uint32_t smallest_subgroup =
    4;  // tile_scan_exact.glsl has room for the subgroups of that size

[[noreturn]] void throw_small(const char* limit, std::uint64_t wanted, std::uint64_t present) {
    throw_error(errc::unsupported, std::string("device: expected a ") + limit + " of at least " +
                                       std::to_string(wanted) + ", but it is " + std::to_string(present));
}

template <class T>
T forced(T device, T option) {
    return option == 0 ? device : std::min(device, option);
}

}  // namespace

executor::state::state(const device_handles& given, const executor_options& wanted)
    : vk(load_functions(given)), handles(given), options(wanted) {
    read_limits();
    try {
        make_layouts();
    } catch (...) {
        vk.DestroyDescriptorSetLayout(handles.device, set_layout, options.allocator);
        throw;
    }
}

executor::state::~state() {
    for (const auto& kept : pipelines_) vk.DestroyPipeline(handles.device, kept.second, options.allocator);
    vk.DestroyPipelineLayout(handles.device, layout, options.allocator);
    vk.DestroyDescriptorSetLayout(handles.device, set_layout, options.allocator);
}

void executor::state::read_limits() {
    VkPhysicalDeviceSubgroupProperties subgroup{};
    subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    float_controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    VkPhysicalDeviceProperties2 all{};
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    all.pNext = &subgroup;
    if (options.float_controls) subgroup.pNext = &float_controls;
    vk.GetPhysicalDeviceProperties2(handles.physical_device, &all);
    properties = all.properties;
    if (properties.apiVersion < VK_API_VERSION_1_1)
        throw_error(errc::unsupported,
                    std::string("device: expected Vulkan 1.1 or later on ") + properties.deviceName);

    std::uint32_t families = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(handles.physical_device, &families, nullptr);
    std::vector<VkQueueFamilyProperties> family(families);
    vk.GetPhysicalDeviceQueueFamilyProperties(handles.physical_device, &families, family.data());
    if (handles.queue_family >= families ||
        (family[handles.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
        throw_error(errc::invalid_argument,
                    "handles.queue_family: expected a family with compute, but it is " +
                        std::to_string(handles.queue_family));
    }

    const VkPhysicalDeviceLimits& device = properties.limits;
    if (device.maxComputeWorkGroupInvocations < shader::group_size)
        throw_small("maxComputeWorkGroupInvocations", shader::group_size,
                    device.maxComputeWorkGroupInvocations);
    if (device.maxComputeWorkGroupSize[0] < shader::group_size)
        throw_small("maxComputeWorkGroupSize[0]", shader::group_size, device.maxComputeWorkGroupSize[0]);
    if (device.maxPerStageDescriptorStorageBuffers < UPSWEEP_BINDINGS)
        throw_small("maxPerStageDescriptorStorageBuffers", UPSWEEP_BINDINGS,
                    device.maxPerStageDescriptorStorageBuffers);

    limits.binding_bytes = forced<std::uint64_t>(device.maxStorageBufferRange, options.max_binding_bytes);
    limits.binding_alignment = device.minStorageBufferOffsetAlignment;
    limits.groups_x = forced(device.maxComputeWorkGroupCount[0], options.max_groups_x);
    limits.groups_y = forced(device.maxComputeWorkGroupCount[1], options.max_groups_y);
    limits.supers_per_dispatch = forced(limits.supers_per_dispatch, options.max_supers_per_dispatch);
    limits.way = options.way;
    limits.look_back_is_faster = properties.vendorID == nvidia;
    limits.polls = forced(limits.polls, options.max_polls);
    limits.last_tile_first = options.last_tile_first;
    limits.merged_keys = options.merged_keys;

    constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                              VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
                                              VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
    subgroup_size = subgroup.subgroupSize;
    subgroups = options.subgroups != subgroup_use::off &&
                (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
                (subgroup.supportedOperations & needed) == needed && subgroup_size >= smallest_subgroup &&
                shader::group_size % subgroup_size == 0;
    if (options.subgroups == subgroup_use::required && !subgroups) {
        throw_error(errc::unsupported, std::string("options.subgroups: ") + properties.deviceName +
                                           " lacks subgroups of 4 lanes or more with ballot, shuffle and "
                                           "shuffle relative in compute stages");
    }
}

void executor::state::make_layouts() {
    std::array<VkDescriptorSetLayoutBinding, UPSWEEP_BINDINGS> bindings{};
    for (std::uint32_t i = 0; i < bindings.size(); ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    check(vk.CreateDescriptorSetLayout(handles.device, &info, options.allocator, &set_layout),
          "vkCreateDescriptorSetLayout");
    layout = make_layout(VK_NULL_HANDLE);
}

VkPipelineLayout executor::state::make_layout(VkDescriptorSetLayout callers) const {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    UPSWEEP_PARAMETERS * sizeof(std::uint32_t)};
    const std::array<VkDescriptorSetLayout, 2> sets{set_layout, callers};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = callers == VK_NULL_HANDLE ? 1 : 2;
    info.pSetLayouts = sets.data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout made = VK_NULL_HANDLE;
    check(vk.CreatePipelineLayout(handles.device, &info, options.allocator, &made), "vkCreatePipelineLayout");
    return made;
}

VkPipeline executor::state::pipeline(std::span<const std::uint32_t> module,
                                     const pipeline_constants& constants, bool with_subgroups) {
    const std::lock_guard lock(mutex_);
    VkPipeline& kept = pipelines_[{module.data(), constants}];
    if (kept == VK_NULL_HANDLE) kept = make_pipeline(module, constants, with_subgroups, layout);
    return kept;
}

VkPipeline executor::state::make_pipeline(std::span<const std::uint32_t> module,
                                          const pipeline_constants& constants, bool with_subgroups,
                                          VkPipelineLayout of_layout) const {
    VkShaderModuleCreateInfo code{};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    const std::vector<std::uint32_t> completed =
        with_float_controls(module, float_controls, constants.float64);
    code.codeSize = completed.size() * sizeof(std::uint32_t);
    code.pCode = completed.data();
    VkShaderModule shader_module = VK_NULL_HANDLE;
    check(vk.CreateShaderModule(handles.device, &code, options.allocator, &shader_module),
          "vkCreateShaderModule");

    struct {
        std::int32_t type, line;
        std::uint32_t traits;
        std::int32_t input;
        std::uint32_t blelloch_size, blelloch_padded;
    } values{constants.type,
             constants.line,
             constants.traits,
             constants.input,
             constants.blelloch_size,
             constants.blelloch_size == 0 ? 0 : shader::blelloch_padded(constants.blelloch_size)};
    static_assert(UPSWEEP_C_TYPE == 0 && UPSWEEP_C_LINE == 1 && UPSWEEP_C_TRAITS == 2 &&
                  UPSWEEP_C_INPUT_TYPE == 3 && UPSWEEP_C_BLELLOCH_SIZE == 4 &&
                  UPSWEEP_C_BLELLOCH_PADDED == 5);
    std::array<VkSpecializationMapEntry, 6> entries{};
    for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, 4 * i, 4};
    VkSpecializationInfo specialisation{};
    specialisation.mapEntryCount = constants.blelloch_size == 0 ? 4 : 6;
    specialisation.pMapEntries = entries.data();
    specialisation.dataSize = sizeof(values);
    specialisation.pData = &values;

    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    if (with_subgroups && options.compute_full_subgroups)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shader_module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialisation;
    info.layout = of_layout;
    VkPipeline made = VK_NULL_HANDLE;
    const VkResult result =
        vk.CreateComputePipelines(handles.device, options.pipeline_cache, 1, &info, options.allocator, &made);
    vk.DestroyShaderModule(handles.device, shader_module, options.allocator);
    check(result, "vkCreateComputePipelines");
    return made;
}

void executor::state::check_operation(const shader::operation& op) const {
    if (op.type == shader::element_type::float64 && !op.exact && !options.shader_float64) {
        throw_error(errc::unsupported,
                    std::string("T: expected ") + properties.deviceName +
                        " to compute with double, for which options.shader_float64 must say that the "
                        "feature is enabled");
    }
}

void executor::state::check_shared_memory(const shader::operation& op, std::uint32_t blelloch_size,
                                          shader::form shape) const {
    // tile_scan: 34 rows of 33, look_back_scan: 41, and two parts with a flag; a head for each of the former
    // and latter, and what aligns these, in segments. look_back_scan: 9 words more. Blelloch: the padded
    // tree.
    const std::uint32_t padded = blelloch_size == 0 ? 0 : shader::blelloch_padded(blelloch_size);
    const bool looks_back = blelloch_size == 0 && shader::prefers_look_back(shape, op, limits);
    const std::uint32_t elements = std::max<std::uint32_t>((looks_back ? 41 : 34) * 33, padded + padded / 32);
    const std::uint32_t heads = shape == shader::form::segments ? 4 * elements + 2 * 16 : 0;
    const std::uint32_t bytes =
        4 * op.element_words * elements + 2 * (4 * op.element_words + 16) + heads + (looks_back ? 4 * 9 : 0);
    if (properties.limits.maxComputeSharedMemorySize < bytes)
        throw_small("maxComputeSharedMemorySize", bytes, properties.limits.maxComputeSharedMemorySize);
    if (properties.limits.maxComputeWorkGroupInvocations < blelloch_size ||
        properties.limits.maxComputeWorkGroupSize[0] < blelloch_size) {
        throw_error(errc::unsupported,
                    "options.work_group_size: expected at most " +
                        std::to_string(std::min(properties.limits.maxComputeWorkGroupInvocations,
                                                properties.limits.maxComputeWorkGroupSize[0])) +
                        " on this device, but it is " + std::to_string(blelloch_size));
    }
}

executor::executor(const device_handles& handles, const executor_options& options)
    : state_(std::make_unique<state>(handles, options)) {}
executor::~executor() = default;

bool executor::uses_subgroups() const { return state_->subgroups; }
std::uint32_t executor::subgroup_size() const { return state_->subgroup_size; }
const VkPhysicalDeviceProperties& executor::properties() const { return state_->properties; }
const device_handles& executor::handles() const { return state_->handles; }
bool executor::supports(const shader::operation& op) const {
    return op.type != shader::element_type::float64 || op.exact || state_->options.shader_float64;
}

}  // namespace upsweep::vulkan
