// Inclusive sums of float and uint32 on Vulkan, 2^16 to 2^28 elements, in device memory.
//
//     vulkan_scan_bench [--json] [--no-subgroups] [--stages] [LARGEST_EXPONENT]
//
// Each row compares, within the same rounds and by the GPU's own clock, a scan with a copy of the same bytes
// (the faster of vkCmdCopyBuffer and a compute shader) and with as many empty dispatches, and barriers
// between, as the scan has. Times are medians over rounds; shares are medians of the ratios within a round. A
// scan by reduce-then-scan moves 3 n elements, a copy 2 n, so 67 % of a copy is its ceiling where nothing
// stays in a cache. --stages adds what each stage takes.
#include <volk.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "copy.hpp"
#include "empty.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "upsweep/vulkan/standalone.hpp"

namespace {

using upsweep::vulkan::executor;
using upsweep::vulkan::standalone_device;

constexpr int rounds = 15;
constexpr double batch_seconds = 2e-3;  // of one timing at least, so that the clock's steps do not show

void require(VkResult result, const char* call) {
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

// A pipeline of the benchmark's own with two storage buffers.
class plain_pipeline {
  public:
    plain_pipeline(VkDevice device, std::span<const std::uint32_t> module) : device_(device) {
        std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
        for (std::uint32_t i = 0; i < 2; ++i)
            bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo set{};
        set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
        set.bindingCount = 2;
        set.pBindings = bindings.data();
        require(vkCreateDescriptorSetLayout(device, &set, nullptr, &set_layout_),
                "vkCreateDescriptorSetLayout");
        VkPipelineLayoutCreateInfo layout{};
        layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
        layout.setLayoutCount = 1;
        layout.pSetLayouts = &set_layout_;
        require(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
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
        require(vkCreateShaderModule(device, &code, nullptr, &info.stage.module), "vkCreateShaderModule");
        const VkResult made = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
        vkDestroyShaderModule(device, info.stage.module, nullptr);
        require(made, "vkCreateComputePipelines");
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
        VkDescriptorPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        pool.maxSets = 1;
        pool.poolSizeCount = 1;
        pool.pPoolSizes = &size;
        require(vkCreateDescriptorPool(device, &pool, nullptr, &pool_), "vkCreateDescriptorPool");
        VkDescriptorSetAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
        allocation.descriptorPool = pool_;
        allocation.descriptorSetCount = 1;
        allocation.pSetLayouts = &set_layout_;
        require(vkAllocateDescriptorSets(device, &allocation, &set_), "vkAllocateDescriptorSets");
    }
    ~plain_pipeline() {
        vkDestroyDescriptorPool(device_, pool_, nullptr);
        vkDestroyPipeline(device_, pipeline_, nullptr);
        vkDestroyPipelineLayout(device_, layout_, nullptr);
        vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
    }
    plain_pipeline(const plain_pipeline&) = delete;
    plain_pipeline& operator=(const plain_pipeline&) = delete;

    void use(VkBuffer from, VkBuffer to, VkDeviceSize bytes) {
        const std::array<VkDescriptorBufferInfo, 2> ranges{{{from, 0, bytes}, {to, 0, bytes}}};
        VkWriteDescriptorSet write{};
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = set_;
        write.descriptorCount = 2;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = ranges.data();
        vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
    void bind(VkCommandBuffer commands) const {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
    }

  private:
    VkDevice device_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
};

struct contender {
    std::string name;
    std::function<void(VkCommandBuffer)> work;
    int repetitions = 1;
    std::vector<double> seconds{};  // of one repetition, a round each
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(stopwatch& watch, std::vector<contender>& all) {
    for (contender& each : all) {
        watch.time(each.work, 1);  // compiles, and touches the memory
        while (watch.time(each.work, each.repetitions) < batch_seconds && each.repetitions < 4096)
            each.repetitions *= 2;
    }
    std::uint32_t random = 1;
    for (int round = 0; round < rounds; ++round) {
        random = random * 1664525u + 1013904223u;
        std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>((random >> 16) % all.size()),
                    all.end());
        for (contender& each : all)
            each.seconds.push_back(watch.time(each.work, each.repetitions) / each.repetitions);
    }
}

const std::vector<double>& seconds_of(const std::vector<contender>& all, std::string_view name) {
    for (const contender& each : all) {
        if (each.name == name) return each.seconds;
    }
    throw std::logic_error("no such contender");
}
// Of a / b within each round.
double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios(a.size());
    std::transform(a.begin(), a.end(), b.begin(), ratios.begin(), [](double x, double y) { return x / y; });
    return median(ratios);
}

struct setting {
    standalone_device& device;
    executor& ex;
    stopwatch& watch;
    plain_pipeline& copy;
    plain_pipeline& empty;
    bool json;
    bool stages;
};

template <class T>
void run(const setting& on, const char* type, std::uint64_t n) {
    const VkDeviceSize bytes = n * sizeof(T);
    const standalone_device::memory in(on.device, bytes), out(on.device, bytes);
    // Ones; n is a power of two, so that float holds every partial sum of the tree.
    const std::vector<T> ones(std::min<std::uint64_t>(n, std::uint64_t{1} << 22), T(1));
    for (std::uint64_t done = 0; done < n; done += ones.size())
        on.device.upload(in, done * sizeof(T), std::as_bytes(std::span(ones)));
    const auto needed = upsweep::vulkan::scan_workspace<T>(on.ex, n);
    const standalone_device::memory workspace(on.device, needed.bytes);
    const upsweep::vulkan::commands scan = upsweep::vulkan::prepare_inclusive_scan(
        on.ex, in.span<const T>(n), out.span<T>(n), workspace.span<std::byte>(needed.bytes));
    upsweep::vulkan::run(on.ex, on.device.queue(), scan);
    T last{};
    on.device.download(out, (n - 1) * sizeof(T), std::as_writable_bytes(std::span(&last, 1)));
    if (last != static_cast<T>(n)) throw std::runtime_error("the scan is wrong");

    std::vector<contender> all;
    all.push_back({"scan", [&](VkCommandBuffer commands) { scan.record(commands); }});
    all.push_back({"copy command", [&](VkCommandBuffer commands) {
                       const VkBufferCopy region{0, 0, bytes};
                       vkCmdCopyBuffer(commands, in.handle(), out.handle(), 1, &region);
                   }});
    on.copy.use(in.handle(), out.handle(), bytes);
    all.push_back({"copy shader", [&](VkCommandBuffer commands) {
                       on.copy.bind(commands);
                       const auto groups = static_cast<std::uint32_t>((bytes / 16 + 255) / 256);
                       vkCmdDispatch(commands, std::min(groups, 32768u), (groups + 32767) / 32768, 1);
                   }});
    on.empty.use(in.handle(), out.handle(), bytes);
    all.push_back({"empty", [&](VkCommandBuffer commands) {
                       for (std::uint32_t i = 0; i < scan.dispatch_count(); ++i) {
                           if (i != 0) {
                               VkMemoryBarrier barrier{};
                               barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
                               barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
                               barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
                               vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                                                    nullptr, 0, nullptr);
                           }
                           on.empty.bind(commands);
                           vkCmdDispatch(commands, 1, 1, 1);
                       }
                   }});
    measure(on.watch, all);

    const std::vector<double>&took = seconds_of(all, "scan"), &command = seconds_of(all, "copy command"),
          &shader = seconds_of(all, "copy shader"), &empty = seconds_of(all, "empty");
    const bool command_wins = median(command) < median(shader);
    const std::vector<double>& copy = command_wins ? command : shader;
    const double gigabytes = 2e-9 * static_cast<double>(bytes);
    if (on.json) {
        std::printf(
            "{\"device\": \"%s\", \"type\": \"%s\", \"n\": %llu, \"scan_s\": %.9f, \"copy_s\": %.9f, "
            "\"copy_by\": \"%s\", \"empty_s\": %.9f, \"copy_over_scan\": %.4f, \"scan_over_empty\": %.3f, "
            "\"dispatches\": %u}\n",
            on.device.info().name.c_str(), type, static_cast<unsigned long long>(n), median(took),
            median(copy), command_wins ? "command" : "shader", median(empty), median_ratio(copy, took),
            median_ratio(took, empty), scan.dispatch_count());
    } else {
        std::printf("%-7s 2^%-3.0f %12.2f %10.1f %12.2f %10.1f  %-8s %8.1f %% %12.2f %10.2f\n", type,
                    std::log2(static_cast<double>(n)), 1e6 * median(took), gigabytes / median(took),
                    1e6 * median(copy), gigabytes / median(copy), command_wins ? "command" : "shader",
                    100 * median_ratio(copy, took), 1e6 * median(empty), median_ratio(took, empty));
    }
    if (on.stages) {
        std::vector<std::vector<double>> samples(scan.dispatch_count());
        for (int round = 0; round < rounds; ++round) {
            const std::vector<double> seconds = on.watch.time_stages(scan);
            for (std::size_t i = 0; i < seconds.size(); ++i) samples[i].push_back(seconds[i]);
        }
        for (std::uint32_t i = 0; i < scan.dispatch_count(); ++i)
            std::printf("  %s %.2f us", std::string(scan.stage(i)).c_str(), 1e6 * median(samples[i]));
        std::printf("\n");
    }
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    try {
        bool json = false, stages = false;
        auto subgroups = upsweep::vulkan::subgroup_use::automatic;
        int largest = 28;
        for (int i = 1; i < count; ++i) {
            const std::string_view word = words[i];
            if (word == "--json")
                json = true;
            else if (word == "--stages")
                stages = true;
            else if (word == "--no-subgroups")
                subgroups = upsweep::vulkan::subgroup_use::off;
            else
                largest = std::atoi(words[i]);
        }
        if (largest < 16 || largest > 31) throw std::runtime_error("expected an exponent from 16 to 31");
        require(volkInitialize(), "volkInitialize");
        standalone_device device;
        volkLoadInstanceOnly(device.handles().instance);
        volkLoadDevice(device.handles().device);
        upsweep::vulkan::executor_options options = device.options();
        options.subgroups = subgroups;
        executor ex(device.handles(), options);
        stopwatch watch(device.handles().device, device.queue(), device.handles().queue_family,
                        1e-9 * static_cast<double>(ex.properties().limits.timestampPeriod));
        plain_pipeline copy(device.handles().device, copy_modules::copy);
        plain_pipeline empty(device.handles().device, empty_modules::empty);
        if (!json) {
            std::printf("%s, %s, subgroups of %u%s\n", device.info().name.c_str(),
                        device.info().driver.c_str(), ex.subgroup_size(),
                        ex.uses_subgroups() ? "" : " not used");
            std::printf("%-7s %-5s %12s %10s %12s %10s  %-8s %10s %12s %10s\n", "type", "n", "scan us",
                        "GB/s", "copy us", "GB/s", "copy by", "of copy", "empty us", "scan/empty");
        }
        const setting on{device, ex, watch, copy, empty, json, stages};
        for (int exponent = 16; exponent <= largest; exponent += exponent < 20 ? 1 : 2) {
            const std::uint64_t n = std::uint64_t{1} << exponent;
            if (n * 4 > ex.properties().limits.maxStorageBufferRange) break;  // the copy is one binding
            run<float>(on, "float", n);
            run<std::uint32_t>(on, "uint32", n);
        }
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vulkan_scan_bench: %s\n", problem.what());
        return 1;
    }
}
