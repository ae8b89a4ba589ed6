// Plans of segmented scans, for devices and lengths that no test machine has. A model of the addresses of the
// stages that mark heads follows each dispatch: every position has its head once, from the flag or the keys
// that it is told by, within what is bound, where the scan of the pairs looks for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "shader/plan.hpp"
#include "support/plan_limits.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using shader::dispatch;
using shader::resource;
using shader::segments_by;

constexpr std::uint64_t workspace_at = 8192;

shader::segmented_request request_of(std::uint64_t n, segments_by kind, bool reverse,
                                     std::uint32_t words = 1) {
    shader::segmented_request request;
    request.scan.op = shader::operation_of<plus, float>();
    request.scan.length = n;
    request.scan.reverse = reverse;
    request.scan.input_offset = 24;
    request.scan.output_offset = 4096 + 40;
    request.scan.workspace_offset = workspace_at;
    request.segments = {kind, words, false, kind == segments_by::offsets ? n / 3 + 1 : n, 40};
    return request;
}

// Where the head of a dispatch's position 0 lies, in bits from the workspace's beginning.
std::uint64_t head_of(const dispatch& d, int binding) {
    const shader::binding& bound = d.bindings.at(static_cast<std::size_t>(binding));
    EXPECT_EQ(bound.from, resource::workspace);
    return 8 * (bound.offset - workspace_at) + 32 * std::uint64_t{d.parameters[UPSWEEP_P_HEADS_FIRST]};
}
void expect_bound(const dispatch& d, int binding, std::uint64_t first_byte, std::uint64_t last_byte) {
    const shader::binding& bound = d.bindings.at(static_cast<std::size_t>(binding));
    EXPECT_GE(first_byte, bound.offset);
    EXPECT_LE(last_byte, bound.offset + bound.bytes);
}

void check_plan(const shader::segmented_request& request, const shader::limits& device) {
    const std::uint64_t n = request.scan.length, size = 4 * request.segments.key_words;
    const std::vector<dispatch> plan = shader::plan_segmented_scan(request, device);
    check_limits(plan, device);
    const std::uint64_t workspace = shader::segmented_workspace_bytes(request.scan.op, n, device);
    std::uint64_t marked = 0, window = 0, taken = 0, summed = 0, scanned = 0;
    for (const dispatch& d : plan) {
        const std::uint64_t count = d.parameters[UPSWEEP_P_LENGTH];
        for (const shader::binding& bound : d.bindings) {
            if (bound.from != resource::workspace) continue;
            EXPECT_LE(bound.offset + bound.bytes, workspace_at + workspace);
        }
        if (d.which == shader::stage::mark_heads) {
            EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], marked / 4096);
            EXPECT_EQ(d.parameters[UPSWEEP_P_GROUPS], (count + 4095) / 4096);
            EXPECT_EQ(head_of(d, UPSWEEP_OUTPUT), marked);
            expect_bound(d, UPSWEEP_OUTPUT, workspace_at + marked / 8,
                         workspace_at + (marked + count + 31) / 32 * 4);
            if (request.segments.kind != segments_by::offsets) {
                // Of the element behind position p, which is p, or n - p from the end; position 0 has none.
                const std::uint64_t at = request.scan.reverse ? n - marked : marked;
                const std::uint64_t place = d.bindings[UPSWEEP_INPUT].offset +
                                            size * std::uint64_t{d.parameters[UPSWEEP_P_INPUT_FIRST]};
                EXPECT_EQ(place, request.segments.offset + at * size);
                const std::uint64_t first = request.scan.reverse ? at - count : at - (at != 0 ? 1 : 0);
                const std::uint64_t last = request.scan.reverse ? std::min(at, n - 1) : at + count - 1;
                expect_bound(d, UPSWEEP_INPUT, request.segments.offset + first * size,
                             request.segments.offset + (last + 1) * size);
                EXPECT_LE(d.bindings[UPSWEEP_INPUT].offset + d.bindings[UPSWEEP_INPUT].bytes,
                          request.segments.offset + n * size)
                    << "bound behind the last";
            }
            marked += count;
        } else if (d.which == shader::stage::mark_offsets) {
            EXPECT_EQ(marked, n);
            EXPECT_EQ(d.parameters[UPSWEEP_P_BEFORE], window);
            EXPECT_EQ(head_of(d, UPSWEEP_OUTPUT), window);
            EXPECT_EQ(
                d.bindings[UPSWEEP_INPUT].offset + 4 * std::uint64_t{d.parameters[UPSWEEP_P_INPUT_FIRST]},
                request.segments.offset + 4 * taken);
            EXPECT_EQ(d.parameters[UPSWEEP_P_GROUPS], (count + 1023) / 1024);
            EXPECT_EQ(d.parameters[UPSWEEP_P_MAXIMUM], n);
            taken += count;
            if (taken == request.segments.count) {
                taken = 0;
                window += d.parameters[UPSWEEP_P_WINDOW];
            }
        } else if (d.which == shader::stage::tile_totals || d.which == shader::stage::tile_scan) {
            EXPECT_EQ(marked, n);
            EXPECT_EQ(d.shape, shader::form::segments);
            std::uint64_t& done = d.which == shader::stage::tile_scan ? scanned : summed;
            EXPECT_EQ(head_of(d, UPSWEEP_LENGTH), done);
            expect_bound(d, UPSWEEP_LENGTH, workspace_at + done / 8,
                         workspace_at + (done + count + 31) / 32 * 4);
            EXPECT_TRUE(d.bindings[UPSWEEP_WORKSPACE].from != resource::workspace ||
                        d.bindings[UPSWEEP_WORKSPACE].offset >= workspace_at + (n + 31) / 32 * 4)
                << "totals among the heads";
            done += count;
        }
    }
    EXPECT_EQ(marked, n);
    EXPECT_EQ(window, request.segments.kind == segments_by::offsets ? n : 0);
    EXPECT_EQ(scanned, n);
}

TEST(shader_segment_plan, every_head_once) {
    const std::vector<shader::limits> devices{
        {},
        {std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384, 8192},
        {(std::uint64_t{1} << 20) + 16, 4, 7, 3, 100, 8192},
        {70000, 256, 65535, 65535, 16384, 8192},
    };
    for (const shader::limits& device : devices) {
        for (const std::uint64_t n : std::vector<std::uint64_t>{1, 31, 4096, 4097, 131073, (1u << 22) + 1,
                                                                1u << 29, (std::uint64_t{1} << 32) + 5}) {
            if (device.binding_bytes < n / 256) continue;  // the totals would not fit
            for (const segments_by kind :
                 {segments_by::head_flags, segments_by::offsets, segments_by::keys}) {
                if (kind == segments_by::offsets && n >> 32 != 0) continue;
                for (const bool reverse : {false, true}) {
                    for (const std::uint32_t words : {1u, 2u}) {
                        if (words == 2 && kind != segments_by::keys) continue;
                        SCOPED_TRACE(std::to_string(n) + ", kind " + std::to_string(static_cast<int>(kind)) +
                                     (reverse ? ", reverse" : ""));
                        check_plan(request_of(n, kind, reverse, words), device);
                        if (HasFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(shader_segment_plan, a_workspace_never_shrinks) {
    const auto op = shader::operation_of<plus, double>();
    std::uint64_t before = 4;
    for (std::uint64_t n = 0; n < 3000000; n += 1 + n / 50) {
        const std::uint64_t bytes = shader::segmented_workspace_bytes(op, n, {});
        EXPECT_GE(bytes, before) << n;
        before = bytes;
    }
}

TEST(shader_segment_plan, what_no_device_can_do_is_an_error) {
    const auto refused = [](const shader::segmented_request& request, errc code,
                            const shader::limits& device = {}) {
        try {
            (void)shader::plan_segmented_scan(request, device);
            ADD_FAILURE() << "accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), code) << e.what();
        }
    };
    refused(request_of(std::uint64_t{1} << 32, segments_by::offsets, false), errc::unsupported);
    refused(request_of(std::uint64_t{1} << 40, segments_by::keys, false), errc::unsupported);  // workspace
    refused(request_of(100, segments_by::keys, false), errc::unsupported,
            {1024, 16, 65535, 65535, 16384, 8192});
    shader::segmented_request many = request_of(100, segments_by::offsets, false);  // which would take hours
    many.segments.count = std::uint64_t{1} << 60;
    refused(many, errc::unsupported);
    shader::segmented_request request = request_of(100, segments_by::keys, false, 2);
    request.segments.offset = 36;
    refused(request, errc::invalid_argument);
    request.segments.offset = 32;
    request.segments.count = 99;
    refused(request, errc::invalid_argument);
    request.segments.count = 100;
    EXPECT_FALSE(shader::plan_segmented_scan(request, {}).empty());
    request.scan.length = request.segments.count = 0;
    EXPECT_TRUE(shader::plan_segmented_scan(request, {}).empty());
}

}  // namespace
}  // namespace upsweep::test
