// Instance, device and transfers for programs without a Vulkan of their own.
#include "upsweep/vulkan/standalone.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "upsweep/error.hpp"
#include "vulkan/memory.hpp"

namespace upsweep::vulkan {
namespace {

constexpr VkDeviceSize staging_bytes = VkDeviceSize{16} << 20;  // a piece of a transfer

// The loader, opened once and kept.
PFN_vkGetInstanceProcAddr open_loader() {
    static void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
}

template <class Function>
Function load(PFN_vkGetInstanceProcAddr loader, VkInstance instance, const char* name) {
    const auto found = reinterpret_cast<Function>(loader(instance, name));
    if (found == nullptr)
        throw_error(errc::unsupported, std::string("Vulkan: the loader does not know ") + name);
    return found;
}

// An instance of Vulkan 1.1, or none where there is no loader or no driver.
class instance {
  public:
    instance() : loader_(open_loader()) {
        if (loader_ == nullptr) return;
        const auto create = load<PFN_vkCreateInstance>(loader_, VK_NULL_HANDLE, "vkCreateInstance");
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.pApplicationName = "upsweep";
        application.apiVersion = VK_API_VERSION_1_1;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pApplicationInfo = &application;
        if (create(&info, nullptr, &handle_) != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
    }
    instance(const instance&) = delete;
    instance& operator=(const instance&) = delete;

    explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }
    [[nodiscard]] VkInstance handle() const { return handle_; }
    [[nodiscard]] PFN_vkGetInstanceProcAddr loader() const { return loader_; }
    template <class Function>
    [[nodiscard]] Function get(const char* name) const {
        return load<Function>(loader_, handle_, name);
    }

  private:
    PFN_vkGetInstanceProcAddr loader_;
    VkInstance handle_ = VK_NULL_HANDLE;
};

// Made once in a process and never destroyed: the loader would unload drivers with it, and drivers leave
// threads, exit handlers and memory behind.
const instance& shared_instance() {
    static const instance* const made = new instance;
    return *made;
}

struct candidate {
    VkPhysicalDevice handle;
    device_info info;
    std::uint32_t queue_family;
    bool has_float64;
    bool has_float_controls;
};

std::optional<std::uint32_t> compute_family(const instance& vulkan, VkPhysicalDevice device) {
    const auto query =
        vulkan.get<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
    std::uint32_t count = 0;
    query(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    query(device, &count, families.data());
    for (std::uint32_t i = 0; i < count; ++i) {
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
    }
    return {};
}

bool has_extension(const instance& vulkan, VkPhysicalDevice device, std::string_view name) {
    const auto enumerate =
        vulkan.get<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
    std::uint32_t count = 0;
    if (enumerate(device, nullptr, &count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkExtensionProperties> known(count);
    if (enumerate(device, nullptr, &count, known.data()) < VK_SUCCESS) return false;
    return std::any_of(known.begin(), known.end(),
                       [name](const VkExtensionProperties& each) { return each.extensionName == name; });
}

std::vector<candidate> find_devices(const instance& vulkan) {
    std::vector<candidate> found;
    if (!vulkan) return found;
    const auto enumerate = vulkan.get<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
    std::uint32_t count = 0;
    if (enumerate(vulkan.handle(), &count, nullptr) != VK_SUCCESS) return found;
    std::vector<VkPhysicalDevice> devices(count);
    if (enumerate(vulkan.handle(), &count, devices.data()) < VK_SUCCESS) return found;
    devices.resize(count);
    for (VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties plain;
        vulkan.get<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(device, &plain);
        VkPhysicalDeviceFeatures features;
        vulkan.get<PFN_vkGetPhysicalDeviceFeatures>("vkGetPhysicalDeviceFeatures")(device, &features);
        candidate next{device,
                       {},
                       0,
                       features.shaderFloat64 == VK_TRUE,
                       has_extension(vulkan, device, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME)};
        next.info.name = plain.deviceName;
        next.info.api_version = plain.apiVersion;
        next.info.is_processor = plain.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (plain.apiVersion >= VK_API_VERSION_1_1) {
            // Drivers before 1.2 leave the strings empty.
            VkPhysicalDeviceDriverProperties driver{};
            driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
            VkPhysicalDeviceProperties2 all{};
            all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
            all.pNext = &driver;
            vulkan.get<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(device, &all);
            next.info.driver = std::string(driver.driverName) + ' ' + driver.driverInfo;
            if (const auto family = compute_family(vulkan, device)) {
                next.queue_family = *family;
                next.info.usable = true;
            }
        }
        found.push_back(std::move(next));
    }
    return found;
}

candidate choose_device(const std::vector<candidate>& found, std::string_view name) {
    const candidate* chosen = nullptr;
    for (const candidate& next : found) {
        if (!next.info.usable || next.info.name.find(name) == std::string::npos) continue;
        if (chosen == nullptr || (name.empty() && chosen->info.is_processor && !next.info.is_processor))
            chosen = &next;
    }
    if (chosen == nullptr) {
        throw_error(errc::unsupported,
                    name.empty() ? std::string("Vulkan: this machine has no device with Vulkan 1.1")
                                 : "Vulkan: this machine has no usable device named " + std::string(name));
    }
    return *chosen;
}

candidate choose_device(const std::vector<candidate>& found, std::size_t place) {
    if (place >= found.size() || !found[place].info.usable) {
        throw_error(errc::unsupported,
                    "Vulkan: there is no device with Vulkan 1.1 and a compute queue at place " +
                        std::to_string(place));
    }
    return found[place];
}

}  // namespace

class standalone_device::state {
  public:
    // `which`: a name or a place.
    template <class Which>
    explicit state(Which which)
        : vulkan(shared_instance()), chosen(choose_device(find_devices(vulkan), which)) {
        const float priority = 1;
        VkDeviceQueueCreateInfo queues{};
        queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queues.queueFamilyIndex = chosen.queue_family;
        queues.queueCount = 1;
        queues.pQueuePriorities = &priority;
        VkPhysicalDeviceFeatures features{};
        features.shaderFloat64 = chosen.has_float64 ? VK_TRUE : VK_FALSE;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queues;
        info.pEnabledFeatures = &features;
        const char* const extension = VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME;
        info.enabledExtensionCount = chosen.has_float_controls ? 1 : 0;
        info.ppEnabledExtensionNames = &extension;
        check(vulkan.get<PFN_vkCreateDevice>("vkCreateDevice")(chosen.handle, &info, nullptr, &device),
              "vkCreateDevice");
        try {
            vk = load_functions(handles());
            vulkan.get<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device, chosen.queue_family, 0, &queue);
            staging.emplace(memory_context{vk, chosen.handle, device, nullptr}, staging_bytes,
                            VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                            memory_place::host);
            VkCommandPoolCreateInfo pool_info{};
            pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
            pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
            pool_info.queueFamilyIndex = chosen.queue_family;
            check(vk.CreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
            VkCommandBufferAllocateInfo buffers{};
            buffers.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
            buffers.commandPool = pool;
            buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
            buffers.commandBufferCount = 1;
            check(vk.AllocateCommandBuffers(device, &buffers, &commands), "vkAllocateCommandBuffers");
        } catch (...) {
            destroy();
            throw;
        }
    }
    ~state() { destroy(); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    [[nodiscard]] device_handles handles() const {
        return {vulkan.handle(), chosen.handle, device, chosen.queue_family, vulkan.loader(), nullptr};
    }

    // Copies between buffers and waits; what shaders wrote is visible to the copy, what it wrote to shaders
    // and the host.
    void copy(VkBuffer from, VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset,
              VkDeviceSize bytes, std::size_t times = 1) const {
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        check(vk.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
        const auto barrier = [&](VkPipelineStageFlags first, VkPipelineStageFlags second) {
            VkMemoryBarrier memory{};
            memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
            memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
            memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
            vk.CmdPipelineBarrier(commands, first, second, 0, 1, &memory, 0, nullptr, 0, nullptr);
        };
        barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
        const VkBufferCopy region{from_offset, to_offset, bytes};
        for (std::size_t i = 0; i < times; ++i) {
            if (i != 0) barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
            vk.CmdCopyBuffer(commands, from, to, 1, &region);
        }
        barrier(VK_PIPELINE_STAGE_TRANSFER_BIT,
                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT);
        check(vk.EndCommandBuffer(commands), "vkEndCommandBuffer");
        VkSubmitInfo submit{};
        submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands;
        check(vk.QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
        check(vk.QueueWaitIdle(queue), "vkQueueWaitIdle");
    }

    const instance& vulkan;
    candidate chosen;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    functions vk;
    std::optional<owned_buffer> staging;

  private:
    void destroy() {
        staging.reset();
        if (pool != VK_NULL_HANDLE) vk.DestroyCommandPool(device, pool, nullptr);
        vulkan.get<PFN_vkDestroyDevice>("vkDestroyDevice")(device, nullptr);
    }

    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
};

class standalone_device::memory::state {
  public:
    state(const memory_context& context, VkDeviceSize bytes)
        : buffer(context, bytes,
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                 memory_place::device) {}
    owned_buffer buffer;
};

std::vector<device_info> list_devices() {
    std::vector<device_info> infos;
    for (candidate& found : find_devices(shared_instance())) infos.push_back(std::move(found.info));
    return infos;
}

standalone_device::standalone_device(std::string_view name) : state_(std::make_unique<state>(name)) {}
standalone_device::standalone_device(std::size_t place) : state_(std::make_unique<state>(place)) {}
standalone_device::~standalone_device() = default;

device_handles standalone_device::handles() const { return state_->handles(); }
executor_options standalone_device::options() const {
    executor_options made;
    made.shader_float64 = state_->chosen.has_float64;
    made.float_controls = state_->chosen.has_float_controls;
    return made;
}
VkQueue standalone_device::queue() const { return state_->queue; }
const device_info& standalone_device::info() const { return state_->chosen.info; }

standalone_device::memory::memory(standalone_device& device, VkDeviceSize bytes)
    : state_(std::make_unique<state>(
          memory_context{device.state_->vk, device.state_->chosen.handle, device.state_->device, nullptr},
          bytes)) {}
standalone_device::memory::memory(memory&&) noexcept = default;
standalone_device::memory& standalone_device::memory::operator=(memory&&) noexcept = default;
standalone_device::memory::~memory() = default;
VkBuffer standalone_device::memory::handle() const { return state_->buffer.handle(); }
VkDeviceSize standalone_device::memory::bytes() const { return state_->buffer.bytes(); }

void standalone_device::upload(const memory& to, VkDeviceSize offset, std::span<const std::byte> from) {
    const owned_buffer& staging = *state_->staging;
    while (!from.empty()) {
        const std::size_t piece = std::min<std::size_t>(from.size(), staging_bytes);
        std::memcpy(staging.mapped(), from.data(), piece);
        state_->copy(staging.handle(), 0, to.handle(), offset, piece);
        from = from.subspan(piece);
        offset += piece;
    }
}

void standalone_device::download(const memory& from, VkDeviceSize offset, std::span<std::byte> to) {
    const owned_buffer& staging = *state_->staging;
    while (!to.empty()) {
        const std::size_t piece = std::min<std::size_t>(to.size(), staging_bytes);
        state_->copy(from.handle(), offset, staging.handle(), 0, piece);
        std::memcpy(to.data(), staging.mapped(), piece);
        to = to.subspan(piece);
        offset += piece;
    }
}

void standalone_device::copy(const memory& from, const memory& to, std::size_t times) {
    state_->copy(from.handle(), 0, to.handle(), 0, from.bytes(), times);
}

}  // namespace upsweep::vulkan
