// Sorts in Vulkan, for the tests of them (shader_sorts.hpp, shader_segmented_sorts.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/sort_records.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/segmented_sort.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::test {

inline vulkan::executor_options options_of(vulkan::subgroup_use subgroups, const sort_limits& limits) {
    vulkan::executor_options made = vulkan_device::get().options();
    made.subgroups = subgroups;
    made.max_groups_x = limits.groups_x;
    made.max_groups_y = limits.groups_y;
    made.max_binding_bytes = limits.binding_bytes;
    made.merged_keys = limits.merged_keys;
    return made;
}

// With or without subgroups in the scans of counts.
template <vulkan::subgroup_use Subgroups>
class vulkan_sorter {
  public:
    static constexpr bool brief = Subgroups == vulkan::subgroup_use::off;
    using by_head_flags = vulkan::by_head_flags;
    using by_offsets = vulkan::by_offsets;
    using by_keys = vulkan::by_keys;
    template <class T>
    class memory {
      public:
        memory(const vulkan_sorter&, std::size_t size, std::size_t offset = 0) : size_(size) {
            buffer_.reset(size * sizeof(T), offset * sizeof(T));
            initial_ = read();
        }
        memory(const vulkan_sorter& on, std::span<const T> contents, std::size_t offset = 0)
            : memory(on, contents.size(), offset) {
            if (size_ != 0)
                std::memcpy(static_cast<void*>(buffer_.data()), contents.data(), contents.size_bytes());
        }

        [[nodiscard]] vulkan::buffer_span<T> span() const { return buffer_.template span<T>(size_); }
        [[nodiscard]] std::vector<T> read() const {
            EXPECT_TRUE(buffer_.guards_intact());
            std::vector<T> made(size_);
            if (size_ != 0) std::memcpy(static_cast<void*>(made.data()), buffer_.data(), size_ * sizeof(T));
            return made;
        }
        [[nodiscard]] bool untouched() const { return same_memory(read(), initial_); }

      private:
        std::size_t size_;
        guarded_buffer buffer_;
        std::vector<T> initial_;
    };

    explicit vulkan_sorter(const sort_limits& limits)
        : executor_(vulkan_device::get().handles(), options_of(Subgroups, limits)) {}

    [[nodiscard]] std::string name() const { return executor_.properties().deviceName; }
    [[nodiscard]] bool is_what_it_claims() const {
        return executor_.uses_subgroups() == (Subgroups == vulkan::subgroup_use::required);
    }
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }
    std::vector<std::string> take_complaints() { return vulkan_messages(); }

    template <class Key>
    void sort(const memory<Key>& in, const memory<Key>& out, bool descending,
              const memory<std::uint32_t>* length) {
        const auto needed = vulkan::sort_workspace<Key>(executor_, in.span().size);
        run(vulkan::prepare_sort(executor_, in.span(), out.span(), workspace(needed),
                                 options(descending, length)));
    }
    template <class Key>
    void sort_indices(const memory<Key>& in, const memory<std::uint32_t>& out, bool descending,
                      const memory<std::uint32_t>* length) {
        const auto needed = vulkan::sort_indices_workspace<Key>(executor_, in.span().size);
        run(vulkan::prepare_sort_indices(executor_, in.span(), out.span(), workspace(needed),
                                         options(descending, length)));
    }
    template <class Key, class Value>
    void sort_by_key(const memory<Key>& keys, const memory<Value>& values, const memory<Key>& keys_out,
                     const memory<Value>& values_out, bool descending, const memory<std::uint32_t>* length) {
        const auto needed =
            vulkan::sort_by_key_workspace<Key, Value>(executor_, keys.span().size, &values == &values_out);
        run(vulkan::prepare_sort_by_key(executor_, keys.span(), values.span(), keys_out.span(),
                                        values_out.span(), workspace(needed), options(descending, length)));
    }
    template <class Segments, class Key>
    void segmented_sort(const Segments& segments, const memory<Key>& in, const memory<Key>& out,
                        bool descending, const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_workspace<Key>(executor_, in.span().size);
        run(vulkan::prepare_segmented_sort(executor_, segments, in.span(), out.span(), workspace(needed),
                                           options(descending, length)));
    }
    template <class Segments, class Key>
    void segmented_sort_indices(const Segments& segments, const memory<Key>& in,
                                const memory<std::uint32_t>& out, bool descending,
                                const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_indices_workspace<Key>(executor_, in.span().size);
        run(vulkan::prepare_segmented_sort_indices(executor_, segments, in.span(), out.span(),
                                                   workspace(needed), options(descending, length)));
    }
    template <class Segments, class Key, class Value>
    void segmented_sort_by_key(const Segments& segments, const memory<Key>& keys, const memory<Value>& values,
                               const memory<Key>& keys_out, const memory<Value>& values_out, bool descending,
                               const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_by_key_workspace<Key, Value>(executor_, keys.span().size,
                                                                                &values == &values_out);
        run(vulkan::prepare_segmented_sort_by_key(executor_, segments, keys.span(), values.span(),
                                                  keys_out.span(), values_out.span(), workspace(needed),
                                                  options(descending, length)));
    }

  private:
    // Exactly as much as is needed.
    vulkan::workspace_span workspace(const vulkan::workspace_requirements& needed) {
        workspace_.reset(needed.bytes, 0);
        const auto made = workspace_.template span<std::byte>(needed.bytes);
        EXPECT_EQ(made.offset % needed.alignment, 0u);
        return made;
    }
    static vulkan::sort_options options(bool descending, const memory<std::uint32_t>* length) {
        vulkan::sort_options made{.descending = descending};
        if (length != nullptr) made.length = length->span();
        return made;
    }
    void run(const vulkan::commands& commands) {
        stages_.clear();
        for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages_.emplace_back(commands.stage(i));
        vulkan::run(executor_, vulkan_device::get().queue(), commands);
        EXPECT_TRUE(workspace_.guards_intact());
    }

    vulkan::executor executor_;
    guarded_buffer workspace_;
    std::vector<std::string> stages_;
};

}  // namespace upsweep::test
