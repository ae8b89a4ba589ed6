// The executor: what it refuses and how it says so, timestamps, and the check of a driver's arithmetic.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/bits.hpp"
#include "support/vulkan_scanner.hpp"
#include "support/vulkan_submission.hpp"
#include "upsweep/error.hpp"
#include "upsweep/vulkan/compact.hpp"
#include "upsweep/vulkan/conformance.hpp"

namespace upsweep::test {
namespace {

std::string message(const std::function<void()>& call) {
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return "no error";
}
bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

TEST(vulkan_executor, handles_are_checked) {
    const vulkan::device_handles good = vulkan_device::get().handles();
    const auto refuse = [&](const auto& spoil, const char* argument) {
        vulkan::device_handles bad = good;
        spoil(bad);
        EXPECT_PRED2(starts, message([&] { vulkan::executor ex(bad); }), argument);
    };
    refuse([](auto& h) { h.instance = VK_NULL_HANDLE; }, "handles.instance:");
    refuse([](auto& h) { h.physical_device = VK_NULL_HANDLE; }, "handles.physical_device:");
    refuse([](auto& h) { h.device = VK_NULL_HANDLE; }, "handles.device:");
    refuse([](auto& h) { h.get_instance_proc_addr = nullptr; }, "handles.get_instance_proc_addr:");
    refuse([](auto& h) { h.queue_family = 1000; }, "handles.queue_family:");
}

TEST(vulkan_executor, options_are_what_it_does) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.subgroups = vulkan::subgroup_use::off;
    EXPECT_FALSE(vulkan::executor(vulkan_device::get().handles(), options).uses_subgroups());
    options.subgroups = vulkan::subgroup_use::required;
    EXPECT_TRUE(vulkan::executor(vulkan_device::get().handles(), options).uses_subgroups());
    options.shader_float64 = false;
    const vulkan::executor ex(vulkan_device::get().handles(), options);
    EXPECT_FALSE(ex.supports(shader::operation_of<plus, double>()));
    EXPECT_TRUE(ex.supports(shader::operation_of<minimum, double>()));
    EXPECT_TRUE(ex.supports(shader::operation_of<plus, std::int64_t>()));
}

TEST(vulkan_executor, arguments_are_checked) {
    vulkan::executor_options options = vulkan_device::get().options();
    options.shader_float64 = false;
    vulkan::executor ex(vulkan_device::get().handles(), options);
    const vulkan_buffer memory(1 << 20), scratch(4096);
    using floats = vulkan::buffer_span<float>;
    const floats in{memory.handle(), 100, 0};
    const floats out{memory.handle(), 100, 4096};
    const vulkan::workspace_span workspace{scratch.handle(), 4096, 0};
    const auto refuse = [&](const floats& a, const floats& b, const vulkan::workspace_span& w,
                            const char* argument, const vulkan::scan_options<float>& o = {}) {
        EXPECT_PRED2(starts, message([&] { (void)prepare_inclusive_scan(ex, a, b, w, plus{}, o); }),
                     argument);
    };
    refuse(in, out, {}, "no error");  // a tile needs no workspace
    refuse(in, in, {}, "no error");
    refuse(in, {memory.handle(), 99, 4096}, {}, "out:");
    refuse({}, {}, {}, "no error");
    refuse({VK_NULL_HANDLE, 100, 0}, out, {}, "in:");
    refuse(in, {VK_NULL_HANDLE, 100, 0}, {}, "out:");
    refuse({memory.handle(), 100, 2}, out, {}, "in:");
    refuse(in, {memory.handle(), 100, 4097}, {}, "out:");
    refuse(in, {memory.handle(), 100, 396}, {}, "out: overlaps in");
    refuse(in, {memory.handle(), 100, 400}, {}, "no error");

    // Elements that are converted lie elsewhere than results.
    const auto refuse_bytes = [&](VkDeviceSize offset, const char* argument) {
        const vulkan::buffer_span<const std::uint16_t> bytes{memory.handle(), 100, offset};
        EXPECT_PRED2(starts,
                     message([&] { (void)vulkan::prepare_inclusive_scan<float>(ex, bytes, out, {}); }),
                     argument);
    };
    refuse_bytes(10, "no error");
    refuse_bytes(11, "in:");
    refuse_bytes(4096, "out: overlaps in");
    refuse_bytes(3896, "no error");
    refuse_bytes(3898, "out: overlaps in");

    const floats longer{memory.handle(), 100000, 0};
    refuse(longer, longer, workspace, "no error");
    refuse(longer, longer, {}, "workspace:");
    refuse(longer, longer, {scratch.handle(), 8, 0}, "workspace:");
    refuse(longer, longer, {scratch.handle(), 2048, 4}, "workspace:");
    refuse(longer, longer, {memory.handle(), 4096, 4096}, "workspace: overlaps in");

    vulkan::scan_options<float> more;
    more.total = {memory.handle(), 0, 8192};
    refuse(in, out, {}, "options.total:", more);
    more.total = {memory.handle(), 1, 396};
    refuse(in, out, {}, "options.total: overlaps in", more);
    more = {};
    more.length = {memory.handle(), 0, 8192};
    refuse(in, out, {}, "options.length:", more);
    more.length = {memory.handle(), 1, 8193};
    refuse(in, out, {}, "options.length:", more);
    more.length = {memory.handle(), 1, 8192};
    const floats vast{memory.handle(), std::uint64_t{1} << 32, 0};
    refuse(vast, vast, {scratch.handle(), std::uint64_t{1} << 40, 0}, "options.length:", more);

    const vulkan::buffer_span<double> doubles{memory.handle(), 100, 0};
    EXPECT_PRED2(starts, message([&] { (void)prepare_inclusive_scan(ex, doubles, doubles, {}); }), "T:");
}

TEST(vulkan_executor, workspace_never_decreases) {
    const vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    VkDeviceSize before = 0, before_compact = 0;
    for (std::uint64_t n = 0; n < std::uint64_t{1} << 40; n += 1 + n / 3) {
        const auto needed = vulkan::scan_workspace<float>(ex, n);
        EXPECT_GE(needed.bytes, before);
        EXPECT_EQ(needed.usage, VkBufferUsageFlags{VK_BUFFER_USAGE_STORAGE_BUFFER_BIT});
        before = needed.bytes;
        EXPECT_GE(vulkan::compact_workspace(ex, n).bytes, before_compact);
        before_compact = vulkan::compact_workspace(ex, n).bytes;
    }
}

TEST(vulkan_executor, commands_move) {
    vulkan::commands nothing;
    EXPECT_EQ(nothing.dispatch_count(), 0u);
    nothing.record(VK_NULL_HANDLE);
    vulkan::executor ex(vulkan_device::get().handles(), vulkan_device::get().options());
    const vulkan_buffer memory(4096);
    const vulkan::buffer_span<float> span{memory.handle(), 100, 0};
    nothing = prepare_inclusive_scan(ex, span, span, {});
    const vulkan::commands moved = std::move(nothing);
    EXPECT_EQ(moved.dispatch_count(), 1u);
    EXPECT_EQ(moved.stage(0), "tile_scan");
}

TEST(vulkan_executor, timestamps) {
    const vulkan_device& device = vulkan_device::get();
    vulkan::executor_options options = device.options();
    options.way = vulkan::sequence_way::reduce_then_scan;
    vulkan::executor ex(device.handles(), options);
    const std::size_t n = 200000;
    const vulkan_buffer memory(4 * n);
    const auto needed = vulkan::scan_workspace<float>(ex, n);
    const vulkan_buffer workspace(needed.bytes);
    const vulkan::buffer_span<float> span{memory.handle(), n, 0};
    const vulkan::commands scan =
        prepare_inclusive_scan(ex, span, span, {workspace.handle(), needed.bytes, 0});
    ASSERT_EQ(scan.timestamp_count(), 4u);
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 7;
    VkQueryPool pool = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateQueryPool(device.device(), &info, nullptr, &pool), VK_SUCCESS);
    one_submission submission;
    scan.record(submission.commands(), {pool, 2});
    submission.run();
    std::array<std::uint64_t, 4> times{};
    EXPECT_EQ(vkGetQueryPoolResults(device.device(), pool, 2, 4, sizeof times, times.data(), 8,
                                    VK_QUERY_RESULT_64_BIT),
              VK_SUCCESS);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i], times[i - 1]);
    EXPECT_GT(times[3], times[0]);
    vkDestroyQueryPool(device.device(), pool, nullptr);
}

// With the device's promises about floating point, and without: the same results here, whatever subnormal
// numbers become.
TEST(vulkan_executor, float_controls) {
    vulkan::executor_options options = vulkan_device::get().options();
    for (const bool on : {true, false}) {
        options.float_controls = on && vulkan_device::get().options().float_controls;
        vulkan_scanner scanner(options);
        std::vector<float> narrow(3);
        scanner.scan<float>(std::vector{1.0f, 0x1p-24f, 3 * 0x1p-24f}, narrow, false, plus{}, {});
        EXPECT_EQ(narrow, (std::vector{1.0f, 1.0f, 1 + 0x1p-22f}));
        std::vector<double> wide(3);
        if (!options.shader_float64) continue;
        scanner.scan<double>(std::vector{1.0, 0x1p-53, 3 * 0x1p-53}, wide, false, plus{}, {});
        EXPECT_EQ(wide, (std::vector{1.0, 1.0, 1 + 0x1p-51}));
    }
}

// The report says what a scan shows: whether the sum of two subnormal numbers, and a product that becomes
// one, arrive.
TEST(vulkan_executor, conformance_is_what_scans_show) {
    vulkan_scanner scanner;
    const shader::conformance report = check_conformance(scanner.executor(), vulkan_device::get().queue());
    std::string text;
    for (const std::string& finding : report.findings) text += finding + "\n";
    RecordProperty("findings", text);
    std::cout << (text.empty() ? "conforming\n" : text);

    const float tiny = std::numeric_limits<float>::denorm_min();
    std::vector<float> out(2);
    scanner.scan<float>(std::vector{tiny, tiny}, out, false, plus{}, {});
    EXPECT_EQ(same_bits(out[1], tiny + tiny), text.find("float sums") == std::string::npos);
    scanner.scan<float>(std::vector{0x1p-100f, 0x1p-40f}, out, false, multiplies{}, {});
    EXPECT_EQ(same_bits(out[1], 0x1p-140f), text.find("float products") == std::string::npos);
    if (vulkan_device::get().description().find("llvmpipe") != std::string::npos) {
        EXPECT_TRUE(report.conforming());
    }
    if (vulkan_device::get().description().find("SwiftShader") != std::string::npos) {
        EXPECT_NE(text.find("float sums: subnormal operands count as zero"), std::string::npos);
        EXPECT_NE(text.find("float products: subnormal results become zero"), std::string::npos);
    }
}

}  // namespace
}  // namespace upsweep::test
