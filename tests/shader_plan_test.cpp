// Plans of scans and compactions, for devices and lengths that no test machine has: every dispatch within the
// limits, the whole sequence covered once, in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "shader/plan.hpp"
#include "support/plan_limits.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using shader::dispatch;
using shader::resource;

// Stages know the standard library's operators as the ones that they are.
static_assert(shader::operation_of<std::plus<>, float>() == shader::operation_of<plus, float>());
static_assert(!shader::supported<std::plus<double>, float> && !shader::supported<std::minus<>, float>);

// Bytes are accumulated in bytes, which the stages lack, unless a type is named; numbers of 16 bits in float.
static_assert(
    !shader::loads_and_combines<plus, std::uint8_t, shader::accumulator_for<deduced, std::uint8_t>>);
static_assert(std::is_same_v<shader::accumulator_for<std::uint64_t, std::uint8_t>, std::uint64_t>);
static_assert(std::is_same_v<shader::accumulator_for<deduced, const float16>, float>);
// Results are not of fewer bytes than elements, and integers no floating-point numbers.
static_assert(shader::loads_and_combines<plus, const std::int8_t, std::uint32_t>);
static_assert(!shader::loads_and_combines<plus, std::int32_t, float>);
static_assert(!shader::loads_and_combines<plus, double, float>);
static_assert(!shader::loads_and_combines<plus, float16, std::uint32_t>);
static_assert(!shader::loads_and_combines<bit_and, std::uint8_t, float>);
static_assert(!shader::loads_and_combines<affine, float, affine_map<float>>);

// Where a dispatch's position 0 lies in the caller's buffer, in elements.
std::uint64_t element_of(const dispatch& d, int at, int parameter, std::uint64_t size,
                         std::uint64_t buffer_offset) {
    const shader::binding& bound = d.bindings[static_cast<std::size_t>(at)];
    return (bound.offset + d.parameters[static_cast<std::size_t>(parameter)] * size - buffer_offset) / size;
}

void check_scan(const shader::scan_request& request, const shader::limits& device) {
    const std::vector<dispatch> plan = shader::plan_scan(request, device);
    check_limits(plan, device);
    const std::uint64_t size = 4 * request.op.element_words, input_size = shader::input_bytes(request.op);
    std::uint64_t scanned = 0, summed = 0, totals = 0;
    for (const dispatch& d : plan) {
        const std::uint64_t length = d.parameters[UPSWEEP_P_LENGTH];
        const bool scans = d.which == shader::stage::tile_scan || d.which == shader::stage::look_back_scan;
        if ((scans || d.which == shader::stage::tile_totals) && length != 0) {
            std::uint64_t& done = scans ? scanned : summed;
            EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], done / 4096);
            const std::uint64_t expected = request.reverse ? request.length - 1 - done : done;
            EXPECT_EQ(element_of(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, input_size, request.input_offset),
                      expected);
            if (scans) {
                EXPECT_EQ(element_of(d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, size, request.output_offset),
                          expected);
            }
            const shader::binding& in = d.bindings[UPSWEEP_INPUT];
            // Whole words, and not one more.
            EXPECT_LE(in.offset + in.bytes, (request.input_offset + request.length * input_size + 3) / 4 * 4);
            EXPECT_EQ(in.bytes % 4, 0u);
            done += length;
        }
        const bool ends = (d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_TOTAL) != 0;
        totals += ends ? 1 : 0;
        if (ends) {
            EXPECT_EQ(scanned, request.length);
        }
        const shader::binding& scratch = d.bindings[UPSWEEP_WORKSPACE];
        if (scratch.from == resource::workspace) {
            EXPECT_LE(scratch.offset + scratch.bytes,
                      shader::scan_workspace_bytes(request.op, request.length, request.how, 256, device));
        }
    }
    EXPECT_EQ(scanned, request.length);
    // In one pass, if what work groups tell each other can be bound: two words for one of each tile and
    // super.
    const std::uint64_t told =
        2 * size * ((request.length + 4095) / 4096 + (request.length + 131071) / 131072);
    if (request.length > 4096 && device.way == shader::sequence_way::look_back &&
        told <= device.binding_bytes / 4 * 4) {
        EXPECT_EQ(plan.front().which, shader::stage::clear_counts);
        EXPECT_EQ(summed, 0u);
    } else if (request.length > 4096) {
        EXPECT_GE(summed + 4096, request.length);
    }
    EXPECT_EQ(totals, 1u);
}

TEST(shader_plan, scans_of_any_length) {
    const std::vector<shader::limits> devices{
        {},
        {std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384},
        {std::uint64_t{1} << 27, 256, 65535, 65535, 16384},
        {(std::uint64_t{1} << 20) + 16, 4, 7, 3, 100},
    };
    for (const shader::limits& device : devices) {
        for (const std::uint64_t n :
             std::vector<std::uint64_t>{0, 1, 4096, 4097, 131072, 131073, (1u << 22) + 1, 1u << 28,
                                        (std::uint64_t{1} << 32) + 5, (std::uint64_t{1} << 35) + 1}) {
            if (device.binding_bytes < n / 512) continue;  // the workspace would not fit
            for (unsigned mode = 0; mode < 16; ++mode) {
                SCOPED_TRACE(std::to_string(n) + ", mode " + std::to_string(mode));
                shader::limits looking_back = device;
                looking_back.way = shader::sequence_way::look_back;
                constexpr std::array operations{shader::operation_of<plus, float>(),
                                                shader::operation_of<plus, double>(),
                                                shader::operation_of<plus, std::uint32_t, std::uint8_t>(),
                                                shader::operation_of<plus, double, float16>()};
                shader::scan_request request;
                request.op = operations.at(mode % 4);
                request.length = n;
                request.has_total = true;
                request.reverse = mode / 4 % 2 == 1;
                request.input_offset = 24 + (mode % 4 == 2 ? 7 : mode % 4 == 3 ? 10 : 0);
                request.output_offset = 4096 + 40;
                check_scan(request, mode < 8 ? device : looking_back);
            }
        }
    }
}

// Every tile but the last is totalled once, and one work group has the last: in a dispatch of its own if the
// host knows where that is, else in one a window. No results are bound.
void check_total(const shader::scan_request& request, const shader::limits& device) {
    const std::vector<dispatch> plan = shader::plan_scan(request, device);
    check_limits(plan, device);
    const std::uint64_t size = 4 * request.op.element_words;
    const std::uint64_t last = request.length == 0 ? 0 : (request.length - 1) / 4096 * 4096;
    std::uint64_t summed = 0, covered = request.length_in_buffer ? 0 : last;
    for (const dispatch& d : plan) {
        EXPECT_TRUE(std::ranges::none_of(
            d.bindings, [](const shader::binding& bound) { return bound.from == resource::output; }));
        const std::uint64_t length = d.parameters[UPSWEEP_P_LENGTH];
        const bool ends = d.which == shader::stage::tile_scan;
        if (!ends && d.which != shader::stage::tile_totals) continue;
        std::uint64_t& done = ends ? covered : summed;
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], done / 4096);
        if (length != 0) {
            EXPECT_EQ(element_of(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, size, request.input_offset), done);
        }
        if (ends) {
            EXPECT_EQ(d.parameters[UPSWEEP_P_GROUPS], 1u);
            EXPECT_EQ(d.parameters[UPSWEEP_P_FLAGS] & (UPSWEEP_F_ONLY_TOTAL | UPSWEEP_F_TOTAL),
                      UPSWEEP_F_ONLY_TOTAL | UPSWEEP_F_TOTAL);
            done += length;
        } else {
            done += 4096 * std::uint64_t{d.parameters[UPSWEEP_P_GROUPS]};
        }
    }
    EXPECT_EQ(summed, last);
    EXPECT_EQ(covered, request.length);
}

TEST(shader_plan, totals_of_any_length) {
    for (const shader::limits& device :
         {shader::limits{std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384},
          shader::limits{(std::uint64_t{1} << 20) + 16, 4, 7, 3, 100}}) {
        for (const std::uint64_t n :
             std::vector<std::uint64_t>{0, 1, 4096, 4097, 131072, 131073, 1u << 22, (1u << 22) + 1, 1u << 28,
                                        (std::uint64_t{1} << 32) + 4096, (std::uint64_t{1} << 35) + 1}) {
            if (device.binding_bytes < n / 512) continue;  // the workspace would not fit
            for (const bool in_buffer : {false, true}) {
                SCOPED_TRACE(std::to_string(n) + (in_buffer ? ", length in a buffer" : ""));
                shader::limits looking_back = device;
                looking_back.way = shader::sequence_way::look_back;
                shader::scan_request request;
                request.op = shader::operation_of<plus, double>();
                request.length = n;
                request.has_total = request.only_total = true;
                request.length_in_buffer = in_buffer;
                request.input_offset = 24;
                request.total_offset = 4096 + 40;
                if (in_buffer && n >> 32 != 0)
                    EXPECT_THROW((void)shader::plan_scan(request, device), error);
                else
                    check_total(request, looking_back);
            }
        }
    }
}

// ceil(n / 131072) supers; the serial fold over them goes on from dispatch to dispatch.
TEST(shader_plan, supers_are_folded_in_pieces) {
    shader::scan_request request;
    request.op = shader::operation_of<plus, float>();
    request.length = (std::uint64_t{1} << 33) + 1;
    const shader::limits device{std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384};
    std::uint64_t folded = 0;
    for (const dispatch& d : shader::plan_scan(request, device)) {
        if (d.which != shader::stage::super_prefixes) continue;
        EXPECT_LE(d.parameters[UPSWEEP_P_LENGTH], 16384u);
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], folded);
        EXPECT_EQ((d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_CONTINUED) != 0, folded != 0);
        folded += d.parameters[UPSWEEP_P_LENGTH];
    }
    EXPECT_EQ(folded, (request.length + 131071) / 131072);
}

TEST(shader_plan, blelloch_to_any_depth) {
    const shader::limits device{std::uint64_t{1} << 27, 256, 65535, 65535, 16384};
    for (const std::uint32_t size : {1u, 3u, 64u, 100u, 256u, 1024u}) {
        for (const std::uint64_t n :
             {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 24, std::uint64_t{1} << 33}) {
            if (n / (2 * size) * 4 > device.binding_bytes) continue;  // the sums would not fit
            shader::scan_request request;
            request.op = shader::operation_of<plus, std::uint32_t>();
            request.length = n;
            request.exclusive = true;
            request.how = shader::algorithm::blelloch;
            request.blelloch_size = size;
            const std::vector<dispatch> plan = shader::plan_scan(request, device);
            check_limits(plan, device);
            std::uint64_t scanned = 0, added = 0, tops = 0;
            for (const dispatch& d : plan) {
                const bool lowest = d.bindings[UPSWEEP_OUTPUT].from == resource::output;
                if (d.which == shader::stage::blelloch_scan && lowest)
                    scanned += d.parameters[UPSWEEP_P_LENGTH];
                if (d.which == shader::stage::blelloch_add && lowest) added += d.parameters[UPSWEEP_P_LENGTH];
                if ((d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_LAST) != 0) {
                    ++tops;
                    EXPECT_LE(d.parameters[UPSWEEP_P_LENGTH], 2 * size);
                }
            }
            EXPECT_EQ(scanned, n);
            EXPECT_EQ(added, n > 2 * size ? n : 0);
            EXPECT_EQ(tops, 1u);
        }
    }
}

TEST(shader_plan, compactions_of_any_length) {
    for (const shader::limits& device :
         {shader::limits{std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384},
          shader::limits{std::uint64_t{1} << 32, 256, 65535, 65535, 16384}}) {
        for (const std::uint64_t n :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 24, std::uint64_t{1} << 29}) {
            shader::compact_request request;
            request.items = n;
            const std::vector<dispatch> plan = shader::plan_compact(request, device);
            check_limits(plan, device);
            EXPECT_EQ(plan.back().which, shader::stage::compact);
            EXPECT_EQ(plan.front().which, n == 0 ? shader::stage::tile_scan : shader::stage::vote);
            EXPECT_EQ(plan.back().parameters[UPSWEEP_P_GROUPS],
                      std::max<std::uint64_t>(1, (n + 4095) / 4096));
        }
    }
}

TEST(shader_plan, what_no_device_can_do_is_an_error) {
    const shader::limits small{1024, 16, 65535, 65535, 16384};
    shader::scan_request request;
    request.op = shader::operation_of<plus, float>();
    request.length = 10;
    EXPECT_THROW((void)shader::plan_scan(request, small), error);  // not even a tile fits
    request.length = std::uint64_t{1} << 40;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);  // the workspace does not fit
    request.length = std::uint64_t{1} << 32;
    request.length_in_buffer = true;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);
    request.length = std::uint64_t{1} << 30;
    request.reverse = true;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);  // its end is somewhere in 4 GiB
    request.reverse = false;
    EXPECT_NO_THROW((void)shader::plan_scan(request, {}));
    request.input_offset = 2;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);
    request.op = shader::operation_of<plus, float, std::int16_t>();
    EXPECT_NO_THROW((void)shader::plan_scan(request, {}));
    request.input_offset = 3;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);
    request.input_offset = 2;
    request.exclusive = true;
    request.how = shader::algorithm::blelloch;
    EXPECT_THROW((void)shader::plan_scan(request, {}), error);  // which converts nothing
}

}  // namespace
}  // namespace upsweep::test
