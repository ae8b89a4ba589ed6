// Sorts of random keys on Vulkan, 2^12 to 2^26 of them, in device memory.
//
//     vulkan_sort_bench [--json] [--stages] [LARGEST_EXPONENT]
//
// Each row compares, within the same rounds and by the GPU's own clock, a sort with a copy of the same bytes,
// keys and values (vkCmdCopyBuffer). A pass over a digit of eight bits reads keys twice and moves them and
// the values once, so a sort of 32-bit keys moves at least six times what a copy does. Before a row is timed
// its result is compared with the CPU's. --stages adds what the dispatches of each stage take together.
#include <volk.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/gpu_rounds.hpp"
#include "upsweep/cpu/executor.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/sort.hpp"
#include "upsweep/vulkan/standalone.hpp"
#include "vulkan/stopwatch.hpp"

namespace {

using upsweep::vulkan::executor;
using upsweep::vulkan::standalone_device;

struct setting {
    standalone_device& device;
    executor& ex;
    bench::stopwatch& watch;
    bool json;
    bool stages;
};

template <class T>
std::vector<T> random_words(std::uint64_t n) {
    std::vector<T> made(n);
    std::uint64_t state = n;
    for (T& each : made) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t bits = state ^ (state >> 29);
        each = static_cast<T>(sizeof(T) == 4 ? bits >> 32 : bits);
    }
    return made;
}

void print_row(const setting& on, const char* what, std::uint64_t n,
               const std::vector<bench::gpu_contender<VkCommandBuffer>>& all, std::uint32_t dispatches) {
    const std::vector<double>&sort = bench::seconds_of(all, "sort"), &copy = bench::seconds_of(all, "copy");
    if (on.json) {
        std::printf(
            "{\"device\": \"%s\", \"work\": \"%s\", \"n\": %llu, \"sort_s\": %.9f, \"copy_s\": %.9f, "
            "\"sort_over_copy\": %.3f, \"dispatches\": %u}\n",
            on.device.info().name.c_str(), what, static_cast<unsigned long long>(n), bench::median(sort),
            bench::median(copy), bench::median_ratio(sort, copy), dispatches);
    } else {
        std::printf("%-16s 2^%-3.0f %12.2f %12.1f %12.2f %10.1f\n", what, std::log2(static_cast<double>(n)),
                    1e6 * bench::median(sort), 1e-6 * static_cast<double>(n) / bench::median(sort),
                    1e6 * bench::median(copy), bench::median_ratio(sort, copy));
    }
}

void print_stages(const setting& on, const upsweep::vulkan::commands& work) {
    std::map<std::string, std::vector<double>> samples;
    for (int round = 0; round < bench::gpu_rounds; ++round) {
        const std::vector<double> seconds = on.watch.time_stages(work);
        std::map<std::string, double> sums;
        for (std::uint32_t i = 0; i < seconds.size(); ++i) sums[std::string(work.stage(i))] += seconds[i];
        for (const auto& [stage, sum] : sums) samples[stage].push_back(sum);
    }
    for (const auto& [stage, sums] : samples)
        std::printf("  %s %.2f us", stage.c_str(), 1e6 * bench::median(sums));
    std::printf("\n");
}

// Value = void: keys alone.
template <class Key, class Value>
void run(const setting& on, const char* what, std::uint64_t n) {
    constexpr bool has_values = !std::is_void_v<Value>;
    using value = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::vector<Key> keys = random_words<Key>(n);
    const std::uint64_t value_count = has_values ? n : 1;
    const std::vector<value> values = random_words<value>(value_count);
    const standalone_device::memory in(on.device, n * sizeof(Key)), out(on.device, n * sizeof(Key));
    const standalone_device::memory with(on.device, value_count * sizeof(value));
    const standalone_device::memory with_out(on.device, value_count * sizeof(value));
    on.device.upload(in, 0, std::as_bytes(std::span(keys)));
    on.device.upload(with, 0, std::as_bytes(std::span(values)));

    upsweep::vulkan::workspace_requirements needed;
    if constexpr (has_values)
        needed = upsweep::vulkan::sort_by_key_workspace<Key, value>(on.ex, n);
    else
        needed = upsweep::vulkan::sort_workspace<Key>(on.ex, n);
    const standalone_device::memory scratch(on.device, needed.bytes);
    const auto workspace = scratch.span<std::byte>(needed.bytes);
    const auto from = in.span<const Key>(n);
    const auto to = out.span<Key>(n);
    upsweep::vulkan::commands sort;
    if constexpr (has_values) {
        sort = upsweep::vulkan::prepare_sort_by_key(on.ex, from, with.span<const value>(n), to,
                                                    with_out.span<value>(n), workspace);
    } else {
        sort = upsweep::vulkan::prepare_sort(on.ex, from, to, workspace);
    }
    upsweep::vulkan::run(on.ex, on.device.queue(), sort);
    std::vector<Key> sorted(n), found(n);
    std::vector<value> moved(value_count), found_values(value_count);
    on.device.download(out, 0, std::as_writable_bytes(std::span(found)));
    upsweep::cpu::executor cpu;
    if constexpr (has_values) {
        on.device.download(with_out, 0, std::as_writable_bytes(std::span(found_values)));
        upsweep::sort_by_key(cpu, keys, values, sorted, moved);
    } else {
        upsweep::sort(cpu, keys, sorted);
        found_values = moved;
    }
    if (found != sorted || found_values != moved) throw std::runtime_error("the sort is wrong");

    std::vector<bench::gpu_contender<VkCommandBuffer>> all;
    all.push_back({"sort", [&](VkCommandBuffer commands) { sort.record(commands); }});
    all.push_back({"copy", [&](VkCommandBuffer commands) {
                       const VkBufferCopy of_keys{0, 0, n * sizeof(Key)}, of_values{0, 0, n * sizeof(value)};
                       vkCmdCopyBuffer(commands, in.handle(), out.handle(), 1, &of_keys);
                       if (has_values)
                           vkCmdCopyBuffer(commands, with.handle(), with_out.handle(), 1, &of_values);
                   }});
    bench::measure_on_gpu(
        all, [&](const auto& work, int repetitions) { return on.watch.time(work, repetitions); });
    print_row(on, what, n, all, sort.dispatch_count());
    if (on.stages) print_stages(on, sort);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    try {
        bool json = false, stages = false;
        int largest = 26;
        for (int i = 1; i < count; ++i) {
            const std::string_view word = words[i];
            if (word == "--json")
                json = true;
            else if (word == "--stages")
                stages = true;
            else
                largest = std::atoi(words[i]);
        }
        if (largest < 12 || largest > 30) throw std::runtime_error("expected an exponent from 12 to 30");
        bench::require(volkInitialize(), "volkInitialize");
        standalone_device device;
        volkLoadInstanceOnly(device.handles().instance);
        volkLoadDevice(device.handles().device);
        executor ex(device.handles(), device.options());
        bench::stopwatch watch(device.handles().device, device.queue(), device.handles().queue_family,
                               1e-9 * static_cast<double>(ex.properties().limits.timestampPeriod));
        if (!json) {
            std::printf("%s, %s\n", device.info().name.c_str(), device.info().driver.c_str());
            std::printf("%-16s %-5s %12s %12s %12s %10s\n", "keys and values", "n", "sort us", "million/s",
                        "copy us", "sort/copy");
        }
        const setting on{device, ex, watch, json, stages};
        for (int exponent = 12; exponent <= largest; exponent += 2) {
            const std::uint64_t n = std::uint64_t{1} << exponent;
            if (n * 8 > ex.properties().limits.maxStorageBufferRange) break;
            run<std::uint32_t, void>(on, "uint32", n);
            run<std::uint32_t, std::uint32_t>(on, "uint32 uint32", n);
            run<std::uint32_t, std::uint64_t>(on, "uint32 uint64", n);
            run<std::uint64_t, void>(on, "uint64", n);
        }
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "vulkan_sort_bench: %s\n", problem.what());
        return 1;
    }
}
