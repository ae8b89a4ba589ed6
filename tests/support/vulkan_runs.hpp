// Totals of segments and runs of equal neighbours of host memory on the Vulkan device. The twin of
// gl_runs.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/host_runs.hpp"
#include "support/vulkan_device.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/vulkan/run.hpp"
#include "upsweep/vulkan/segmented_reduce.hpp"
#include "upsweep/vulkan/unique.hpp"

namespace upsweep::test {

// `stages` receives those that ran.
inline std::size_t run_in_vulkan(vulkan::executor& ex, const host_runs& given, unsigned turn,
                                 run_results& got, std::vector<std::string>& stages,
                                 const vulkan::user_operator* user = nullptr) {
    const host_runs asked = with_surplus(with_length(given, turn));
    const auto load = [](guarded_buffer& to, const std::vector<std::uint32_t>& words, std::size_t offset) {
        to.reset(4 * words.size(), 4 * offset);
        if (!words.empty()) std::memcpy(to.data(), words.data(), 4 * words.size());
    };
    const auto store = [](const guarded_buffer& from, std::size_t words) {
        std::vector<std::uint32_t> made(words);
        if (words != 0) std::memcpy(made.data(), from.data(), 4 * words);
        EXPECT_TRUE(from.guards_intact());
        return made;
    };
    const std::size_t out_words = asked.out_words(), key_words = asked.key_words();
    guarded_buffer in, described, out, keys_out, arguments, length, workspace;
    load(in, asked.in, turn % 5 * asked.in_words);
    load(described, asked.segments.words, 2 * (turn % 7));
    out.reset(4 * asked.room * out_words, 4 * (turn % 3) * out_words);
    keys_out.reset(4 * asked.keys_room * key_words, 4 * (turn % 4) * key_words);
    arguments.reset(sizeof(vulkan::indirect_arguments), 4 * (turn % 6));
    load(length, {static_cast<std::uint32_t>(asked.size)}, turn % 8);

    const auto bytes = [](const guarded_buffer& memory, std::size_t words) {
        return memory.span<std::byte>(4 * words);
    };
    const auto described_words = described.span<const std::uint32_t>(asked.segments.words.size());
    vulkan::detail::runs_arguments call;
    call.values = asked.values;
    call.op = asked.op;
    call.user = user;
    call.has_initial = asked.initial.has_value();
    if (asked.initial) call.initial = *asked.initial;
    call.segments = {asked.segments.kind,    asked.key_words(),      asked.segments.floating,
                     described_words.buffer, asked.segments.count(), described_words.offset};
    call.element_count = asked.size + asked.surplus;
    if (asked.length_in_buffer) call.length = length.span<const std::uint32_t>(1);
    call.record_words = asked.in_words;
    call.has_keys = asked.has_keys;
    call.in = bytes(in, asked.in.size());
    call.out = bytes(out, asked.room * out_words);
    call.room = asked.room;
    call.keys_out = bytes(keys_out, asked.keys_room * key_words);
    call.keys_room = asked.keys_room;
    if (!asked.by_offsets()) call.arguments = arguments.span<vulkan::indirect_arguments>(1);
    const vulkan::workspace_requirements needed = vulkan::detail::runs_workspace(ex, call);
    workspace.reset(needed.bytes, 0);
    call.workspace = workspace.span<std::byte>(needed.bytes);
    const vulkan::commands commands = vulkan::detail::prepare_runs(ex, call);
    stages.clear();
    for (std::uint32_t i = 0; i < commands.dispatch_count(); ++i) stages.emplace_back(commands.stage(i));
    vulkan::run(ex, vulkan_device::get().queue(), commands);

    EXPECT_TRUE(workspace.guards_intact());
    EXPECT_EQ(store(length, 1)[0], asked.size) << "changed the length";
    EXPECT_EQ(store(in, asked.in.size()), asked.in) << "changed the input";
    EXPECT_EQ(store(described, asked.segments.words.size()), asked.segments.words)
        << "changed what describes the segments";
    got = {store(out, asked.room * out_words), store(keys_out, asked.keys_room * key_words),
           store(arguments, 12)};
    return check_runs(asked, got, 0xcbcbcbcbu);
}
inline std::size_t run_on(const vulkan_scanner& scanner, const host_runs& asked, unsigned turn,
                          run_results& got, std::vector<std::string>& stages) {
    return run_in_vulkan(scanner.executor(), asked, turn, got, stages);
}

}  // namespace upsweep::test
