// Compaction and partition: order, counts and arguments, against a loop on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/flags.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/compact.hpp"

namespace upsweep::test {
namespace {

vulkan::executor& executor(bool subgroups) {
    const auto make = [](vulkan::subgroup_use use) {
        vulkan::executor_options options = vulkan_device::get().options();
        options.subgroups = use;
        return vulkan::executor(vulkan_device::get().handles(), options);
    };
    static vulkan::executor with = make(vulkan::subgroup_use::required);
    static vulkan::executor without = make(vulkan::subgroup_use::off);
    return subgroups ? with : without;
}

// Buffers of one call, poisoned and guarded.
struct job {
    guarded_buffer flags, in, out, arguments, workspace, length;
    vulkan::executor* ex = nullptr;
    vulkan::compact_options options;
    std::size_t used = 0;  // items that count, where the length is in a buffer

    void check_guards() const {
        for (const guarded_buffer* buffer : {&flags, &in, &out, &arguments, &workspace, &length})
            EXPECT_TRUE(buffer->guards_intact());
    }
    [[nodiscard]] vulkan::indirect_arguments result() const {
        vulkan::indirect_arguments made{};
        std::memcpy(&made, arguments.data(), sizeof made);
        return made;
    }
};

void check_arguments(const vulkan::indirect_arguments& got, std::size_t found, std::size_t n,
                     const vulkan::compact_options& options, std::size_t room, std::uint32_t widest) {
    const std::size_t kept = std::min({found, room, std::size_t{options.maximum}});
    EXPECT_EQ(got.found, found);
    EXPECT_EQ(got.count, kept);
    EXPECT_EQ(got.rejected, n - found);
    const bool points = options.vertices_per_instance == 0;
    EXPECT_EQ(got.draw.vertexCount, points ? kept : options.vertices_per_instance);
    EXPECT_EQ(got.draw.instanceCount, points ? 1 : kept);
    EXPECT_EQ(got.draw.firstVertex, 0u);
    EXPECT_EQ(got.draw.firstInstance, 0u);
    const std::size_t groups = (kept + options.items_per_group - 1) / options.items_per_group;
    EXPECT_EQ(got.dispatch.x, std::min<std::size_t>(groups, widest));
    EXPECT_GE(std::size_t{got.dispatch.x} * got.dispatch.y, groups);
    EXPECT_EQ(got.dispatch.y, std::max<std::size_t>(1, (groups + widest - 1) / widest));
    EXPECT_EQ(got.dispatch.z, 1u);
}

template <std::size_t Words>
struct record {
    std::array<std::uint32_t, Words> words;
    friend bool operator==(const record&, const record&) = default;
};

// Compacts (or partitions) n records of so many words and compares everything.
template <std::size_t Words>
void check_records(vulkan::executor& ex, bool partition, const std::vector<std::uint32_t>& flags,
                   std::size_t room, std::size_t offset_words, vulkan::compact_options options = {},
                   std::size_t used = SIZE_MAX) {
    using item = record<Words>;
    const std::size_t n = flags.size();
    const bool measured = used != SIZE_MAX;
    if (!measured) used = n;
    SCOPED_TRACE(std::to_string(n) + " records of " + std::to_string(Words) + " words, room for " +
                 std::to_string(room) + (partition ? ", partition" : ", compact"));
    std::vector<item> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t w = 0; w < Words; ++w) items[i].words[w] = static_cast<std::uint32_t>(i * 16 + w);
    }
    job made;
    made.flags.reset(4 * n, 4 * (offset_words % 3));
    made.in.reset(n * sizeof(item), 4 * offset_words);
    made.out.reset(room * sizeof(item), 4 * (offset_words % 4));
    made.arguments.reset(sizeof(vulkan::indirect_arguments), 4 * (offset_words % 5));
    const auto needed = vulkan::compact_workspace(ex, n);
    made.workspace.reset(needed.bytes, 0);
    if (n != 0) {
        std::memcpy(made.flags.data(), flags.data(), 4 * n);
        std::memcpy(static_cast<void*>(made.in.data()), items.data(), n * sizeof(item));
    }
    if (measured) {
        made.length.reset(4, 4);
        const auto word = static_cast<std::uint32_t>(used);
        std::memcpy(made.length.data(), &word, 4);
        options.length = made.length.span<const std::uint32_t>(1);
    }
    const auto flag_span = made.flags.span<const std::uint32_t>(n);
    const auto in = made.in.span<const item>(n);
    const auto out = made.out.span<item>(room);
    const auto arguments = made.arguments.span<vulkan::indirect_arguments>(1);
    const auto workspace = made.workspace.span<std::byte>(needed.bytes);
    const vulkan::commands commands =
        partition ? vulkan::prepare_partition(ex, flag_span, in, out, arguments, workspace, options)
                  : vulkan::prepare_compact(ex, flag_span, in, out, arguments, workspace, options);
    vulkan::run(ex, vulkan_device::get().queue(), commands);

    std::vector<item> expected;
    for (std::size_t i = 0; i < used; ++i) {
        if (flags[i] != 0) expected.push_back(items[i]);
    }
    const std::size_t found = expected.size();
    for (std::size_t i = 0; partition && i < used; ++i) {
        if (flags[i] == 0) expected.push_back(items[i]);
    }
    expected.resize(
        std::min(expected.size(), partition ? used : std::min(room, std::size_t{options.maximum})));
    std::vector<item> got(room);
    if (room != 0) std::memcpy(static_cast<void*>(got.data()), made.out.data(), room * sizeof(item));
    const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
    EXPECT_EQ(wrong.first - expected.begin(), static_cast<std::ptrdiff_t>(expected.size()));
    for (std::size_t i = expected.size(); i < room; ++i)
        ASSERT_EQ(got[i].words[0], 0xcbcbcbcbu) << "wrote past the last record, at " << i;
    check_arguments(made.result(), found, used, options, partition ? used : room,
                    ex.properties().limits.maxComputeWorkGroupCount[0]);
    made.check_guards();
}

TEST(vulkan_compact, every_pattern_and_size) {
    for (const bool subgroups : {true, false}) {
        std::size_t turn = 0;
        for (const std::size_t n : {0u, 1u, 2u, 31u, 32u, 33u, 63u, 4095u, 4096u, 4097u, 20000u}) {
            for (const pattern which : patterns) {
                const auto flags = make_flags(which, n, n + turn);
                // Every other pattern, and from size to size the others.
                const bool partition = (turn + turn / patterns.size()) % 2 == 1;
                check_records<1>(executor(subgroups), partition, flags, n, turn % 7);
                ++turn;
                if (::testing::Test::HasFailure()) return;
            }
        }
    }
}

TEST(vulkan_compact, records_of_every_size) {
    const auto flags = make_flags(pattern::half, 9001, 3);
    for (std::size_t offset = 0; offset < 5; ++offset) {
        check_records<2>(executor(true), offset % 2 == 0, flags, 9001, 2 * offset);
        check_records<3>(executor(true), offset % 2 == 1, flags, 9001, 3 * offset);
        check_records<4>(executor(true), offset % 2 == 0, flags, 9001, 4 * offset);
        check_records<12>(executor(true), offset % 2 == 1, flags, 9001, 4 * offset + 1);
    }
}

TEST(vulkan_compact, no_more_than_there_is_room_for) {
    const auto flags = make_flags(pattern::half, 9001, 5);
    const auto few = make_flags(pattern::few, 9001, 5);
    for (const std::size_t room : {0u, 1u, 2000u, 4400u, 9001u}) {
        check_records<1>(executor(true), false, flags, room, 1);
        check_records<3>(executor(true), false, flags, room, 1);
        check_records<3>(executor(true), false, few, room % 7, 1);
    }
    vulkan::compact_options options;
    options.maximum = 100;
    options.vertices_per_instance = 4;
    options.items_per_group = 7;
    check_records<4>(executor(true), false, flags, 9001, 4, options);
    check_records<4>(executor(true), true, flags, 9001, 4,
                     {.vertices_per_instance = 6, .items_per_group = 1});
}

TEST(vulkan_compact, length_in_a_buffer) {
    const auto flags = make_flags(pattern::half, 9001, 6);
    for (const std::size_t used : {0u, 1u, 4096u, 5000u, 9001u}) {
        check_records<1>(executor(true), false, flags, 9001, 1, {}, used);
        check_records<2>(executor(false), true, flags, 9001, 2, {}, used);
    }
}

// Windows, and dispatch arguments in two dimensions.
TEST(vulkan_compact, few_groups) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_groups_x = 3;
    options.max_groups_y = 2;
    vulkan::executor ex(vulkan_device::get().handles(), options);
    const std::size_t n = 7 * 4096 + 5;
    const auto flags = make_flags(pattern::half, n, 8);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < n; ++i) {
        if (flags[i] != 0) chosen.push_back(static_cast<std::uint32_t>(i));
    }
    job made;
    made.flags.reset(4 * n, 0);
    std::memcpy(made.flags.data(), flags.data(), 4 * n);
    made.out.reset(4 * n, 4);
    made.arguments.reset(48, 0);
    const auto needed = vulkan::compact_workspace(ex, n);
    made.workspace.reset(needed.bytes, 0);
    const vulkan::commands commands = vulkan::prepare_compact_indices(
        ex, made.flags.span<const std::uint32_t>(n), made.out.span<std::uint32_t>(n),
        made.arguments.span<vulkan::indirect_arguments>(1), made.workspace.span<std::byte>(needed.bytes));
    EXPECT_EQ(commands.stage(1), "vote");  // the second window
    vulkan::run(ex, vulkan_device::get().queue(), commands);
    EXPECT_EQ(std::memcmp(made.out.data(), chosen.data(), 4 * chosen.size()), 0);
    check_arguments(made.result(), chosen.size(), n, {}, n, 3);
    made.check_guards();
}

// More tiles than one tile of counts.
TEST(vulkan_compact, seventeen_million_items) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    const std::size_t n = (std::size_t{1} << 24) + 4097;
    check_records<1>(executor(true), true, make_flags(pattern::few, n, 4), n, 0);
}

TEST(vulkan_compact, errors) {
    vulkan::executor& ex = executor(true);
    const vulkan_buffer memory(1 << 16), workspace(1 << 16);
    const vulkan::buffer_span<const std::uint32_t> flags{memory.handle(), 100, 0};
    const vulkan::buffer_span<std::uint32_t> out{memory.handle(), 100, 4096};
    const vulkan::buffer_span<vulkan::indirect_arguments> arguments{memory.handle(), 1, 8192};
    const vulkan::workspace_span scratch{workspace.handle(), 1 << 16, 0};
    const auto message = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const error& e) {
            return e.what();
        }
        return "no error";
    };
    const auto starts = [](const std::string& text, const char* with) { return text.rfind(with, 0) == 0; };
    EXPECT_EQ(message([&] { (void)prepare_compact_indices(ex, flags, out, arguments, scratch); }),
              "no error");
    EXPECT_PRED2(starts, message([&] { (void)prepare_compact_indices(ex, flags, out, {}, scratch); }),
                 "arguments:");
    EXPECT_PRED2(starts, message([&] { (void)prepare_compact_indices(ex, flags, {}, arguments, {}); }),
                 "workspace:");
    EXPECT_PRED2(
        starts, message([&] {
            (void)prepare_compact_indices(ex, flags, {memory.handle(), 100, 200}, arguments, scratch);
        }),
        "out: overlaps flags");
    EXPECT_PRED2(
        starts, message([&] {
            (void)prepare_partition_indices(ex, flags, {memory.handle(), 99, 4096}, arguments, scratch);
        }),
        "out:");
    EXPECT_PRED2(starts, message([&] {
                     (void)prepare_compact_indices(ex, {memory.handle(), 100, 2}, out, arguments, scratch);
                 }),
                 "flags:");
    EXPECT_PRED2(
        starts, message([&] {
            (void)prepare_compact_indices(ex, flags, out, arguments, {workspace.handle(), 1 << 15, 1});
        }),
        "workspace:");
    EXPECT_PRED2(starts, message([&] {
                     (void)prepare_compact_indices(ex, flags, out, arguments, scratch,
                                                   {.items_per_group = 0});
                 }),
                 "options.");
    const vulkan::buffer_span<const std::uint32_t> huge{memory.handle(), std::uint64_t{1} << 32, 0};
    EXPECT_PRED2(starts, message([&] { (void)prepare_compact_indices(ex, huge, out, arguments, scratch); }),
                 "items:");
}

}  // namespace
}  // namespace upsweep::test
