// The first k of an order in Vulkan (support/shader_top_k.hpp), and errors.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/refused.hpp"
#include "support/shader_top_k.hpp"
#include "support/vulkan_test_device.hpp"
#include "upsweep/vulkan/top_k.hpp"

namespace upsweep::test {
namespace {

template <vulkan::subgroup_use Subgroups>
class vulkan_chooser : public vulkan_test_device {
  public:
    static constexpr bool brief = Subgroups == vulkan::subgroup_use::off;

    explicit vulkan_chooser(const sort_limits& limits) : vulkan_test_device(Subgroups, limits) {}

    template <class Key>
    void top_k(const memory<Key>& in, const memory<Key>& out, bool smallest,
               const memory<std::uint32_t>* length) {
        const auto needed = vulkan::top_k_workspace<Key>(executor(), in.span().size, out.span().size);
        run(vulkan::prepare_top_k(executor(), in.span(), out.span(), workspace(needed),
                                  options(smallest, length)));
    }
    template <class Key>
    void top_k_indices(const memory<Key>& in, const memory<std::uint32_t>& out, bool smallest,
                       const memory<std::uint32_t>* length) {
        const auto needed = vulkan::top_k_indices_workspace<Key>(executor(), in.span().size, out.span().size);
        run(vulkan::prepare_top_k_indices(executor(), in.span(), out.span(), workspace(needed),
                                          options(smallest, length)));
    }
    template <class Key>
    void top_k_rows(std::size_t rows, const memory<Key>& in, const memory<Key>& out, bool smallest,
                    const memory<std::uint32_t>* length) {
        const auto needed = vulkan::top_k_rows_workspace<Key>(executor(), rows, row(rows, in.span().size),
                                                              row(rows, out.span().size));
        run(vulkan::prepare_top_k_rows(executor(), rows, in.span(), out.span(), workspace(needed),
                                       options(smallest, length)));
    }
    template <class Key>
    void top_k_row_indices(std::size_t rows, const memory<Key>& in, const memory<std::uint32_t>& out,
                           bool smallest, const memory<std::uint32_t>* length) {
        const auto needed = vulkan::top_k_row_indices_workspace<Key>(
            executor(), rows, row(rows, in.span().size), row(rows, out.span().size));
        run(vulkan::prepare_top_k_row_indices(executor(), rows, in.span(), out.span(), workspace(needed),
                                              options(smallest, length)));
    }
    template <class Key, class Value>
    void top_k_by_key(const memory<Key>& keys, const memory<Value>& values, const memory<Key>& keys_out,
                      const memory<Value>& values_out, bool smallest, const memory<std::uint32_t>* length) {
        const auto needed =
            vulkan::top_k_by_key_workspace<Key, Value>(executor(), keys.span().size, keys_out.span().size);
        run(vulkan::prepare_top_k_by_key(executor(), keys.span(), values.span(), keys_out.span(),
                                         values_out.span(), workspace(needed), options(smallest, length)));
    }

  private:
    static std::uint64_t row(std::uint64_t rows, std::uint64_t all) { return rows == 0 ? 0 : all / rows; }
    static vulkan::top_k_options options(bool smallest, const memory<std::uint32_t>* length) {
        return with_length(vulkan::top_k_options{.smallest = smallest}, length);
    }
};
INSTANTIATE_TYPED_TEST_SUITE_P(subgroups, shader_top_k, vulkan_chooser<vulkan::subgroup_use::required>);
INSTANTIATE_TYPED_TEST_SUITE_P(no_subgroups, shader_top_k, vulkan_chooser<vulkan::subgroup_use::off>);

TEST(vulkan_top_k, errors) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(1 << 16), scratch(1 << 16);
    const auto words = [&](std::uint64_t size, VkDeviceSize offset) {
        return vulkan::buffer_span<std::uint32_t>{memory.handle(), size, offset};
    };
    const vulkan::workspace_span workspace{scratch.handle(), 1 << 16, 0};
    const auto in = words(100, 0), out = words(10, 4096), values = words(100, 8192), moved = words(10, 12288);
    const auto by_key = [&](auto keys, auto with, auto to, auto with_to) {
        return [=, &ex] { (void)prepare_top_k_by_key(ex, keys, with, to, with_to, workspace); };
    };
    EXPECT_NO_THROW((void)prepare_top_k(ex, in, out, workspace));
    EXPECT_NO_THROW((void)prepare_top_k(ex, in, words(100, 4096), workspace));
    EXPECT_NO_THROW(by_key(in, values, out, moved)());
    EXPECT_NO_THROW((void)prepare_top_k(ex, in, {}, {}));
    EXPECT_EQ(prepare_top_k(ex, words(0, 0), {}, {}).dispatch_count(), 0u);
    expect_refused("out: expected at most 100 elements, as many as in, but it has 101",
                   [&] { (void)prepare_top_k(ex, in, words(101, 4096), workspace); });
    expect_refused("out: expected at most 100 elements, as many as in, but it has 101",
                   [&] { (void)prepare_top_k_indices(ex, in, words(101, 4096), workspace); });
    expect_refused("keys_out: expected at most 100 elements, as many as keys",
                   by_key(in, values, words(101, 4096), words(101, 12288)));
    expect_refused("values: expected 100 elements, as many as keys", by_key(in, words(99, 8192), out, moved));
    expect_refused("values_out: expected 10 elements, as many as keys_out, but it has 11",
                   by_key(in, values, out, words(11, 12288)));
    expect_refused("out: expected a buffer", [&] { (void)prepare_top_k(ex, in, {{}, 10, 0}, workspace); });
    expect_refused("out: overlaps in", [&] { (void)prepare_top_k(ex, in, words(10, 0), workspace); });
    expect_refused("out: overlaps in",
                   [&] { (void)prepare_top_k_indices(ex, in, words(1, 396), workspace); });
    expect_refused("keys_out: overlaps values", by_key(in, values, words(10, 8200), moved));
    expect_refused("values_out: overlaps keys", by_key(in, values, out, words(10, 0)));
    expect_refused("values_out: overlaps values", by_key(in, values, out, words(10, 8192)));
    expect_refused("values_out: overlaps keys_out", by_key(in, values, out, out));
    const auto within = [&](const vulkan::workspace_span& space) {
        return [=, &ex] { (void)prepare_top_k_by_key(ex, in, values, out, moved, space); };
    };
    expect_refused("workspace: expected a buffer", within({}));
    expect_refused("workspace: expected", within({scratch.handle(), 4, 0}));
    expect_refused("workspace: expected an offset", within({scratch.handle(), 1 << 15, 4}));
    expect_refused("workspace: overlaps keys", within({memory.handle(), 1 << 16, 0}));
    expect_refused("in: expected 3 rows of equal lengths, but it has 100 elements",
                   [&] { (void)prepare_top_k_rows(ex, 3, in, words(9, 4096), workspace); });
    expect_refused("out: expected 10 rows of equal lengths, but it has 9 elements",
                   [&] { (void)prepare_top_k_row_indices(ex, 10, in, words(9, 4096), workspace); });
    expect_refused("out: expected rows of at most 10 elements",
                   [&] { (void)prepare_top_k_rows(ex, 10, in, words(110, 4096), workspace); });
    expect_refused("out: overlaps options.length",
                   [&] { (void)prepare_top_k(ex, in, out, workspace, {.length = words(1, 4100)}); });
    expect_refused("options.length: expected one word",
                   [&] { (void)prepare_top_k(ex, in, out, workspace, {.length = words(0, 16384)}); });
    const vulkan::buffer_span<double> doubles{memory.handle(), 10, 4};
    expect_refused("in: expected an offset that is a multiple of 8 bytes", [&] {
        (void)prepare_top_k(ex, doubles, {memory.handle(), 10, 4096}, workspace);
    });
    const auto huge = words(std::uint64_t{1} << 32, 0);
    expect_refused(
        "in: expected fewer than 4294967296 elements", [&] { (void)prepare_top_k(ex, huge, out, workspace); },
        errc::unsupported);
    expect_refused("in: expected fewer than 2^62 bytes",
                   [&] { (void)prepare_top_k(ex, words(std::uint64_t{1} << 62, 0), out, workspace); });
}

}  // namespace
}  // namespace upsweep::test
