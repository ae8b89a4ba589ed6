// Totals of segments and runs of equal neighbours as a caller of Vulkan sees them: the functions, counts that
// stay on the device, operators compiled with the program, errors, workspaces, limits. The CPU's tests of
// both run in vulkan_scan_test (shader/segmented_reduce_test.cpp, shader/unique_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "matrix_product_text.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "support/run_checks.hpp"
#include "support/vulkan_device.hpp"
#include "support/vulkan_runs.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

class vulkan_runs : public ::testing::Test {
  protected:
    // For check_every_call.
    auto runner(vulkan::executor& ex, const vulkan::user_operator* user = nullptr) {
        return [this, &ex, user](const host_runs& asked, run_results& got) {
            return run_in_vulkan(ex, asked, turn_++, got, stages_, user);
        };
    }
    unsigned turn_ = 0;
    std::vector<std::string> stages_;
};

template <class T, std::size_t N>
vulkan::buffer_span<T> filled(vulkan_buffer& memory, const std::array<T, N>& values) {
    std::memcpy(memory.data(), values.data(), sizeof values);
    return {memory.handle(), N, 0};
}
template <class T>
std::vector<T> front(const vulkan_buffer& memory, std::size_t count) {
    std::vector<T> made(count);
    std::memcpy(static_cast<void*>(made.data()), memory.data(), count * sizeof(T));
    return made;
}

TEST_F(vulkan_runs, every_function) {
    using words = std::vector<std::uint32_t>;
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    vulkan_buffer x(64), f(64), o(64), k(64), y(64), z(64), l(64), a(64), s(1 << 16);
    const auto in = filled(x, std::array<std::uint32_t, 6>{1, 2, 3, 4, 5, 6});
    const auto flags = filled(f, std::array<std::uint32_t, 6>{0, 0, 1, 0, 0, 9});
    const auto offsets = filled(o, std::array<std::uint32_t, 7>{0, 0, 2, 2, 5, 6, 6});
    const auto keys = filled(k, std::array<float, 6>{1.5f, 1.5f, 2, 2, 2, 1.5f});
    const vulkan::buffer_span<std::uint32_t> six{y.handle(), 6, 0}, three{y.handle(), 3, 0},
        lengths{l.handle(), 3, 0};
    const vulkan::buffer_span<float> two_keys{z.handle(), 2, 0}, first_keys{z.handle(), 3, 0};
    const vulkan::buffer_span<vulkan::indirect_arguments> arguments{a.handle(), 1, 0};
    const vulkan::workspace_span space{s.handle(), s.size(), 0};
    EXPECT_LE(vulkan::segmented_reduce_workspace<std::uint32_t>(ex, 6).bytes, space.size);
    EXPECT_LE(vulkan::segmented_reduce_workspace_by_offsets<std::uint32_t>(ex, 6, 6).bytes, space.size);
    EXPECT_LE(vulkan::unique_workspace(ex, 6).bytes, space.size);
    EXPECT_LE(vulkan::run_length_encode_workspace(ex, 6, 3).bytes, space.size);
    const auto run = [&](const vulkan::commands& commands) {
        vulkan::run(ex, vulkan_device::get().queue(), commands);
    };
    const auto told = [&] { return front<vulkan::indirect_arguments>(a, 1)[0]; };
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(offsets), in, six, space));
    EXPECT_EQ(front<std::uint32_t>(y, 6), (words{0, 3, 0, 12, 6, 0}));
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(offsets), in, six, space, maximum{},
                                         {.initial = 4}));
    EXPECT_EQ(front<std::uint32_t>(y, 6), (words{4, 4, 4, 5, 6, 4}));
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_head_flags(flags), in, three, arguments, space,
                                         multiplies{}, {.vertices_per_instance = 6, .items_per_group = 2}));
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{2, 60, 6}));
    EXPECT_EQ(told().draw.vertexCount, 6u);
    EXPECT_EQ(told().draw.instanceCount, 3u);
    EXPECT_EQ(told().dispatch.x, 2u);
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_keys(keys), in, three, arguments, space));
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{3, 12, 6}));
    run(vulkan::prepare_reduce_by_key(ex, keys, in, two_keys, three, arguments, space, minimum{}));
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{1, 3, 6}));
    EXPECT_EQ(front<float>(z, 2), (std::vector{1.5f, 2.0f}));
    EXPECT_EQ(told().found, 3u);
    EXPECT_EQ(told().count, 2u);  // what keys_out has room for
    EXPECT_EQ(told().rejected, 3u);
    run(vulkan::prepare_unique(ex, keys, first_keys, arguments, space));
    EXPECT_EQ(front<float>(z, 3), (std::vector{1.5f, 2.0f, 1.5f}));
    EXPECT_EQ(told().count, 3u);
    run(vulkan::prepare_unique_by_key(ex, keys, in, two_keys, three, arguments, space));
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{1, 3, 6}));
    run(vulkan::prepare_run_length_encode(ex, keys, first_keys, lengths, arguments, space,
                                          {.items_per_group = 1}));
    EXPECT_EQ(front<std::uint32_t>(l, 3), (words{2, 3, 1}));
    EXPECT_EQ(told().dispatch.x, 3u);

    // Of nothing: no segments, or empty ones.
    const vulkan::buffer_span<std::uint32_t> none{};
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_head_flags(none), none, three, arguments, space));
    EXPECT_EQ(told().found, 0u);
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{1, 3, 6}));
    const auto zeros = filled(o, std::array<std::uint32_t, 4>{});
    run(vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(zeros), none, three, {}, multiplies{}));
    EXPECT_EQ(front<std::uint32_t>(y, 3), (words{1, 1, 1}));
}

// Few groups, and bindings that hold little more than a tile: windows of heads, of what describes them, of
// elements.
TEST_F(vulkan_runs, small_limits) {
    vulkan::executor_options few = vulkan_device::get().options(), small = few;
    few.max_groups_x = 3;
    few.max_groups_y = 2;
    small.max_binding_bytes = 70000;
    vulkan::executor few_groups(vulkan_device::get().handles(), few),
        small_bindings(vulkan_device::get().handles(), small);
    const auto known = shader::operation_of<plus, float>();
    for (vulkan::executor* limited : {&few_groups, &small_bindings}) {
        check_every_call<float, plus>(runner(*limited), 3, 2, known, {});
        check_every_call<float, plus>(runner(*limited), 8193, 9, known, 0.3f);
    }
    if (vulkan_quick()) return;
    check_every_call<float, plus>(runner(few_groups), 30001, 3, known, {});
    check_every_call<float, plus>(runner(few_groups), 70001, 5000, known, 0.3f);
    EXPECT_GT(std::ranges::count(stages_, "compact"), 3);
}

// 34 supers of pairs, of which twenty are folded a dispatch.
TEST_F(vulkan_runs, many_supers) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_supers_per_dispatch = 20;
    options.way = vulkan::sequence_way::reduce_then_scan;
    vulkan::executor ex(vulkan_device::get().handles(), options);
    const std::size_t n = 33 * 131072 + 5;
    const segmentation cut(n, 400000, 8);
    host_runs asked{.values = shader::run_values::totals, .op = shader::operation_of<plus, std::uint32_t>()};
    asked.segments = carried(by_offsets(cut.offsets));
    asked.in.assign(n, 1);
    asked.size = n;
    asked.room = cut.offsets.size() - 1;
    run_results got;
    EXPECT_EQ(runner(ex)(asked, got), asked.room);
    for (std::size_t k = 0; k < asked.room; ++k)
        EXPECT_EQ(got.out[k], cut.offsets[k + 1] - cut.offsets[k]) << k;
    EXPECT_EQ(std::ranges::count(stages_, "super_prefixes"), 2);
}

// Of four words; it does not commute, and nothing is known about it.
TEST_F(vulkan_runs, an_operator_of_the_callers) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const shader::operation known = vulkan::detail::operation_of(matrix_product_text, sizeof(matrix));
    const auto run = runner(ex, &matrix_product_text);
    for (const std::size_t n :
         {std::size_t{5}, std::size_t{4099}, std::size_t{vulkan_quick() ? 5000u : 140001u}}) {
        check_every_call<matrix>(run, n, 7, known, std::optional<matrix>(), matrix_product());
        check_every_call<matrix>(run, n, 900, known, std::optional<matrix>({{3, 1, 4, 1}}), matrix_product());
    }
}

TEST_F(vulkan_runs, what_is_wrong_is_said) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096), other(4096), words(4096), more(4096), told(64), space(1 << 16);
    const vulkan::buffer_span<float> in{memory.handle(), 60, 0}, out{other.handle(), 60, 0};
    const auto flags = [&](std::uint64_t n, std::uint64_t offset = 0) {
        return vulkan::buffer_span<std::uint32_t>{words.handle(), n, offset};
    };
    const vulkan::buffer_span<std::uint32_t> to{more.handle(), 60, 0};
    const vulkan::buffer_span<vulkan::indirect_arguments> arguments{told.handle(), 1, 0};
    const auto needed = vulkan::segmented_reduce_workspace<float>(ex, 60);
    const vulkan::workspace_span scratch{space.handle(), needed.bytes, 0};
    const auto refused = [&](const std::string& text, const auto& segments, const auto& told_to,
                             const vulkan::workspace_span& workspace) {
        expect_refused(
            text, [&] { (void)vulkan::prepare_segmented_reduce(ex, segments, in, out, told_to, workspace); });
    };
    const vulkan::by_head_flags good(flags(60));
    refused("segments: expected 60 head flags, one an element, but there are 59",
            vulkan::by_head_flags(flags(59)), arguments, scratch);
    refused("segments: expected an offset that is a multiple of 4 bytes", vulkan::by_head_flags(flags(60, 2)),
            arguments, scratch);
    refused("segments: expected a buffer",
            vulkan::by_head_flags(vulkan::buffer_span<std::uint32_t>{VK_NULL_HANDLE, 60, 0}), arguments,
            scratch);
    refused("arguments: expected a buffer", good, vulkan::buffer_span<vulkan::indirect_arguments>(), scratch);
    refused("workspace: expected a buffer", good, arguments, vulkan::workspace_span());
    refused("workspace: expected " + std::to_string(needed.bytes) + " bytes", good, arguments,
            vulkan::workspace_span{space.handle(), needed.bytes - 1, 0});
    refused("workspace: overlaps in", good, arguments,
            vulkan::workspace_span{memory.handle(), needed.bytes, 0});
    expect_refused("out: expected 59 elements, one for each segment, but it has 60", [&] {
        (void)vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(flags(60)), in, out, scratch);
    });
    expect_refused("options.length: expected one word, but it has none", [&] {
        (void)vulkan::prepare_unique(ex, flags(60), to, arguments, scratch,
                                     {.length = {memory.handle(), 0, 0}});
    });
    expect_refused("options.length: expected none with offsets, which say how many elements there are", [&] {
        (void)vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(flags(61)), in, out, scratch, plus{},
                                               {.length = {more.handle(), 1, 0}});
    });
    expect_refused("lengths: expected fewer than 2^62 bytes", [&] {
        const vulkan::buffer_span<std::uint32_t> lengths{other.handle(), std::uint64_t{1} << 62, 0};
        (void)vulkan::prepare_run_length_encode(ex, flags(60), to, lengths, arguments, scratch);
    });
    expect_refused("options.items_per_group: expected at least 1, but it is 0", [&] {
        (void)vulkan::prepare_unique(ex, flags(60), to, arguments, scratch, {.items_per_group = 0});
    });
    expect_refused("keys: expected 60, one for each element of in, but there are 59", [&] {
        (void)vulkan::prepare_reduce_by_key(ex, flags(59), in, to, out, arguments, scratch);
    });
    expect_refused("out: overlaps in", [&] {
        (void)vulkan::prepare_reduce_by_key(ex, flags(60), in, to, in, arguments, scratch);
    });
    expect_refused("keys_out: overlaps keys", [&] {
        (void)vulkan::prepare_reduce_by_key(ex, flags(60), in, flags(60), out, arguments, scratch);
    });
    expect_refused("out: overlaps in",
                   [&] { (void)vulkan::prepare_unique(ex, flags(60), flags(60), arguments, scratch); });
    expect_refused("lengths: overlaps out", [&] {
        (void)vulkan::prepare_run_length_encode(ex, flags(60), to, to, arguments,
                                                {space.handle(), space.size(), 0});
    });
    const vulkan::buffer_span<matrix> matrices{memory.handle(), 15, 0}, one{other.handle(), 1, 0};
    expect_refused("options.initial: ", [&] {
        (void)vulkan::prepare_segmented_reduce(ex, vulkan::by_offsets(flags(2)), matrices, one, scratch,
                                               matrix_product_text);
    });
}

}  // namespace
}  // namespace upsweep::test
