// Plans of histograms, for devices and lengths that no test machine has, and tables of thresholds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "shader/bin_table.hpp"
#include "shader/plan.hpp"
#include "support/refused.hpp"

namespace upsweep::test {
namespace {

using shader::dispatch;
using shader::resource;

// ---- tables ----

template <class T>
std::vector<T> thresholds_of(const shader::bin_table& table) {
    EXPECT_EQ(table.words.size(), std::size_t{table.bins} * table.element_words);
    EXPECT_EQ(table.element_words, sizeof(T) / 4);
    std::vector<T> made(table.bins);
    std::memcpy(made.data(), table.words.data(), sizeof(T) * made.size());
    return made;
}

// Of unsigned integers a threshold is a number: the smallest x with x * 10 / 100 >= bin.
TEST(shader_bin_table, thresholds_are_the_least_numbers_of_bins) {
    const auto tens = shader::make_bin_table(shader::bounds_of(bin_range<std::uint32_t>{7, 107, 10}));
    EXPECT_EQ(thresholds_of<std::uint32_t>(tens),
              (std::vector<std::uint32_t>{7, 17, 27, 37, 47, 57, 67, 77, 87, 97}));
    EXPECT_EQ(tens.bottom, (std::array<std::uint32_t, 2>{7, 0}));
    EXPECT_EQ(tens.top, (std::array<std::uint32_t, 2>{106, 0}));
    EXPECT_TRUE(tens.guesses);
    EXPECT_EQ(tens.guess_scale, 0.1f);
    // Fewer numbers than bins: the bins of 0, 1 and 2 are 0, 2 and 5.
    const auto sparse = shader::make_bin_table(shader::bounds_of(bin_range<std::uint64_t>{0, 3, 8}));
    EXPECT_EQ(thresholds_of<std::uint64_t>(sparse), (std::vector<std::uint64_t>{0, 1, 1, 2, 2, 2, 3, 3}));
}

// Keys are in the order of the numbers, and both zeros are one.
TEST(shader_bin_table, edges_are_their_own_thresholds) {
    const std::vector<float> edges{-1, -0.0f, 1, 2};
    const auto table = shader::make_bin_table(shader::bounds_of(bin_edges<float>{edges}));
    EXPECT_EQ(thresholds_of<std::uint32_t>(table),
              (std::vector<std::uint32_t>{0x407fffff, 0x80000000, 0xbf800000}));
    EXPECT_EQ(table.top, (std::array<std::uint32_t, 2>{0xc0000000, 0}));
    const std::vector<std::int64_t> signs{-1, 0, 1};
    const auto words = shader::make_bin_table(shader::bounds_of(bin_edges<std::int64_t>{signs}));
    EXPECT_EQ(thresholds_of<std::uint64_t>(words),
              (std::vector<std::uint64_t>{0x7fffffffffffffff, 0x8000000000000000}));
}

// A guess is made where it is mostly right, and only there.
TEST(shader_bin_table, guesses) {
    const auto guesses = [](const auto& bins) {
        return shader::make_bin_table(shader::bounds_of(bins)).guesses;
    };
    EXPECT_TRUE(guesses(bin_range<float>{-1, 1, 1000}));
    EXPECT_TRUE(guesses(bin_range<double>{0, 1, 5}));
    EXPECT_TRUE(guesses(bin_range<std::int32_t>{-2'000'000'000, 2'000'000'000, 256}));
    EXPECT_FALSE(guesses(bin_range<double>{1e9, 1e9 + 1, 1000}));  // not told apart by a float
    EXPECT_FALSE(guesses(bin_range<float>{0, 1e-45f, 1}));         // a scale that is no float
    std::vector<double> equal, doubling, endless{0, 1, INFINITY};
    for (int i = 0; i <= 100; ++i) {
        equal.push_back(i);
        doubling.push_back(std::exp2(i));
    }
    EXPECT_TRUE(guesses(bin_edges<double>{equal}));
    EXPECT_FALSE(guesses(bin_edges<double>{doubling}));
    EXPECT_FALSE(guesses(bin_edges<double>{endless}));
}

// ---- plans ----

const shader::limits large{std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384};
const shader::limits least{std::uint64_t{1} << 27, 256, 65535, 65535, 16384};
const shader::limits small{(std::uint64_t{1} << 20) + 16, 4, 7, 3, 100};
const shader::limits tiny{(std::uint64_t{1} << 20) + 16, 4, 2, 1, 100};

template <class T>
shader::histogram_request request_of(std::uint64_t n, std::uint32_t bins) {
    shader::histogram_request request;
    request.bounds = shader::bounds_of(bin_range<T>{0, 100, bins});
    request.bins = bins;
    request.length = n;
    request.input_offset = 24;
    request.counts_offset = 4096 + 40;
    return request;
}

// Every dispatch within the limits; every count cleared once, and every element counted once for each slice.
void check_plan(const shader::histogram_request& request, const shader::limits& device, std::uint64_t size) {
    const shader::bin_plan plan = shader::plan_histogram(request, device);
    EXPECT_EQ(plan.table.size(), request.user_bins || request.length == 0 ? 0 : request.bins * size / 4);
    std::uint64_t cleared = 0;
    std::vector<std::uint64_t> counted;  // elements by slice
    for (std::size_t i = 0; i < plan.dispatches.size(); ++i) {
        const dispatch& d = plan.dispatches[i];
        SCOPED_TRACE(i);
        EXPECT_EQ(d.waits, i != 0);
        EXPECT_LE(d.groups_x, device.groups_x);
        EXPECT_LE(d.groups_y, device.groups_y);
        const std::uint64_t groups = d.parameters[UPSWEEP_P_GROUPS];
        EXPECT_GE(std::uint64_t{d.groups_x} * d.groups_y, groups);
        for (const shader::binding& bound : d.bindings) {
            if (bound.from == resource::none) continue;
            EXPECT_EQ(bound.offset % device.binding_alignment, 0u);
            EXPECT_LE(bound.bytes, device.binding_bytes);
            EXPECT_GT(bound.bytes, 0u);
        }
        const shader::binding& out = d.bindings[UPSWEEP_OUTPUT];
        EXPECT_EQ(out.offset + 4 * d.parameters[UPSWEEP_P_OUTPUT_FIRST], request.counts_offset);
        EXPECT_EQ(out.offset + out.bytes, request.counts_offset + 4 * request.bins);
        if (d.which == shader::stage::clear_counts) {
            EXPECT_TRUE(counted.empty());
            EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], cleared);
            EXPECT_EQ(d.parameters[UPSWEEP_P_LENGTH], request.bins);
            cleared += groups;
            continue;
        }
        ASSERT_EQ(d.which, shader::stage::count_bins);
        const std::uint64_t elements = d.parameters[UPSWEEP_P_LENGTH];
        const std::uint64_t slices = d.parameters[UPSWEEP_P_SLICES],
                            first = d.parameters[UPSWEEP_P_FIRST_GROUP];
        EXPECT_EQ(groups % slices, 0u);
        EXPECT_GE(groups / slices * d.parameters[UPSWEEP_P_GROUP_TILES], (elements + 4095) / 4096);
        EXPECT_LE(d.parameters[UPSWEEP_P_GROUP_TILES], 64u) << "drivers stop long loops";
        if (counted.size() < first + slices) counted.resize(first + slices);
        if (!request.user_bins) {
            const shader::binding& in = d.bindings[UPSWEEP_INPUT];
            EXPECT_EQ(in.offset + d.parameters[UPSWEEP_P_INPUT_FIRST] * size,
                      request.input_offset + counted[first] * size);
            EXPECT_EQ(in.offset + in.bytes, request.input_offset + (counted[first] + elements) * size);
        }
        if (request.length_in_buffer) {
            EXPECT_EQ(d.parameters[UPSWEEP_P_BEFORE], counted[first]);
        }
        for (std::uint64_t slice = first; slice < first + slices; ++slice) counted[slice] += elements;
        const bool far = (d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_FAR_COUNTERS) != 0;
        const std::uint64_t slice_bins = d.parameters[UPSWEEP_P_SLICE_BINS],
                            copies = d.parameters[UPSWEEP_P_COPIES];
        const bool near_table = (d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_NEAR_TABLE) != 0;
        EXPECT_LE(slice_bins * copies + (near_table ? plan.table.size() : 0),
                  std::uint64_t{UPSWEEP_TALLY_WORDS});
        EXPECT_EQ(far, request.bins > 3 * std::uint64_t{UPSWEEP_TALLY_WORDS});
        EXPECT_EQ(copies & (copies - 1), 0u);
    }
    EXPECT_EQ(cleared, (request.bins + 4095) / 4096);
    const std::uint64_t slice_bins = plan.dispatches.back().which == shader::stage::count_bins
                                         ? plan.dispatches.back().parameters[UPSWEEP_P_SLICE_BINS]
                                         : 0;
    if (slice_bins != 0) {
        EXPECT_EQ(counted.size(), (request.bins + slice_bins - 1) / slice_bins);
    }
    EXPECT_EQ(counted.empty(), request.length == 0);
    for (const std::uint64_t elements : counted) EXPECT_EQ(elements, request.length);
}

TEST(shader_histogram_plan, of_any_length_and_number_of_bins) {
    for (const shader::limits& device : {large, least, small, tiny}) {
        for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097},
                                      std::uint64_t{1} << 24, std::uint64_t{0xffffffff}}) {
            for (const std::uint32_t bins : {1u, 256u, 1365u, 1366u, 2048u, 2049u, 4097u, 12288u, 12289u}) {
                SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(bins) + " bins");
                shader::histogram_request request = request_of<float>(n, bins);
                check_plan(request, device, 4);
                request = request_of<double>(n, bins);
                request.length_in_buffer = true;
                check_plan(request, device, 8);
                request.user_bins = true;
                request.length_in_buffer = false;
                check_plan(request, device, 8);
            }
        }
    }
}

// Few work groups that keep a large device busy, and one for each tile of few.
TEST(shader_histogram_plan, divides_work) {
    const auto groups = [](std::uint64_t n, std::uint32_t bins) {
        return shader::plan_histogram(request_of<float>(n, bins), large)
            .dispatches.back()
            .parameters[UPSWEEP_P_GROUPS];
    };
    EXPECT_EQ(groups(4096 * 100, 256), 100u);
    EXPECT_EQ(groups(std::uint64_t{1} << 28, 256), 2048u);
    EXPECT_EQ(groups(4096 * 100, 4096), 25u);  // four tiles for as many counters as a tile has elements
    EXPECT_EQ(groups(std::uint64_t{1} << 28, 12'000), 3072u);  // three slices, of 64 tiles at most each
}

TEST(shader_histogram_plan, refuses) {
    const auto plan = [](const shader::histogram_request& request, const shader::limits& device) {
        return [&] { (void)shader::plan_histogram(request, device); };
    };
    expect_refused(
        "in: expected fewer than 4294967296 elements, because counts are 32-bit, but it has 4294967296",
        plan(request_of<float>(std::uint64_t{1} << 32, 5), large), errc::unsupported);
    expect_refused("counts: expected at most", plan(request_of<float>(5, 300'000), small), errc::unsupported);
    expect_refused("workspace: expected at most", plan(request_of<double>(5, 200'000), small),
                   errc::unsupported);
    expect_refused("limits: a tile of elements",
                   plan(request_of<double>(5, 10), {1024, 16, 65535, 65535, 16384}), errc::unsupported);
    shader::histogram_request request = request_of<double>(5, 10);
    request.input_offset = 4;
    expect_refused("in: expected an offset that is a multiple of 8 bytes, but it is 4", plan(request, large));
    request = request_of<double>(5, 10);
    request.counts_offset = 2;
    expect_refused("counts: expected an offset that is a multiple of 4 bytes", plan(request, large));
    request = request_of<double>(5, 10);
    request.workspace_offset = 4;
    expect_refused("workspace: expected an offset that is a multiple of 16 bytes", plan(request, large));
}

}  // namespace
}  // namespace upsweep::test
