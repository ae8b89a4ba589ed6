// What compaction leaves on the device drives later work there, and its items may be the caller's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "count.hpp"
#include "particles.hpp"
#include "support/flags.hpp"
#include "support/random.hpp"
#include "support/vulkan_device.hpp"
#include "support/vulkan_pipeline.hpp"
#include "support/vulkan_submission.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/scan.hpp"

namespace upsweep::test {
namespace {

vulkan::executor executor(bool subgroups) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.subgroups = subgroups ? vulkan::subgroup_use::required : vulkan::subgroup_use::off;
    return vulkan::executor(vulkan_device::get().handles(), options);
}

// The arguments drive an indirect dispatch, and the count is the length of a scan and of a second compaction,
// all in one submission, with barriers by the rule of commands::record.
TEST(vulkan_indirect, counts_stay_on_the_device) {
    vulkan::executor ex = executor(true);
    const std::size_t n = 50000;
    const auto flags = make_flags(pattern::half, n, 9);
    const vulkan_buffer flag_buffer(4 * n), first(4 * n), second(4 * n), arguments(48), again(48),
        counter(16), total(16);
    std::copy(flags.begin(), flags.end(), flag_buffer.as<std::uint32_t>(n).begin());
    counter.as<std::uint32_t>(1)[0] = 0;
    const auto needed = vulkan::compact_workspace(ex, n);
    const vulkan_buffer workspace(needed.bytes);
    const auto scan_needed = vulkan::scan_workspace<std::uint32_t>(ex, n);
    const vulkan_buffer scan_workspace(scan_needed.bytes);

    const vulkan::workspace_span scratch{workspace.handle(), needed.bytes, 0};
    const vulkan::buffer_span<const std::uint32_t> count{arguments.handle(), 1, vulkan::count_offset};
    const vulkan::commands indices =
        vulkan::prepare_compact_indices(ex, {flag_buffer.handle(), n, 0}, {first.handle(), n, 0},
                                        {arguments.handle(), 1, 0}, scratch, {.items_per_group = 32});
    // The flags of the second compaction are the indices of the first: index 0 goes, if it is there.
    const vulkan::commands rest =
        vulkan::prepare_compact_indices(ex, {first.handle(), n, 0}, {second.handle(), n, 0},
                                        {again.handle(), 1, 0}, scratch, {.length = count});
    vulkan::scan_options<std::uint32_t> options;
    options.length = count;
    options.total = {total.handle(), 1, 0};
    const vulkan::commands sums = vulkan::prepare_inclusive_scan(
        ex, vulkan::buffer_span<std::uint32_t>{first.handle(), n, 0}, {first.handle(), n, 0},
        {scan_workspace.handle(), scan_needed.bytes, 0}, plus{}, options);

    const VkDevice device = vulkan_device::get().device();
    const buffer_set buffers(device, {arguments.handle(), counter.handle()});
    const plain_pipeline counting(device, count_modules::count, buffers);
    one_submission submission;
    const auto barrier = [&](VkPipelineStageFlags to, VkAccessFlags access) {
        VkMemoryBarrier memory{};
        memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        memory.dstAccessMask = access;
        vkCmdPipelineBarrier(submission.commands(), VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0, 1, &memory,
                             0, nullptr, 0, nullptr);
    };
    constexpr VkAccessFlags shader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    indices.record(submission.commands());
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
            shader | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    counting.bind(submission.commands(), buffers);
    vkCmdDispatchIndirect(submission.commands(), arguments.handle(),
                          offsetof(vulkan::indirect_arguments, dispatch));
    rest.record(submission.commands());
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader);
    sums.record(submission.commands());
    submission.run();

    std::uint32_t chosen = 0, running = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (flags[i] == 0) continue;
        running += i;
        ASSERT_EQ(first.as<std::uint32_t>(n)[chosen], running) << i;
        ++chosen;
    }
    EXPECT_EQ(counter.as<std::uint32_t>(1)[0], chosen);
    EXPECT_EQ(total.as<std::uint32_t>(1)[0], running);
    EXPECT_EQ(again.as<vulkan::indirect_arguments>(1)[0].found, chosen - (flags[0] != 0 ? 1 : 0));
    EXPECT_EQ(again.as<vulkan::indirect_arguments>(1)[0].rejected, flags[0] != 0 ? 1u : 0u);
}

// A predicate and moves in GLSL: particles in two buffers, packed into a third.
TEST(vulkan_indirect, items_with_memory_of_their_own) {
    using vector = std::array<float, 4>;
    for (const bool subgroups : {true, false}) {
        vulkan::executor ex = executor(subgroups);
        const std::size_t n = 10001;
        const vulkan_buffer positions(16 * n), velocities(16 * n), packed(32 * n), arguments(48);
        random_bits random(2);
        for (std::size_t i = 0; i < n; ++i) {
            const auto id = static_cast<float>(i);
            positions.as<vector>(n)[i] = {id, 1, 2, static_cast<float>(random.unit())};
            velocities.as<vector>(n)[i] = {-id, 3, 4, 5};
        }
        const buffer_set buffers(vulkan_device::get().device(),
                                 {positions.handle(), velocities.handle(), packed.handle()});
        const vulkan::item_stages stages(ex, particles, buffers.layout());
        const auto needed = vulkan::compact_workspace(ex, n);
        const vulkan_buffer workspace(needed.bytes);
        for (const bool partition : {false, true}) {
            for (const float limit : {0.0f, 0.3f, 2.0f}) {
                vulkan::compact_options options;
                options.user = {std::bit_cast<std::uint32_t>(limit), 0, 0, 0};
                const vulkan::buffer_span<vulkan::indirect_arguments> to{arguments.handle(), 1, 0};
                const vulkan::workspace_span scratch{workspace.handle(), needed.bytes, 0};
                const vulkan::commands commands =
                    partition ? vulkan::prepare_partition(stages, buffers.set(), n, to, scratch, options)
                              : vulkan::prepare_compact(stages, buffers.set(), n, to, scratch, options);
                vulkan::run(ex, vulkan_device::get().queue(), commands);
                std::size_t place = 0, found = 0;
                for (const bool alive : {true, false}) {
                    for (std::size_t i = 0; i < n && (alive || partition); ++i) {
                        if ((positions.as<vector>(n)[i][3] < limit) != alive) continue;
                        ASSERT_EQ(packed.as<vector>(2 * n)[2 * place], positions.as<vector>(n)[i]);
                        ASSERT_EQ(packed.as<vector>(2 * n)[2 * place + 1], velocities.as<vector>(n)[i]);
                        ++place;
                    }
                    if (alive) found = place;
                }
                EXPECT_EQ(arguments.as<vulkan::indirect_arguments>(1)[0].count, found);
            }
        }
    }
}

}  // namespace
}  // namespace upsweep::test
