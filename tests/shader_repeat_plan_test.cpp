// Plans of repetitions, for devices and numbers of elements that no test machine has: each dispatch stays
// within what is bound, every place is stored once, and repeat has the offsets where the scan left them.
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
using shader::stage;

constexpr std::uint64_t workspace_at = 8192;

shader::repeat_request request_of(std::uint64_t n, bool by_offsets, std::uint32_t record_words,
                                  std::uint64_t room) {
    shader::repeat_request request;
    request.elements = n;
    request.by_offsets = by_offsets;
    request.counts = n + (by_offsets ? 1 : 0);
    request.record_words = record_words;
    request.room = room;
    request.input_offset = 24;
    request.counts_offset = 1028;
    request.output_offset = 4096 + 40;
    request.workspace_offset = workspace_at;
    request.arguments_offset = 20;
    request.length_offset = 36;
    return request;
}

std::uint64_t byte_at(const dispatch& d, int binding, int parameter) {
    return d.bindings.at(static_cast<std::size_t>(binding)).offset +
           4 * std::uint64_t{d.parameters.at(static_cast<std::size_t>(parameter))};
}

void check_plan(const shader::repeat_request& request, const shader::limits& device) {
    const std::vector<dispatch> plan = shader::plan_repeat(request, device);
    check_limits(plan, device);
    const std::uint64_t end = workspace_at + shader::repeat_workspace_bytes(request.elements, device);
    const resource offsets = request.by_offsets ? resource::flags : resource::workspace;
    const std::uint64_t offsets_at = request.by_offsets ? request.counts_offset : workspace_at;
    std::uint64_t tiles = 0, scanned = 0;
    for (const dispatch& d : plan) {
        EXPECT_TRUE(d.counts);
        for (const shader::binding& bound : d.bindings) {
            if (bound.from == resource::workspace) {
                EXPECT_FALSE(request.by_offsets);
                EXPECT_GE(bound.offset, workspace_at);
                EXPECT_LE(bound.offset + bound.bytes, end);
            }
            if (bound.from == resource::flags) {
                EXPECT_LE(bound.offset + bound.bytes, request.counts_offset + 4 * request.counts);
            }
            if (bound.from == resource::output) {
                EXPECT_LE(bound.offset + bound.bytes,
                          request.output_offset +
                              4 * request.room * std::max<std::uint64_t>(1, request.record_words));
            }
        }
        if (d.which == stage::tile_scan || d.which == stage::look_back_scan) {
            if (request.elements != 0) {
                EXPECT_EQ(d.bindings[UPSWEEP_INPUT].from, resource::flags);
                EXPECT_EQ(byte_at(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST),
                          request.counts_offset + 4 * scanned);
                EXPECT_EQ(byte_at(d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST), workspace_at + 4 * scanned);
            }
            scanned += d.parameters[UPSWEEP_P_LENGTH];
            // Behind the offsets.
            EXPECT_EQ(byte_at(d, UPSWEEP_TOTAL, UPSWEEP_P_TOTAL_INDEX), workspace_at + 4 * request.elements);
        }
        if (d.which != stage::repeat) continue;
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], tiles);
        tiles += d.parameters[UPSWEEP_P_GROUPS];
        EXPECT_EQ(d.bindings[UPSWEEP_WORKSPACE].from, offsets);
        EXPECT_EQ(byte_at(d, UPSWEEP_WORKSPACE, UPSWEEP_P_OFFSETS_FIRST), offsets_at);
        EXPECT_EQ(byte_at(d, UPSWEEP_WORKSPACE, UPSWEEP_P_CARRY), offsets_at + 4 * request.elements);
        EXPECT_EQ(byte_at(d, UPSWEEP_TOTAL, UPSWEEP_P_TOTAL_INDEX), request.arguments_offset);
        EXPECT_EQ(d.parameters[UPSWEEP_P_LENGTH], request.elements);
        EXPECT_EQ(d.parameters[UPSWEEP_P_CAPACITY], request.room);
        if (request.room != 0) {
            EXPECT_EQ(byte_at(d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST), request.output_offset);
        }
        if (request.record_words != 0 && request.elements != 0) {
            EXPECT_EQ(byte_at(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST), request.input_offset);
        }
        if (request.length_in_buffer) {
            EXPECT_EQ(byte_at(d, UPSWEEP_LENGTH, UPSWEEP_P_LENGTH_INDEX), request.length_offset);
        }
    }
    EXPECT_EQ(scanned, request.by_offsets ? 0 : request.elements);
    // One that writes the arguments, if there are no results.
    EXPECT_EQ(tiles, std::max<std::uint64_t>(1, (request.room + 2047) / 2048));
}

TEST(shader_repeat_plan, every_place_once) {
    const std::vector<shader::limits> devices{
        {},
        {.binding_bytes = std::uint64_t{1} << 33, .binding_alignment = 16, .groups_x = 0x7fffffffu},
        {.binding_bytes = (std::uint64_t{1} << 20) + 16,
         .binding_alignment = 4,
         .groups_x = 7,
         .groups_y = 3},
        {.binding_bytes = 70000},
        {.way = shader::sequence_way::look_back},
    };
    for (const shader::limits& device : devices) {
        for (const std::uint64_t n :
             std::vector<std::uint64_t>{0, 1, 31, 4096, 4097, 131073, (1u << 22) + 1, 1u << 29}) {
            for (const std::uint64_t room :
                 std::vector<std::uint64_t>{0, 1, 2048, 2049, 5000, 1 << 22, 1u << 29}) {
                for (const std::uint32_t words : {0u, 1u, 3u}) {
                    const std::uint64_t most = std::max({n, n * words, room, room * words});
                    if (4 * most + 1024 > device.binding_bytes) continue;
                    SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(words) + " words, room for " +
                                 std::to_string(room));
                    shader::repeat_request request = request_of(n, false, words, room);
                    check_plan(request, device);
                    request.length_in_buffer = true;
                    check_plan(request, device);
                    check_plan(request_of(n, true, words, room), device);
                    if (HasFailure()) return;
                }
            }
        }
    }
}

// Records that are whole, aligned vectors are moved as such.
TEST(shader_repeat_plan, vectors) {
    const auto flags = [](std::uint32_t words, std::uint64_t input_offset, std::uint64_t output_offset) {
        shader::repeat_request request = request_of(100, false, words, 300);
        request.input_offset = input_offset;
        request.output_offset = output_offset;
        return shader::plan_repeat(request, {}).back().parameters[UPSWEEP_P_FLAGS];
    };
    EXPECT_EQ(flags(4, 48, 512), UPSWEEP_F_VECTORS);
    EXPECT_EQ(flags(12, 48, 16), UPSWEEP_F_VECTORS);
    EXPECT_EQ(flags(4, 52, 512), 0u);
    EXPECT_EQ(flags(4, 48, 516), 0u);
    EXPECT_EQ(flags(6, 48, 512), 0u);
    EXPECT_EQ(flags(0, 48, 512), 0u);
}

TEST(shader_repeat_plan, a_workspace_never_shrinks) {
    std::uint64_t before = 4;
    for (std::uint64_t n = 0; n < 3000000; n += 1 + n / 50) {
        const std::uint64_t bytes = shader::repeat_workspace_bytes(n, {});
        EXPECT_GE(bytes, before) << n;
        before = bytes;
    }
}

TEST(shader_repeat_plan, what_no_device_can_do_is_an_error) {
    const auto refused = [](const shader::repeat_request& request, errc code, const std::string& beginning,
                            const shader::limits& device = {}) {
        try {
            (void)shader::plan_repeat(request, device);
            ADD_FAILURE() << "accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), code) << e.what();
            EXPECT_EQ(std::string(e.what()).substr(0, beginning.size()), beginning) << e.what();
        }
    };
    const shader::limits small{.binding_bytes = 1 << 20};
    refused(request_of(std::uint64_t{1} << 32, false, 0, 5), errc::unsupported, "counts: ");
    refused(request_of(std::uint64_t{1} << 32, true, 0, 5), errc::unsupported, "segments: ");
    refused(request_of(1 << 20, false, 0, 5), errc::unsupported, "workspace: ", small);
    refused(request_of(1 << 20, true, 0, 5), errc::unsupported, "segments: ", small);
    refused(request_of(1 << 17, false, 3, 5), errc::unsupported, "in: ", small);
    refused(request_of(5, false, 1, 1 << 20), errc::unsupported, "out: ", small);
    shader::repeat_request request = request_of(100, true, 1, 7);
    request.length_in_buffer = true;
    refused(request, errc::invalid_argument, "options.length: expected none with offsets");
    request = request_of(100, false, 1, 7);
    request.workspace_offset = 4;
    refused(request, errc::invalid_argument, "workspace: ");
    request = request_of(100, false, 1, 7);
    request.output_offset = 2;
    refused(request, errc::invalid_argument, "out: ");
    request.output_offset = 4;
    request.arguments_offset = 2;
    refused(request, errc::invalid_argument, "arguments: ");
}

}  // namespace
}  // namespace upsweep::test
