// Sorting in Vulkan (support/shader_sorts.hpp), and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "support/shader_sorts.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::test {
namespace {

vulkan::executor_options options_of(vulkan::subgroup_use subgroups, const sort_limits& limits) {
    vulkan::executor_options made = vulkan_device::get().options();
    made.subgroups = subgroups;
    made.max_groups_x = limits.groups_x;
    made.max_groups_y = limits.groups_y;
    made.max_binding_bytes = limits.binding_bytes;
    return made;
}

// With or without subgroups in the scans of counts.
template <vulkan::subgroup_use Subgroups>
class vulkan_sorter {
  public:
    static constexpr bool brief = Subgroups == vulkan::subgroup_use::off;
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
INSTANTIATE_TYPED_TEST_SUITE_P(subgroups, shader_sort, vulkan_sorter<vulkan::subgroup_use::required>);
INSTANTIATE_TYPED_TEST_SUITE_P(no_subgroups, shader_sort, vulkan_sorter<vulkan::subgroup_use::off>);

TEST(vulkan_sort, errors) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(1 << 16), scratch(1 << 16);
    const auto words = [&](std::uint64_t size, VkDeviceSize offset) {
        return vulkan::buffer_span<std::uint32_t>{memory.handle(), size, offset};
    };
    const vulkan::workspace_span workspace{scratch.handle(), 1 << 16, 0};
    const auto in = words(100, 0), out = words(100, 4096), values = words(100, 8192),
               moved = words(100, 12288);
    const auto by_key = [&](auto keys, auto with, auto to, auto with_to) {
        return [=, &ex] { (void)prepare_sort_by_key(ex, keys, with, to, with_to, workspace); };
    };
    EXPECT_NO_THROW((void)prepare_sort(ex, in, out, workspace));
    EXPECT_NO_THROW((void)prepare_sort(ex, in, in, workspace));
    EXPECT_NO_THROW(by_key(in, values, in, values)());
    EXPECT_NO_THROW((void)prepare_sort(ex, words(0, 0), {}, {}));
    expect_refused("out: expected 100 elements, as many as in, but it has 99",
                   [&] { (void)prepare_sort(ex, in, words(99, 4096), workspace); });
    expect_refused("out: expected a buffer", [&] { (void)prepare_sort(ex, in, {{}, 100, 0}, workspace); });
    expect_refused("out: overlaps in", [&] { (void)prepare_sort(ex, in, words(100, 4), workspace); });
    expect_refused("out: overlaps in", [&] { (void)prepare_sort_indices(ex, in, in, workspace); });
    expect_refused("values: expected 100 elements, as many as keys", by_key(in, words(99, 8192), out, moved));
    expect_refused("values_out: expected 100 elements", by_key(in, values, out, words(101, 12288)));
    expect_refused("keys_out: overlaps values", by_key(in, values, values, moved));
    expect_refused("values_out: overlaps keys", by_key(in, values, out, in));
    expect_refused("values_out: overlaps keys_out", by_key(in, values, out, out));
    expect_refused("values_out: overlaps values", by_key(in, values, out, words(100, 8196)));
    expect_refused("workspace: expected a buffer", [&] { (void)prepare_sort(ex, in, out, {}); });
    expect_refused("workspace: expected", [&] {
        (void)prepare_sort(ex, in, out, {scratch.handle(), 100, 0});
    });
    expect_refused("workspace: expected an offset", [&] {
        (void)prepare_sort(ex, in, out, {scratch.handle(), 1 << 15, 4});
    });
    expect_refused("workspace: overlaps in", [&] {
        (void)prepare_sort(ex, in, out, {memory.handle(), 1 << 16, 0});
    });
    expect_refused("out: overlaps options.length",
                   [&] { (void)prepare_sort(ex, in, out, workspace, {.length = words(1, 4096)}); });
    expect_refused("options.length: expected one word",
                   [&] { (void)prepare_sort(ex, in, out, workspace, {.length = words(0, 16384)}); });
    const vulkan::buffer_span<double> doubles{memory.handle(), 10, 4};
    expect_refused("in: expected an offset that is a multiple of 8 bytes", [&] {
        (void)prepare_sort(ex, doubles, {memory.handle(), 10, 4096}, workspace);
    });
    const auto huge = words(std::uint64_t{1} << 32, 0);
    expect_refused(
        "in: expected fewer than 4294967296 elements", [&] { (void)prepare_sort(ex, huge, huge, workspace); },
        errc::unsupported);
    const auto absurd = words(std::uint64_t{1} << 62, 0);
    expect_refused("in: expected fewer than 2^62 bytes",
                   [&] { (void)prepare_sort(ex, absurd, absurd, workspace); });
}

}  // namespace
}  // namespace upsweep::test
