// Loading the functions by name.
#include "vulkan/functions.hpp"

#include <string>

#include "upsweep/error.hpp"

namespace upsweep::vulkan {
namespace {

[[noreturn]] void throw_missing(const char* name) {
    throw_error(errc::invalid_argument, std::string("handles: the loader does not know ") + name);
}

const char* describe(VkResult result) {
    switch (result) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "out of host memory";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "out of device memory";
        case VK_ERROR_DEVICE_LOST:
            return "the device was lost";
        case VK_ERROR_OUT_OF_POOL_MEMORY:
            return "out of pool memory";
        case VK_ERROR_FRAGMENTATION:
            return "descriptor pool fragmentation";
        default:
            return "failed";
    }
}

}  // namespace

functions load_functions(const device_handles& handles) {
    if (handles.instance == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "handles.instance: expected an instance");
    if (handles.physical_device == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "handles.physical_device: expected a physical device");
    if (handles.device == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "handles.device: expected a device");
    if (handles.get_instance_proc_addr == nullptr)
        throw_error(errc::invalid_argument, "handles.get_instance_proc_addr: expected vkGetInstanceProcAddr");

    functions loaded;
#define UPSWEEP_LOAD(name)                                                                            \
    loaded.name =                                                                                     \
        reinterpret_cast<PFN_vk##name>(handles.get_instance_proc_addr(handles.instance, "vk" #name)); \
    if (loaded.name == nullptr) throw_missing("vk" #name);
    UPSWEEP_VULKAN_INSTANCE_FUNCTIONS(UPSWEEP_LOAD)
#undef UPSWEEP_LOAD

    PFN_vkGetDeviceProcAddr of_device = handles.get_device_proc_addr;
    if (of_device == nullptr) {
        of_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
            handles.get_instance_proc_addr(handles.instance, "vkGetDeviceProcAddr"));
    }
    if (of_device == nullptr) throw_missing("vkGetDeviceProcAddr");
#define UPSWEEP_LOAD(name)                                                               \
    loaded.name = reinterpret_cast<PFN_vk##name>(of_device(handles.device, "vk" #name)); \
    if (loaded.name == nullptr) throw_missing("vk" #name);
    UPSWEEP_VULKAN_DEVICE_FUNCTIONS(UPSWEEP_LOAD)
#undef UPSWEEP_LOAD
    return loaded;
}

void check(VkResult result, const char* call) {
    if (result == VK_SUCCESS) return;
    const bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    throw_error(memory ? errc::out_of_memory : errc::device,
                std::string(call) + ": " + describe(result) + " (VkResult " +
                    std::to_string(static_cast<int>(result)) + ")");
}

}  // namespace upsweep::vulkan
