// Rows of a benchmark on Vulkan: some work beside a copy of the same bytes (the faster of vkCmdCopyBuffer and
// a compute shader), within the same rounds and by the GPU's own clock; and what the dispatches of each stage
// take together.
#pragma once

#include <volk.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "copy.hpp"
#include "support/gpu_rounds.hpp"
#include "support/sequence_way.hpp"
#include "support/vulkan_pipeline.hpp"
#include "upsweep/vulkan/commands.hpp"
#include "upsweep/vulkan/executor.hpp"
#include "upsweep/vulkan/standalone.hpp"
#include "vulkan/stopwatch.hpp"

namespace bench {

// A buffer whose bytes are copied to another one.
struct copied_buffer {
    VkBuffer from, to;
    VkDeviceSize bytes;  // all of both
};

// The same by a compute shader.
class shader_copy {
  public:
    shader_copy(VkDevice device, const copied_buffer& of)
        : bytes_(of.bytes),
          buffers_(device, {of.from, of.to}),
          pipeline_(device, copy_modules::copy, buffers_) {}

    void record(VkCommandBuffer commands) const {
        pipeline_.bind(commands, buffers_);
        const auto groups = static_cast<std::uint32_t>((bytes_ / 16 + 255) / 256);
        vkCmdDispatch(commands, std::min(groups, 32768u), (groups + 32767) / 32768, 1);
    }

  private:
    VkDeviceSize bytes_;
    upsweep::test::buffer_set buffers_;
    upsweep::test::plain_pipeline pipeline_;
};

class vulkan_rows {
  public:
    // `work`: what the calls are named by, "sort".
    vulkan_rows(const char* work, bool json, bool stages, upsweep::vulkan::sequence_way way)
        : work_(work),
          json_(json),
          stages_(stages),
          loaded_(device_),
          ex_(device_.handles(), options(way)),
          watch_(device_.handles().device, device_.queue(), device_.handles().queue_family,
                 1e-9 * static_cast<double>(ex_.properties().limits.timestampPeriod)) {
        if (json_) return;
        std::printf("%s, %s\n", device_.info().name.c_str(), device_.info().driver.c_str());
        std::printf("%-38s %-5s %12s %12s %12s %-8s %10s\n", "", "n", (work_ + " us").c_str(), "million/s",
                    "copy us", " copy by", (work_ + "/copy").c_str());
    }

    [[nodiscard]] upsweep::vulkan::standalone_device& device() { return device_; }
    [[nodiscard]] upsweep::vulkan::executor& ex() { return ex_; }

    // `copied`: what is counted as moved, in whole vectors of 16 bytes.
    void measure(const std::string& what, std::uint64_t n, const upsweep::vulkan::commands& work,
                 const std::vector<copied_buffer>& copied) {
        std::vector<std::unique_ptr<shader_copy>> copies;
        for (const copied_buffer& each : copied)
            copies.push_back(std::make_unique<shader_copy>(device_.handles().device, each));
        std::vector<gpu_contender<VkCommandBuffer>> all;
        all.push_back({work_, [&](VkCommandBuffer commands) { work.record(commands); }});
        all.push_back({"command", [&](VkCommandBuffer commands) {
                           for (const copied_buffer& each : copied) {
                               const VkBufferCopy region{0, 0, each.bytes};
                               vkCmdCopyBuffer(commands, each.from, each.to, 1, &region);
                           }
                       }});
        all.push_back({"shader", [&](VkCommandBuffer commands) {
                           for (const auto& each : copies) each->record(commands);
                       }});
        measure_on_gpu(all,
                       [&](const auto& each, int repetitions) { return watch_.time(each, repetitions); });
        const std::vector<double>&command = seconds_of(all, "command"), &shader = seconds_of(all, "shader");
        const bool command_wins = median(command) < median(shader);
        print_row(what, n, seconds_of(all, work_), command_wins ? command : shader,
                  command_wins ? "command" : "shader", work.dispatch_count());
        if (stages_) print_stages(work);
        std::fflush(stdout);
    }

  private:
    [[nodiscard]] upsweep::vulkan::executor_options options(upsweep::vulkan::sequence_way way) const {
        upsweep::vulkan::executor_options made = device_.options();
        made.way = way;
        return made;
    }

    struct loader {
        explicit loader(const upsweep::vulkan::standalone_device& device) {
            volkLoadInstanceOnly(device.handles().instance);
            volkLoadDevice(device.handles().device);
        }
    };

    void print_row(const std::string& what, std::uint64_t n, const std::vector<double>& work,
                   const std::vector<double>& copy, const char* copy_by, std::uint32_t dispatches) const {
        if (json_) {
            std::printf(
                "{\"device\": \"%s\", \"work\": \"%s\", \"n\": %llu, \"%s_s\": %.9f, \"copy_s\": %.9f, "
                "\"copy_by\": \"%s\", \"%s_over_copy\": %.3f, \"dispatches\": %u}\n",
                device_.info().name.c_str(), what.c_str(), static_cast<unsigned long long>(n), work_.c_str(),
                median(work), median(copy), copy_by, work_.c_str(), median_ratio(work, copy), dispatches);
        } else {
            std::printf("%-38s 2^%-3.0f %12.2f %12.1f %12.2f  %-7s %10.2f\n", what.c_str(),
                        std::log2(static_cast<double>(n)), 1e6 * median(work),
                        1e-6 * static_cast<double>(n) / median(work), 1e6 * median(copy), copy_by,
                        median_ratio(work, copy));
        }
    }
    void print_stages(const upsweep::vulkan::commands& work) {
        std::map<std::string, std::vector<double>> samples;
        for (int round = 0; round < gpu_rounds; ++round) {
            const std::vector<double> seconds = watch_.time_stages(work);
            std::map<std::string, double> sums;
            for (std::uint32_t i = 0; i < seconds.size(); ++i) sums[std::string(work.stage(i))] += seconds[i];
            for (const auto& [stage, sum] : sums) samples[stage].push_back(sum);
        }
        for (const auto& [stage, sums] : samples)
            std::printf("  %s %.2f us", stage.c_str(), 1e6 * median(sums));
        std::printf("\n");
    }

    std::string work_;
    bool json_, stages_;
    upsweep::vulkan::standalone_device device_;
    loader loaded_;
    upsweep::vulkan::executor ex_;
    stopwatch watch_;
};

// main of `PROGRAM [--json] [--stages] [--look-back | --reduce-then-scan] [LARGEST_EXPONENT]`: calls
// rows(vulkan_rows&, n) for every other power of two from 2^12 on, as far as a buffer of `element_bytes` n
// can be bound.
template <class Rows>
int vulkan_main(const char* program, const char* work, int count, char** words, std::uint64_t element_bytes,
                const Rows& rows) {
    try {
        bool json = false, stages = false;
        auto way = upsweep::vulkan::sequence_way::automatic;
        int largest = 26;
        for (int i = 1; i < count; ++i) {
            const std::string_view word = words[i];
            if (word == "--json")
                json = true;
            else if (word == "--stages")
                stages = true;
            else if (!take_way(word, way))
                largest = std::atoi(words[i]);
        }
        if (largest < 12 || largest > 30) throw std::runtime_error("expected an exponent from 12 to 30");
        require(volkInitialize(), "volkInitialize");
        vulkan_rows on(work, json, stages, way);
        for (int exponent = 12; exponent <= largest; exponent += 2) {
            const std::uint64_t n = std::uint64_t{1} << exponent;
            if (n * element_bytes > on.ex().properties().limits.maxStorageBufferRange) break;
            rows(on, n);
        }
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", program, problem.what());
        return 1;
    }
}

}  // namespace bench
