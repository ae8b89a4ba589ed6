// Elements repeated in Vulkan: by counts and by offsets, with room for all or for some, of any width; counts
// that stay on the device; errors, workspaces, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "support/repeat_checks.hpp"
#include "support/vulkan_device.hpp"
#include "support/vulkan_memory.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/repeat.hpp"
#include "upsweep/vulkan/run.hpp"

namespace upsweep::test {
namespace {

using words = std::vector<std::uint32_t>;
using word_memory = vulkan_memory<std::uint32_t>;

vulkan::executor& executor() {
    static vulkan::executor made(vulkan_device::get().handles(), vulkan_device::get().options());
    return made;
}
void run_now(vulkan::executor& ex, const vulkan::commands& commands) {
    vulkan::run(ex, vulkan_device::get().queue(), commands);
}

class vulkan_repeat : public ::testing::Test {
  protected:
    // For the checks of repeat_checks.hpp.
    auto runner(vulkan::executor& ex, std::uint32_t widest = 0) {
        if (widest == 0) widest = ex.properties().limits.maxComputeWorkGroupCount[0];
        return [this, &ex, widest](const host_repeat& asked, repeat_results& got) {
            run(ex, asked, got);
            got.widest = widest;
        };
    }
    std::vector<std::string> stages_;

  private:
    void run(vulkan::executor& ex, const host_repeat& asked, repeat_results& got) {
        const unsigned turn = turn_++;
        const words given = asked.in();
        const word_memory in(std::span<const std::uint32_t>(given), turn % 3),
            counts(std::span<const std::uint32_t>(asked.counts), turn % 7),
            out(asked.room * asked.words(), turn % 3), arguments(12, turn % 5);
        const std::uint32_t elements = asked.length.value_or(0);
        const word_memory length(std::span(&elements, 1), turn % 4);
        const vulkan::workspace_requirements needed = vulkan::repeat_workspace(ex, asked.size());
        const vulkan_memory<std::byte> workspace(asked.by_offsets ? 0 : needed.bytes);
        const auto bytes = [](const word_memory& memory) {
            const vulkan::buffer_span<std::uint32_t> span = memory.span();
            return vulkan::buffer_span<std::byte>{span.buffer, span.bytes(), span.offset};
        };
        const vulkan::buffer_span<std::uint32_t> told = arguments.span();
        vulkan::repeat_options options;
        if (asked.length) options.length = length.span();
        const vulkan::commands commands =
            vulkan::detail::prepare_repeat(ex, {asked.size(),
                                                4 * std::size_t{asked.record_words},
                                                asked.by_offsets,
                                                counts.span(),
                                                bytes(in),
                                                bytes(out),
                                                asked.room,
                                                {told.buffer, 1, told.offset},
                                                workspace.span(),
                                                options});
        stages_.clear();
        for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages_.emplace_back(commands.stage(i));
        run_now(ex, commands);
        static_cast<void>(workspace.read());  // nothing outside it
        EXPECT_EQ(in.read(), given) << "changed the input";
        EXPECT_EQ(counts.read(), asked.counts) << "changed the counts";
        EXPECT_EQ(length.read()[0], elements) << "changed the length";
        got = {out.read(), arguments.read(), 0xcbcbcbcbu, 0};
    }
    unsigned turn_ = 0;
};

TEST_F(vulkan_repeat, every_function) {
    const std::array<std::uint64_t, 4> elements{1, 2ull << 40, 3, 4ull << 50};
    const std::array<std::uint32_t, 4> times{2, 0, 1, 3};
    const std::array<std::uint32_t, 5> bounds{0, 2, 2, 3, 6};
    const vulkan_memory<std::uint64_t> in{std::span(elements)}, out(6), again(6);
    const word_memory counts{std::span(times), 1}, offsets{std::span(bounds), 3}, indices(5);
    const vulkan_memory<vulkan::indirect_arguments> arguments(1);
    vulkan::executor& ex = executor();
    const vulkan_memory<std::byte> workspace(vulkan::repeat_workspace(ex, 4).bytes);
    const std::vector<std::uint64_t> expected{1, 1, 3, 4ull << 50, 4ull << 50, 4ull << 50};
    run_now(ex, vulkan::prepare_repeat(ex, in.span(), counts.span(), out.span(), arguments.span(),
                                       workspace.span(), {.vertices_per_instance = 3, .items_per_group = 4}));
    EXPECT_EQ(out.read(), expected);
    const vulkan::indirect_arguments told = arguments.read()[0];
    EXPECT_EQ(told.draw.vertexCount, 3u);
    EXPECT_EQ(told.draw.instanceCount, 6u);
    EXPECT_EQ(told.dispatch.x, 2u);
    run_now(ex, vulkan::prepare_repeat(ex, in.span(), vulkan::by_offsets(offsets.span()), again.span(),
                                       arguments.span()));
    EXPECT_EQ(again.read(), expected);
    run_now(ex, vulkan::prepare_repeat_indices(ex, counts.span(), indices.span(), arguments.span(),
                                               workspace.span()));
    EXPECT_EQ(indices.read(), (words{0, 0, 2, 3, 3}));
    EXPECT_EQ(arguments.read()[0].count, 5u);
    EXPECT_EQ(arguments.read()[0].found, 6u);
    EXPECT_EQ(arguments.read()[0].rejected, 1u);
    run_now(ex, vulkan::prepare_repeat_indices(ex, vulkan::by_offsets(offsets.span()), indices.span(),
                                               arguments.span()));
    EXPECT_EQ(indices.read(), (words{0, 0, 2, 3, 3}));
}

TEST_F(vulkan_repeat, sizes) { check_sizes(runner(executor())); }
TEST_F(vulkan_repeat, widths) { check_widths(runner(executor())); }
TEST_F(vulkan_repeat, gaps) { check_gaps(runner(executor())); }
TEST_F(vulkan_repeat, room) { check_room(runner(executor())); }
TEST_F(vulkan_repeat, length) { check_length(runner(executor())); }
TEST_F(vulkan_repeat, what_is_not_promised) { check_what_is_not_promised(runner(executor())); }

// Few groups, and bindings that hold little more than a tile of counts.
TEST_F(vulkan_repeat, small_limits) {
    vulkan::executor_options few = vulkan_device::get().options(), small = few;
    few.max_groups_x = 3;
    few.max_groups_y = 2;
    small.max_binding_bytes = 70000;
    vulkan::executor few_groups(vulkan_device::get().handles(), few),
        small_bindings(vulkan_device::get().handles(), small);
    check_counts(runner(few_groups, 3), random_counts(20000, 5, 1), 0);
    EXPECT_GT(std::ranges::count(stages_, "repeat"), 2);
    check_counts(runner(small_bindings), random_counts(7000, 4, 1), 1);
}

TEST_F(vulkan_repeat, what_is_wrong_is_said) {
    vulkan::executor& ex = executor();
    const vulkan_memory<float> in(60), out(60);
    const word_memory counts(60), indices(60);
    const vulkan_memory<vulkan::indirect_arguments> arguments(1);
    const vulkan::workspace_requirements needed = vulkan::repeat_workspace(ex, 60);
    const vulkan_memory<std::byte> workspace(needed.bytes);
    const vulkan::by_offsets sixty(counts.span());
    const auto part = [](const word_memory& memory, std::uint64_t size, std::uint64_t bytes = 0) {
        vulkan::buffer_span<std::uint32_t> span = memory.span();
        span.size = size;
        span.offset += bytes;
        return span;
    };
    const auto refused = [&](const std::string& text, const vulkan::buffer_span<std::uint32_t>& times,
                             const vulkan::buffer_span<std::uint32_t>& to, const auto& told,
                             const vulkan::workspace_span& scratch,
                             const vulkan::repeat_options& options = {}) {
        expect_refused(text,
                       [&] { (void)vulkan::prepare_repeat_indices(ex, times, to, told, scratch, options); });
    };
    expect_refused("counts: expected 60 elements, as many as in, but it has 59", [&] {
        (void)vulkan::prepare_repeat(ex, in.span(), part(counts, 59), out.span(), arguments.span(),
                                     workspace.span());
    });
    expect_refused("segments: expected 61 offsets, one more than elements of in, but there are 60",
                   [&] { (void)vulkan::prepare_repeat(ex, in.span(), sixty, out.span(), arguments.span()); });
    expect_refused("segments: expected at least one offset", [&] {
        (void)vulkan::prepare_repeat_indices(ex, vulkan::by_offsets(part(counts, 0)), indices.span(),
                                             arguments.span());
    });
    expect_refused("in: expected a buffer", [&] {
        (void)vulkan::prepare_repeat(ex, vulkan::buffer_span<float>{VK_NULL_HANDLE, 60, 0}, counts.span(),
                                     out.span(), arguments.span(), workspace.span());
    });
    expect_refused("options.length: expected none with offsets, which say how many elements there are", [&] {
        (void)vulkan::prepare_repeat_indices(ex, sixty, indices.span(), arguments.span(),
                                             {.length = part(counts, 1)});
    });
    refused("counts: expected an offset that is a multiple of 4 bytes", part(counts, 50, 2), indices.span(),
            arguments.span(), workspace.span());
    // Rooms whose bytes 64 bits do not hold, and do.
    for (const std::uint64_t room : {(std::uint64_t{1} << 62) + 60, std::uint64_t{1} << 61})
        refused("out: expected fewer than 2^62 bytes", counts.span(), part(indices, room), arguments.span(),
                workspace.span());
    refused("arguments: expected a buffer", counts.span(), indices.span(),
            vulkan::buffer_span<vulkan::indirect_arguments>(), workspace.span());
    refused("workspace: expected a buffer", counts.span(), indices.span(), arguments.span(), {});
    refused("workspace: expected " + std::to_string(needed.bytes) + " bytes", counts.span(), indices.span(),
            arguments.span(), {workspace.span().buffer, needed.bytes - 1, workspace.span().offset});
    refused("out: overlaps counts", counts.span(), counts.span(), arguments.span(), workspace.span());
    refused("options.length: expected one word, but it has none", counts.span(), indices.span(),
            arguments.span(), workspace.span(), {.length = part(counts, 0)});
    refused("options.items_per_group: expected at least 1, but it is 0", counts.span(), indices.span(),
            arguments.span(), workspace.span(), {.items_per_group = 0});
}

}  // namespace
}  // namespace upsweep::test
