// Vulkan with limits of a test's choice, with or without subgroups in the scans of counts: what the devices
// of the tests of orders (vulkan_sorter.hpp, vulkan_top_k_test.cpp) have beside their calls.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/sort_records.hpp"
#include "support/vulkan_memory.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/run.hpp"

namespace upsweep::test {

class vulkan_test_device {
  public:
    template <class T>
    class memory : public vulkan_memory<T> {
      public:
        memory(const vulkan_test_device&, std::size_t size, std::size_t offset = 0)
            : vulkan_memory<T>(size, offset) {}
        memory(const vulkan_test_device&, std::span<const T> contents, std::size_t offset = 0)
            : vulkan_memory<T>(contents, offset) {}
    };

    vulkan_test_device(vulkan::subgroup_use subgroups, const sort_limits& limits)
        : subgroups_(subgroups), executor_(vulkan_device::get().handles(), options_of(subgroups, limits)) {}

    [[nodiscard]] std::string name() const { return executor_.properties().deviceName; }
    [[nodiscard]] bool is_what_it_claims() const {
        return executor_.uses_subgroups() == (subgroups_ == vulkan::subgroup_use::required);
    }
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }
    std::vector<std::string> take_complaints() { return vulkan_messages(); }

  protected:
    [[nodiscard]] vulkan::executor& executor() { return executor_; }
    // Exactly as much as is needed.
    vulkan::workspace_span workspace(const vulkan::workspace_requirements& needed) {
        workspace_.reset(needed.bytes, 0);
        const auto made = workspace_.span<std::byte>(needed.bytes);
        EXPECT_EQ(made.offset % needed.alignment, 0u);
        return made;
    }
    template <class Options>
    static Options with_length(Options options, const memory<std::uint32_t>* length) {
        if (length != nullptr) options.length = length->span();
        return options;
    }
    void run(const vulkan::commands& commands) {
        stages_.clear();
        for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages_.emplace_back(commands.stage(i));
        vulkan::run(executor_, vulkan_device::get().queue(), commands);
        EXPECT_TRUE(workspace_.guards_intact()) << "wrote outside the workspace";
    }

  private:
    static vulkan::executor_options options_of(vulkan::subgroup_use subgroups, const sort_limits& limits) {
        vulkan::executor_options made = vulkan_device::get().options();
        made.subgroups = subgroups;
        made.max_groups_x = limits.groups_x;
        made.max_groups_y = limits.groups_y;
        made.max_binding_bytes = limits.binding_bytes;
        made.merged_keys = limits.merged_keys;
        return made;
    }

    vulkan::subgroup_use subgroups_;
    vulkan::executor executor_;
    guarded_buffer workspace_;
    std::vector<std::string> stages_;
};

}  // namespace upsweep::test
