// Sequences that no single dispatch covers, lengths that only the device knows, many scans in a row.
//
// Limits far below the device's make every division into dispatches happen at small sizes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/shader_sweep.hpp"
#include "support/vulkan_scanner.hpp"

namespace upsweep::test {
namespace {

vulkan::executor_options tiny(std::uint32_t groups_x, std::uint32_t groups_y, std::uint64_t binding_bytes,
                              std::uint32_t supers) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.max_groups_x = groups_x;
    options.max_groups_y = groups_y;
    options.max_binding_bytes = binding_bytes;
    options.max_supers_per_dispatch = supers;
    options.way = vulkan::sequence_way::reduce_then_scan;  // the other: vulkan_look_back_test
    return options;
}

// Groups of 4 tiles, 20 a dispatch: windows and two dimensions.
TEST(vulkan_windows, few_groups) {
    vulkan_scanner scanner(tiny(4, 5, 0, 0));
    check_sizes<float, plus>(scanner, 0.5f,
                             {4096, 4 * 4096, 4 * 4096 + 1, 20 * 4096, 20 * 4096 + 5, 45 * 4096 + 7});
    EXPECT_EQ(scanner.stages().front(), "tile_totals");
    EXPECT_GT(scanner.stages().size(), 6u);
    check_sizes<std::uint64_t, plus>(scanner, 5, {3 * 4096, 41 * 4096 + 3});
    vulkan_scanner one(tiny(1, 1, 0, 0));
    check_sizes<std::int32_t, minimum>(one, 5, {4096, 3 * 4096 + 7});
    check_sizes<affine_map<float>, affine>(one, {0.5f, 1.0f}, {2 * 4096 + 7});
}

// A binding holds two tiles of float and one of double.
TEST(vulkan_windows, small_bindings) {
    vulkan_scanner scanner(tiny(0, 0, 2 * 4096 * 4 + 256, 0));
    check_sizes<float, plus>(scanner, 0.5f, {8192, 8192 + 9, 5 * 4096, 9 * 4096 + 11});
    check_sizes<std::int64_t, maximum>(scanner, 5, {4096 + 1, 3 * 4096 + 9});
    check_sizes<std::int32_t, plus, std::uint8_t>(scanner, 5, {8192 + 9, 5 * 4096 + 3});
}

// The serial fold over supers continues from dispatch to dispatch.
TEST(vulkan_windows, few_supers_a_dispatch) {
    if (vulkan_quick()) GTEST_SKIP() << "long, and run without sanitizers";
    vulkan_scanner scanner(tiny(0, 0, 0, 7));
    const std::size_t n = 1030 * core::tile_size + 5;  // 33 supers
    check_sizes<float, plus>(scanner, 0.5f, {n});
    EXPECT_EQ(std::count(scanner.stages().begin(), scanner.stages().end(), "super_prefixes"), 5);
    check_sizes<affine_map<float>, affine>(scanner, {0.5f, 1.0f}, {n});
}

// ---- lengths in a buffer ----

TEST(vulkan_windows, length_in_a_buffer) {
    vulkan_scanner scanner;
    scanner.settings.length_in_buffer = true;
    const std::vector<std::size_t> sizes{0, 1, 5, 4095, 4096, 4097, 9000, 40 * 4096 + 1};
    check_sizes<float, plus>(scanner, 0.5f, sizes);
    check_sizes<std::uint32_t, plus>(scanner, 5, sizes);
    check_sizes<affine_map<float>, affine>(scanner, {0.5f, 1.0f}, sizes);
    // Of a window nothing, a part or everything may remain.
    vulkan_scanner windows(tiny(2, 1, 0, 0));
    windows.settings.length_in_buffer = true;
    windows.settings.surplus = 5 * 4096;
    check_sizes<float, plus>(windows, 0.5f, {0, 1, 8191, 8192, 8193, 3 * 8192 + 7});
}

TEST(vulkan_windows, a_length_beyond_the_buffer_is_its_size) {
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    vulkan_buffer memory(4096);
    const auto in = memory.as<std::uint32_t>(100);
    std::fill(in.begin(), in.end(), 1u);
    memory.as<std::uint32_t>(1, 1024)[0] = 0xffffffffu;
    memory.as<std::uint32_t>(1, 2048)[0] = 0;
    vulkan::scan_options<std::uint32_t> options;
    options.length = {memory.handle(), 1, 1024};
    options.total = {memory.handle(), 1, 2048};
    const vulkan::buffer_span<std::uint32_t> span{memory.handle(), 100, 0};
    const vulkan::commands commands = vulkan::prepare_inclusive_scan(ex, span, span, {}, plus{}, options);
    vulkan::run(ex, vulkan_device::get().queue(), commands);
    EXPECT_EQ(in[99], 100u);
    EXPECT_EQ(memory.as<std::uint32_t>(1, 2048)[0], 100u);
}

// ---- repetitions ----

// A thousand scans in one submission, each of the result of the one before: with x_0 = 1 and zeros after it,
// element k of the n-th running sum is a binomial coefficient modulo 2^32, so an order that once was wrong
// shows in the end.
TEST(vulkan_windows, a_thousand_scans_in_a_row) {
    constexpr std::size_t n = 3 * 4096 + 5;
    constexpr int times = 1000;
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    vulkan_buffer memory(4 * n);
    const auto values = memory.as<std::uint32_t>(n);
    std::fill(values.begin(), values.end(), 0u);
    values[0] = 1;
    std::vector<std::uint32_t> expected(values.begin(), values.end());
    for (int i = 0; i < times; ++i) {
        for (std::size_t k = 1; k < n; ++k) expected[k] += expected[k - 1];
    }
    const auto needed = vulkan::scan_workspace<std::uint32_t>(ex, n);
    vulkan_buffer workspace(needed.bytes);
    const vulkan::buffer_span<std::uint32_t> span{memory.handle(), n, 0};
    const vulkan::commands scan =
        vulkan::prepare_inclusive_scan(ex, span, span, {workspace.handle(), needed.bytes, 0});
    const std::vector<const vulkan::commands*> all(times, &scan);
    vulkan::run(ex, vulkan_device::get().queue(), all);
    EXPECT_EQ(first_difference(values.data(), expected.data(), n), n);
}

TEST(vulkan_windows, a_thousand_small_scans) {
    vulkan_scanner scanner;
    scan_check<float, float, float, vulkan_scanner> checked(
        operation<float, float, float, vulkan_scanner>::of(plus()), span_of(sequence<float, plus>(9000, 5)),
        0.5f);
    for (unsigned i = 0; i < 1000; ++i) {
        if (!checked.run(scanner, i % 7 == 0 ? 9000 - i % 13 : i, checked.make_mode(i % 16), i % 8, i % 3))
            return;
    }
}

}  // namespace
}  // namespace upsweep::test
