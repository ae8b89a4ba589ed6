// Vulkan for the tests of histograms and bins: the device of vulkan_device.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shader/bins_device.hpp"
#include "support/build.hpp"
#include "support/vulkan_memory.hpp"
#include "upsweep/vulkan/bins.hpp"
#include "upsweep/vulkan/run.hpp"

namespace upsweep::test {

class vulkan_bins_device {
  public:
    static constexpr bool brief = sanitized;

    explicit vulkan_bins_device(const device_limits& limits = {}) {
        vulkan::executor_options options = vulkan_device::get().options();
        options.max_groups_x = limits.groups_x;
        options.max_groups_y = limits.groups_y;
        options.max_binding_bytes = limits.binding_bytes;
        if (limits.lowered()) {
            own_ = std::make_unique<vulkan::executor>(vulkan_device::get().handles(), options);
            executor_ = own_.get();
        } else {
            // One for all tests, so that its pipelines are made once; gone before the device is.
            static vulkan::executor shared(vulkan_device::get().handles(), options);
            executor_ = &shared;
        }
    }

    [[nodiscard]] bool is_what_it_claims() const {
        return executor_->handles().device == vulkan_device::get().device();
    }
    std::vector<std::string> take_stages() { return std::exchange(stages_, {}); }

    template <class T>
    [[nodiscard]] vulkan_memory<T> memory(std::size_t size, std::size_t offset = 0) const {
        return vulkan_memory<T>(size, offset);
    }
    template <class T>
    [[nodiscard]] vulkan_memory<T> memory(const std::vector<T>& contents, std::size_t offset = 0,
                                          std::size_t surplus = 0) const {
        return vulkan_memory<T>(std::span<const T>(contents), offset, surplus);
    }

    template <class T, class Bins>
    void histogram(const vulkan_memory<T>& in, const vulkan_memory<std::uint32_t>& counts, const Bins& bins,
                   const vulkan_memory<std::uint32_t>* length = nullptr) {
        vulkan::histogram_options options;
        if (length != nullptr) options.length = length->span();
        const vulkan::workspace_requirements needed =
            vulkan::histogram_workspace<T>(*executor_, counts.span().size);
        workspace_.reset(needed.bytes, 0);
        run(vulkan::prepare_histogram(*executor_, in.span(), counts.span(),
                                      workspace_.span<std::byte>(needed.bytes), bins, options));
        EXPECT_TRUE(workspace_.guards_intact()) << "wrote outside the workspace";
    }

    // To `out`, of T, the elements, or, of words, the indices.
    template <class T, class Out, class Bins>
    void bins(const vulkan_memory<T>& in, const vulkan_memory<Out>& out,
              const vulkan_memory<std::uint32_t>& offsets, const Bins& by,
              const vulkan_memory<std::uint32_t>* length = nullptr, bool indices = false) {
        vulkan::bins_options options;
        if (length != nullptr) options.length = length->span();
        const vulkan::workspace_requirements needed =
            vulkan::bins_workspace<T>(*executor_, offsets.span().size - 1, in.span().size);
        workspace_.reset(needed.bytes, 0);
        const vulkan::workspace_span workspace = workspace_.span<std::byte>(needed.bytes);
        if constexpr (std::same_as<Out, std::uint32_t>) {
            if (indices)
                run(vulkan::prepare_bin_indices(*executor_, in.span(), out.span(), offsets.span(), workspace,
                                                by, options));
        }
        if constexpr (std::same_as<Out, T>) {
            if (!indices)
                run(vulkan::prepare_bins(*executor_, in.span(), out.span(), offsets.span(), workspace, by,
                                         options));
        }
        EXPECT_TRUE(workspace_.guards_intact()) << "wrote outside the workspace";
    }

    [[nodiscard]] vulkan::executor& executor() const { return *executor_; }
    void run(const vulkan::commands& commands) {
        for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages_.emplace_back(commands.stage(i));
        vulkan::run(*executor_, vulkan_device::get().queue(), commands);
    }

  private:
    std::unique_ptr<vulkan::executor> own_;
    vulkan::executor* executor_ = nullptr;
    guarded_buffer workspace_;
    std::vector<std::string> stages_;
};

}  // namespace upsweep::test
