// What totals on the Vulkan device have beyond those of the CPU, whose tests run here too (shader/): stages,
// windows, lengths in buffers, commands that are recorded again, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "support/shader_totals.hpp"
#include "support/vulkan_device.hpp"
#include "support/vulkan_memory.hpp"
#include "support/vulkan_scanner.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/reduce.hpp"
#include "upsweep/vulkan/run.hpp"

namespace upsweep::test {
namespace {

vulkan_scanner& scanner() {
    static vulkan_scanner made;
    return made;
}
vulkan::executor& executor() { return scanner().executor(); }

TEST(vulkan_reduce, stages) {
    check_total_stages(scanner(), vulkan_quick());
    // Totals fold tiles and supers however sequences are scanned.
    vulkan::executor_options options = vulkan_device::get().options();
    options.way = vulkan::sequence_way::look_back;
    vulkan_scanner others(options);
    check_total_sizes<float, plus>(others, 0.5f, {2 * core::tile_size + 5});
    EXPECT_EQ(others.stages(), (std::vector<std::string>{"tile_totals", "tile_scan"}));
}

TEST(vulkan_reduce, length_in_a_buffer) {
    check_total_lengths(scanner(), core::super_size, 40 * core::tile_size);
}

// Many windows and rows of work groups.
TEST(vulkan_reduce, small_limits) {
    vulkan::executor_options few_groups = vulkan_device::get().options(), small_bindings = few_groups;
    few_groups.max_groups_x = 3;
    few_groups.max_groups_y = 2;
    few_groups.max_supers_per_dispatch = 7;
    small_bindings.max_groups_x = 7;
    small_bindings.max_groups_y = 1;
    small_bindings.max_binding_bytes = 40000;
    for (const std::size_t tiles : {6u, 2u}) {  // of a window
        vulkan_scanner limited(tiles == 6 ? few_groups : small_bindings);
        check_total_sizes<float, plus>(limited, 0.3f, {1, 4097, 24577, 200001});
        const std::size_t window = tiles * core::tile_size;
        check_total_lengths(limited, window, 3 * window + 5);
    }
}

// Once prepared, recorded several times: elements and lengths are those that the buffers have then.
TEST(vulkan_reduce, commands_again_and_again) {
    constexpr std::uint32_t n = 3 * 4096 + 5;
    vulkan::executor& ex = executor();
    const vulkan::workspace_requirements needed = vulkan::scan_workspace<std::uint32_t>(ex, n);
    const vulkan_buffer memory(4 * n + 4), workspace(needed.bytes), result(8);
    const auto values = memory.as<std::uint32_t>(n);
    std::uint32_t& length = memory.as<std::uint32_t>(1, std::size_t{4} * n)[0];
    const auto results = result.as<std::uint32_t>(2);
    const vulkan::commands total =
        vulkan::prepare_reduce(ex, vulkan::buffer_span<std::uint32_t>{memory.handle(), n, 0},
                               {result.handle(), 1, 4}, {workspace.handle(), needed.bytes, 0}, plus{},
                               {.initial = 7u, .length = {memory.handle(), 1, std::size_t{4} * n}});
    results[0] = 99;
    std::uint32_t turn = 0;
    for (const std::uint32_t count : {n, 0u, 4096u, 8193u, 1u, 0xffffffffu}) {
        ++turn;
        length = count;
        std::fill(values.begin(), values.end(), turn);
        vulkan::run(ex, vulkan_device::get().queue(), total);
        EXPECT_EQ(results[1], 7 + turn * std::min(count, n)) << count;
    }
    EXPECT_EQ(results[0], 99u);
}

// What follows reads the total where it is: as a length.
TEST(vulkan_reduce, a_total_as_a_length) {
    const std::array<std::uint32_t, 4> some{2, 1, 9, 30};
    const vulkan_memory<std::uint32_t> counts{std::span(some)}, total(1), out(1, 3);
    vulkan::executor& ex = executor();
    const vulkan::commands first = vulkan::prepare_reduce(
        ex, vulkan::buffer_span<const std::uint32_t>{counts.span().buffer, 2, counts.span().offset},
        total.span(), {});
    const vulkan::commands second =
        vulkan::prepare_reduce(ex, counts.span(), out.span(), {}, maximum{}, {.length = total.span()});
    const std::array<const vulkan::commands*, 2> both{&first, &second};
    vulkan::run(ex, vulkan_device::get().queue(), both);
    EXPECT_EQ(total.read()[0], 3u);
    EXPECT_EQ(out.read()[0], 9u);
}

TEST(vulkan_reduce, what_is_wrong_is_said) {
    vulkan::executor& ex = executor();
    constexpr std::uint64_t n = 9000;
    const vulkan_memory<float> in(n), out(2);
    const vulkan_memory<std::uint32_t> words(4);
    const vulkan::workspace_requirements needed = vulkan::scan_workspace<float>(ex, n);
    const vulkan_memory<std::byte> workspace(needed.bytes);
    const auto at = [](const auto& memory, std::uint64_t size, std::uint64_t bytes = 0) {
        auto span = memory.span();
        span.size = size;
        span.offset += bytes;
        return span;
    };
    const auto refused = [&](const std::string& text, const vulkan::buffer_span<float>& from,
                             const vulkan::buffer_span<float>& to, const vulkan::workspace_span& scratch,
                             const vulkan::reduce_options<float>& options = {}) {
        expect_refused(text, [&] { (void)vulkan::prepare_reduce(ex, from, to, scratch, plus{}, options); });
    };
    const auto all = in.span(), one = at(out, 1);
    refused("out: expected one element, but it has 2", all, out.span(), workspace.span());
    refused("out: expected one element, but it has 0", all, at(out, 0), workspace.span());
    refused("out: expected a buffer", all, {}, workspace.span());
    refused("in: expected a buffer", {VK_NULL_HANDLE, n, 0}, one, workspace.span());
    refused("out: expected an offset that is a multiple of 4 bytes", all, at(out, 1, 2), workspace.span());
    refused("in: expected an offset that is a multiple of 4 bytes", at(in, 10, 2), one, workspace.span());
    refused("out: overlaps in", all, at(in, 1, 400), workspace.span());
    refused("workspace: overlaps in", all, one, {all.buffer, 4 * n, all.offset});
    refused("workspace: expected a buffer", all, one, {});
    refused("workspace: expected " + std::to_string(needed.bytes) + " bytes", all, one,
            {workspace.span().buffer, needed.bytes - 1, workspace.span().offset});
    refused("options.length: expected one word, but it has none", all, one, workspace.span(),
            {.length = at(words, 0)});
    expect_refused("out: overlaps options.length", [&] {
        (void)vulkan::prepare_reduce(ex, at(words, 2), at(words, 1, 12), {}, plus{},
                                     {.length = at(words, 1, 12)});
    });
    EXPECT_TRUE(in.untouched() && out.untouched() && words.untouched());
}

}  // namespace
}  // namespace upsweep::test
