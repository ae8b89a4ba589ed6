// Instance, device and buffers of the tests.
#define VOLK_IMPLEMENTATION
#include "support/vulkan_device.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/build.hpp"
#include "support/vulkan_kept.hpp"

// LeakSanitizer's own name.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libvulkan_lvp.so\n"; }

namespace upsweep::test {
namespace {

void require(VkResult result, const char* call) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(call) + ": VkResult " +
                                 std::to_string(static_cast<int>(result)));
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::mutex messages_mutex;
std::vector<std::string> messages;

VKAPI_ATTR VkBool32 VKAPI_CALL take_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                            VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    const std::lock_guard lock(messages_mutex);
    messages.emplace_back(data->pMessage);
    return VK_FALSE;
}

}  // namespace

bool vulkan_quick() {
    static const bool quick = sanitized || !environment("UPSWEEP_TEST_QUICK").empty();
    return quick;
}

std::vector<std::string> vulkan_messages() {
    const std::lock_guard lock(messages_mutex);
    return std::exchange(messages, {});
}

vulkan_device& vulkan_device::get() {
    static vulkan_device only;
    return only;
}

vulkan_device::vulkan_device() : validation_(environment("UPSWEEP_TEST_VALIDATION")) {
    if (volkInitialize() != VK_SUCCESS) throw std::runtime_error("there is no Vulkan loader");
    make_instance();
    choose_device();
    make_device();
}

vulkan_device::~vulkan_device() {
    destroy_kept(device_);
    vkDestroyPipelineCache(device_, cache_, nullptr);
    vkDestroyDevice(device_, nullptr);
    if (messenger_ != VK_NULL_HANDLE) vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
    // With the instance the loader would unload the driver, and LeakSanitizer could not tell any more that
    // what the driver left behind is the driver's.
    if (!sanitized) vkDestroyInstance(instance_, nullptr);
}

void vulkan_device::make_instance() {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "upsweep tests";
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;

    const char* layer = "VK_LAYER_KHRONOS_validation";
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    std::vector<VkValidationFeatureEnableEXT> enabled;
    VkValidationFeaturesEXT features{};
    features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    VkDebugUtilsMessengerCreateInfoEXT messenger{};
    messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    messenger.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = take_message;
    if (!validation_.empty()) {
        if (validation_ == "sync") {
            enabled = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
        } else if (validation_ == "gpu") {
            enabled = {VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
                       VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
        } else if (validation_ != "core") {
            throw std::runtime_error("UPSWEEP_TEST_VALIDATION: expected core, sync or gpu");
        }
        features.enabledValidationFeatureCount = static_cast<std::uint32_t>(enabled.size());
        features.pEnabledValidationFeatures = enabled.data();
        features.pNext = &messenger;
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    require(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
    volkLoadInstance(instance_);
    if (!validation_.empty())
        require(vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_),
                "vkCreateDebugUtilsMessengerEXT");
}

void vulkan_device::choose_device() {
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance_, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    vkEnumeratePhysicalDevices(instance_, &count, devices.data());
    const std::string wanted = environment("UPSWEEP_TEST_VULKAN_DEVICE");
    for (VkPhysicalDevice candidate : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(candidate, &properties);
        if (!wanted.empty() && std::string_view(properties.deviceName).find(wanted) == std::string_view::npos)
            continue;
        std::uint32_t families = 0;
        vkGetPhysicalDeviceQueueFamilyProperties(candidate, &families, nullptr);
        std::vector<VkQueueFamilyProperties> family(families);
        vkGetPhysicalDeviceQueueFamilyProperties(candidate, &families, family.data());
        for (std::uint32_t i = 0; i < families; ++i) {
            if ((family[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
            physical_ = candidate;
            family_ = i;
            graphics_ = (family[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
            return;
        }
    }
    throw std::runtime_error("there is no Vulkan device" + (wanted.empty() ? "" : " named " + wanted));
}

void vulkan_device::make_device() {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical_, &properties);
    VkPhysicalDeviceFeatures present;
    vkGetPhysicalDeviceFeatures(physical_, &present);
    VkPhysicalDeviceFeatures wanted{};
    wanted.shaderFloat64 = present.shaderFloat64;
    float64_ = present.shaderFloat64 == VK_TRUE;

    // The instance asks for 1.1, so subgroup size control is the extension.
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, extensions.data());
    const auto present_extension = [&](const char* name) {
        return std::any_of(extensions.begin(), extensions.end(), [name](const VkExtensionProperties& e) {
            return std::string_view(e.extensionName) == name;
        });
    };
    full_subgroups_ = present_extension(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    float_controls_ = present_extension(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
    std::vector<const char*> enabled;
    if (full_subgroups_) enabled.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    if (float_controls_) enabled.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT sizes{};
    sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT;
    VkPhysicalDeviceFeatures2 query{};
    query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    query.pNext = &sizes;
    if (full_subgroups_) {
        vkGetPhysicalDeviceFeatures2(physical_, &query);
        full_subgroups_ = sizes.computeFullSubgroups == VK_TRUE;
        sizes.pNext = nullptr;
    }

    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = family_;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.pEnabledFeatures = &wanted;
    if (full_subgroups_) info.pNext = &sizes;
    info.enabledExtensionCount = static_cast<std::uint32_t>(enabled.size());
    info.ppEnabledExtensionNames = enabled.data();
    // GPU-assisted validation writes to buffers from shaders of every kind.
    if (validation_ == "gpu") {
        wanted.fragmentStoresAndAtomics = present.fragmentStoresAndAtomics;
        wanted.vertexPipelineStoresAndAtomics = present.vertexPipelineStoresAndAtomics;
    }
    require(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
    volkLoadDevice(device_);
    vkGetDeviceQueue(device_, family_, 0, &queue_);
    VkPipelineCacheCreateInfo cache{};
    cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
    require(vkCreatePipelineCache(device_, &cache, nullptr, &cache_), "vkCreatePipelineCache");

    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    constexpr VkMemoryPropertyFlags visible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    // Cached if there is such memory: the tests read much.
    for (const VkMemoryPropertyFlags flags : {visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, visible}) {
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
            if ((memory.memoryTypes[i].propertyFlags & flags) == flags) {
                memory_type_ = i;
                return;
            }
        }
    }
    throw std::runtime_error("the device has no memory that the host sees");
}

vulkan::device_handles vulkan_device::handles() const {
    // Objects come and go as executors ask where somebody looks at that: a sanitizer, or the layers, but for
    // what they do in shaders.
    const bool keeps = !sanitized && (validation_.empty() || validation_ == "gpu");
    return {instance_,
            physical_,
            device_,
            family_,
            vkGetInstanceProcAddr,
            keeps ? get_keeping_device_proc_addr : nullptr};
}

vulkan::executor_options vulkan_device::options() const {
    vulkan::executor_options made;
    made.shader_float64 = float64_;
    made.compute_full_subgroups = full_subgroups_;
    made.float_controls = float_controls_;
    made.pipeline_cache = cache_;
    if (!environment("UPSWEEP_TEST_LOOK_BACK").empty()) made.way = vulkan::sequence_way::look_back;
    return made;
}

std::string vulkan_device::description() const {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceSubgroupProperties subgroup{};
    subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    subgroup.pNext = &driver;
    VkPhysicalDeviceProperties2 all{};
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    all.pNext = &subgroup;
    vkGetPhysicalDeviceProperties2(physical_, &all);
    std::string text = all.properties.deviceName;
    text += std::string(", ") + driver.driverName + ' ' + driver.driverInfo;
    text += ", subgroups of " + std::to_string(subgroup.subgroupSize);
    if (!validation_.empty()) text += ", validation " + validation_;
    return text;
}

vulkan_buffer::vulkan_buffer(std::size_t bytes) {
    if (bytes != 0) reserve(bytes);
}
vulkan_buffer::~vulkan_buffer() { release(); }

void vulkan_buffer::release() {
    const VkDevice device = vulkan_device::get().device();
    vkDestroyBuffer(device, buffer_, nullptr);
    vkFreeMemory(device, memory_, nullptr);
}

void vulkan_buffer::reserve(std::size_t bytes) {
    if (bytes <= size_) return;
    release();
    const vulkan_device& device = vulkan_device::get();
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    require(vkCreateBuffer(device.device(), &info, nullptr, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(device.device(), buffer_, &needed);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needed.size;
    allocation.memoryTypeIndex = device.memory_type();
    require(vkAllocateMemory(device.device(), &allocation, nullptr, &memory_), "vkAllocateMemory");
    require(vkBindBufferMemory(device.device(), buffer_, memory_, 0), "vkBindBufferMemory");
    void* mapped = nullptr;
    require(vkMapMemory(device.device(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    mapped_ = static_cast<std::byte*>(mapped);
    size_ = bytes;
}

}  // namespace upsweep::test
