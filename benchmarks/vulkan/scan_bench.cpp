// Inclusive sums of float and uint32 on Vulkan, 2^16 to 2^28 elements, in device memory; with --wide of
// double and uint64 too, with --narrow of uint8 as uint32 and of float16 as float.
//
//     vulkan_scan_bench [--json] [--no-subgroups] [--look-back | --reduce-then-scan] [--wide] [--narrow]
//                       [--stages] [LARGEST_EXPONENT]
//
// Each row compares, within the same rounds and by the GPU's own clock, a scan with a copy of the same bytes
// (the faster of vkCmdCopyBuffer and a compute shader) and with as many empty dispatches, and barriers
// between, as the scan has. Times are medians over rounds; shares are medians of the ratios within a round. A
// scan by reduce-then-scan moves 3 n elements, a copy 2 n, so 67 % of a copy is its ceiling where nothing
// stays in a cache. Where elements have fewer bytes than results, a copy moves half of the bytes of both.
// --stages adds what each stage takes.
#include <volk.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "empty.hpp"
#include "support/gpu_rounds.hpp"
#include "support/sequence_way.hpp"
#include "support/vulkan_pipeline.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/scan.hpp"
#include "upsweep/vulkan/standalone.hpp"
#include "vulkan/rows.hpp"
#include "vulkan/stopwatch.hpp"

namespace {

using upsweep::vulkan::executor;
using upsweep::vulkan::standalone_device;

using bench::require;
using bench::stopwatch;

struct setting {
    standalone_device& device;
    executor& ex;
    stopwatch& watch;
    bool json;
    bool stages;
};

template <class T, class In = T>
void run(const setting& on, const char* type, std::uint64_t n) {
    const VkDeviceSize bytes = n * (sizeof(In) + sizeof(T)) / 2;  // of a copy, from each and to each
    const standalone_device::memory in(on.device, bytes), out(on.device, n * sizeof(T));
    // Ones; n is a power of two, so that float holds every partial sum of the tree.
    const std::vector<In> ones(std::min<std::uint64_t>(n, std::uint64_t{1} << 22), In(1));
    for (std::uint64_t done = 0; done < n; done += ones.size())
        on.device.upload(in, done * sizeof(In), std::as_bytes(std::span(ones)));
    const auto needed = upsweep::vulkan::scan_workspace<T>(on.ex, n);
    const standalone_device::memory workspace(on.device, needed.bytes);
    const upsweep::vulkan::commands scan = upsweep::vulkan::prepare_inclusive_scan<T>(
        on.ex, in.span<const In>(n), out.span<T>(n), workspace.span<std::byte>(needed.bytes));
    upsweep::vulkan::run(on.ex, on.device.queue(), scan);
    T last{};
    on.device.download(out, (n - 1) * sizeof(T), std::as_writable_bytes(std::span(&last, 1)));
    if (last != static_cast<T>(n)) throw std::runtime_error("the scan is wrong");

    const VkDevice device = on.device.handles().device;
    const bench::shader_copy copy(device, {in.handle(), out.handle(), bytes});
    const upsweep::test::buffer_set buffers(device, {in.handle(), out.handle()});
    const upsweep::test::plain_pipeline empty(device, empty_modules::empty, buffers);
    std::vector<bench::gpu_contender<VkCommandBuffer>> all;
    all.push_back({"scan", [&](VkCommandBuffer commands) { scan.record(commands); }});
    all.push_back({"copy command", [&](VkCommandBuffer commands) {
                       const VkBufferCopy region{0, 0, bytes};
                       vkCmdCopyBuffer(commands, in.handle(), out.handle(), 1, &region);
                   }});
    all.push_back({"copy shader", [&](VkCommandBuffer commands) { copy.record(commands); }});
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
                           empty.bind(commands, buffers);
                           vkCmdDispatch(commands, 1, 1, 1);
                       }
                   }});
    bench::measure_on_gpu(
        all, [&](const auto& work, int repetitions) { return on.watch.time(work, repetitions); });
    bench::print_gpu_row({on.device.info().name, type, n, bytes, scan.dispatch_count()}, all, on.json);
    if (on.stages) {
        std::vector<std::vector<double>> samples(scan.dispatch_count());
        for (int round = 0; round < bench::gpu_rounds; ++round) {
            const std::vector<double> seconds = on.watch.time_stages(scan);
            for (std::size_t i = 0; i < seconds.size(); ++i) samples[i].push_back(seconds[i]);
        }
        for (std::uint32_t i = 0; i < scan.dispatch_count(); ++i)
            std::printf("  %s %.2f us", std::string(scan.stage(i)).c_str(), 1e6 * bench::median(samples[i]));
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** words) {
    try {
        bool json = false, stages = false, wide = false, narrow = false;
        auto subgroups = upsweep::vulkan::subgroup_use::automatic;
        auto way = upsweep::vulkan::sequence_way::automatic;
        int largest = 28;
        for (int i = 1; i < count; ++i) {
            const std::string_view word = words[i];
            if (word == "--json")
                json = true;
            else if (word == "--stages")
                stages = true;
            else if (word == "--wide")
                wide = true;
            else if (word == "--narrow")
                narrow = true;
            else if (word == "--no-subgroups")
                subgroups = upsweep::vulkan::subgroup_use::off;
            else if (!bench::take_way(word, way))
                largest = std::atoi(words[i]);
        }
        if (largest < 16 || largest > 31) throw std::runtime_error("expected an exponent from 16 to 31");
        require(volkInitialize(), "volkInitialize");
        standalone_device device;
        volkLoadInstanceOnly(device.handles().instance);
        volkLoadDevice(device.handles().device);
        upsweep::vulkan::executor_options options = device.options();
        options.subgroups = subgroups;
        options.way = way;
        executor ex(device.handles(), options);
        stopwatch watch(device.handles().device, device.queue(), device.handles().queue_family,
                        1e-9 * static_cast<double>(ex.properties().limits.timestampPeriod));
        if (!json) {
            std::printf("%s, %s, subgroups of %u%s\n", device.info().name.c_str(),
                        device.info().driver.c_str(), ex.subgroup_size(),
                        ex.uses_subgroups() ? "" : " not used");
            bench::print_gpu_columns();
        }
        const setting on{device, ex, watch, json, stages};
        for (int exponent = 16; exponent <= largest; exponent += exponent < 20 ? 1 : 2) {
            const std::uint64_t n = std::uint64_t{1} << exponent;
            if (n * 4 > ex.properties().limits.maxStorageBufferRange) break;  // the copy is one binding
            run<float>(on, "float", n);
            run<std::uint32_t>(on, "uint32", n);
            if (narrow) {
                run<std::uint32_t, std::uint8_t>(on, "uint8", n);
                run<float, upsweep::float16>(on, "float16", n);
            }
            if (!wide || n * 8 > ex.properties().limits.maxStorageBufferRange) continue;
            run<double>(on, "double", n);
            run<std::uint64_t>(on, "uint64", n);
        }
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vulkan_scan_bench: %s\n", problem.what());
        return 1;
    }
}
