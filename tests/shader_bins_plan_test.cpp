// Plans of bin extraction, for devices and lengths that no test machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "shader/plan.hpp"
#include "support/refused.hpp"

namespace upsweep::test {
namespace {

using shader::dispatch;
using shader::resource;
using shader::stage;

const shader::limits large{(std::uint64_t{1} << 34), 16, 0x7fffffffu, 65535, 16384};
const shader::limits least{std::uint64_t{1} << 27, 256, 65535, 65535, 16384};
const shader::limits small{(std::uint64_t{1} << 24) + 16, 4, 7, 3, 100};

template <class T>
shader::bins_request request_of(std::uint64_t n, std::uint32_t bins) {
    shader::bins_request request;
    request.bounds = shader::bounds_of(bin_range<T>{0, 100, bins});
    request.bins = bins;
    request.items = request.room = n;
    request.record_words = sizeof(T) / 4;
    request.input_offset = 24;
    request.output_offset = 4096 + 40;
    request.offsets_offset = 12;
    return request;
}

bool overlap(const shader::binding& a, const shader::binding& b) {
    return a.from == b.from && a.from != resource::none && a.offset < b.offset + b.bytes &&
           b.offset < a.offset + a.bytes;
}

// Tiles that the dispatches of a stage take, which are counted from 0 on in each of its passes.
class tile_counter {
  public:
    tile_counter(stage which, std::uint64_t tiles) : which_(which), tiles_(tiles) {}
    void take(const dispatch& d) {
        if (d.which != which_) return;
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], done_);
        done_ += d.parameters[UPSWEEP_P_GROUPS];
        EXPECT_LE(done_, tiles_);
        if (done_ != tiles_) return;
        done_ = 0;
        ++passes_;
    }
    [[nodiscard]] std::uint64_t passes() const {
        EXPECT_EQ(done_, 0u) << "an incomplete pass";
        return passes_;
    }

  private:
    stage which_;
    std::uint64_t tiles_, done_ = 0, passes_ = 0;
};

void check_plan(const shader::bins_request& request, const shader::limits& device) {
    const std::uint32_t table_words = request.user_bins                                      ? 0
                                      : request.bounds.type == shader::element_type::float32 ? 1
                                                                                             : 2;
    const std::uint64_t needed =
        shader::bins_workspace_bytes(table_words, request.bins, request.items, device);
    const shader::bin_plan plan = shader::plan_bins(request, device);
    EXPECT_EQ(plan.table.size(), request.items == 0 ? 0 : table_words * request.bins);
    const std::uint64_t tiles = (request.items + 4095) / 4096;
    const std::uint64_t kept = std::min(request.items, request.room);
    const std::uint64_t gathered = (kept * std::max(1u, request.record_words) + 4095) / 4096;
    tile_counter count(stage::bins_count, tiles), move(stage::bins_move, tiles),
        number(stage::bins_number, tiles), sort_count(stage::sort_count, tiles),
        sort_move(stage::sort_move, tiles), gather(stage::sort_gather, gathered);
    std::uint32_t shift = 0;
    for (std::size_t i = 0; i < plan.dispatches.size(); ++i) {
        SCOPED_TRACE(i);
        const dispatch& d = plan.dispatches[i];
        EXPECT_EQ(d.waits, i != 0);
        EXPECT_LE(d.groups_x, device.groups_x);
        EXPECT_LE(d.groups_y, device.groups_y);
        EXPECT_GE(std::uint64_t{d.groups_x} * d.groups_y, d.parameters[UPSWEEP_P_GROUPS]);
        for (const shader::binding& bound : d.bindings) {
            if (bound.from == resource::none) continue;
            EXPECT_EQ(bound.offset % device.binding_alignment, 0u);
            EXPECT_LE(bound.bytes, device.binding_bytes);
            EXPECT_GT(bound.bytes, 0u);
            if (bound.from == resource::workspace) {
                EXPECT_LE(bound.offset + bound.bytes, needed);
            }
            if (bound.from == resource::input) {
                EXPECT_LE(bound.offset + bound.bytes,
                          24 + request.items * std::max(1u, request.record_words) * 8);
            }
            if (bound.from == resource::total) {
                EXPECT_LE(bound.offset + bound.bytes, 12 + 4 * (request.bins + 1));
            }
        }
        for (tile_counter* each : {&count, &move, &number, &sort_count, &sort_move, &gather}) each->take(d);
        if (d.which == stage::bins_move || d.which == stage::sort_move || d.which == stage::sort_gather) {
            EXPECT_FALSE(overlap(d.bindings[UPSWEEP_OUTPUT], d.bindings[UPSWEEP_INPUT]));
            EXPECT_FALSE(overlap(d.bindings[UPSWEEP_OUTPUT], d.bindings[UPSWEEP_WORKSPACE]));
        }
        if (d.which == stage::sort_move) {
            shift = std::max(shift, d.parameters[UPSWEEP_P_SHIFT]);
            EXPECT_FALSE(overlap(d.bindings[UPSWEEP_MOVED_VALUES], d.bindings[UPSWEEP_INPUT]));
            EXPECT_FALSE(overlap(d.bindings[UPSWEEP_MOVED_VALUES], d.bindings[UPSWEEP_VALUES]) &&
                         (d.parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_INDICES) == 0);
            // Numbers of bins have no digit that is left out.
            EXPECT_GE(d.parameters[UPSWEEP_P_BINS],
                      std::min<std::uint64_t>(256, (request.bins >> d.parameters[UPSWEEP_P_SHIFT]) + 1));
        }
    }
    const bool one_split = request.items != 0 && request.bins <= 256,
               sorts = request.items != 0 && request.bins > 256;
    const std::uint64_t digits = request.bins < 65536 ? 2 : request.bins < 16'777'216 ? 3 : 4;
    EXPECT_EQ(count.passes(), one_split ? 1u : 0u);
    EXPECT_EQ(move.passes(), one_split && kept != 0 ? 1u : 0u);
    EXPECT_EQ(number.passes(), sorts && kept != 0 ? 1u : 0u);
    EXPECT_EQ(sort_count.passes(), sorts && kept != 0 ? digits : 0);
    EXPECT_EQ(sort_move.passes(), sorts && kept != 0 ? digits : 0);
    EXPECT_EQ(gather.passes(), sorts && kept != 0 ? 1u : 0u);
    if (sorts && kept != 0) {
        EXPECT_EQ(shift, 8 * (digits - 1));
    }
    EXPECT_EQ(plan.dispatches.front().which, one_split ? stage::bins_count : stage::clear_counts);
    if (one_split) {
        EXPECT_EQ(plan.dispatches.back().which, stage::bins_offsets);
    }
}

TEST(shader_bins_plan, of_any_length_and_number_of_bins) {
    for (const shader::limits& device : {large, least, small}) {
        for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097},
                                      std::uint64_t{1'000'000}, std::uint64_t{0xffffffff}}) {
            // What is moved is bound at once, and places in it are counted in words of 32 bits.
            if (n > 1'000'000 && device.binding_bytes != large.binding_bytes) continue;
            for (const std::uint32_t bins : {1u, 255u, 256u, 257u, 5000u, 65535u, 65536u}) {
                SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(bins) + " bins");
                shader::bins_request request = request_of<float>(n > 1'000'000 ? n / 3 : n, bins);
                check_plan(request, device);
                request.record_words = 0;
                request.length_in_buffer = true;
                check_plan(request, device);
                request.room /= 3;
                check_plan(request, device);
                request = request_of<double>(n > 1'000'000 ? n / 5 : n, bins);
                request.room = 0;
                check_plan(request, device);
                request.room = 7;
                request.items = std::min<std::uint64_t>(n, 500'000'000);
                request.user_bins = true;
                request.record_words = 3;
                check_plan(request, device);
            }
        }
    }
    shader::bins_request most = request_of<std::uint64_t>(5000, 20'000'000);
    most.user_bins = true;
    check_plan(most, large);
}

TEST(shader_bins_plan, workspaces_never_shrink) {
    for (const std::uint32_t bins : {1u, 256u, 257u, 70'000u}) {
        std::uint64_t last = 0;
        for (std::uint64_t n = 0; n < 40'000'000; n = n * 5 / 4 + 1) {
            const std::uint64_t bytes = shader::bins_workspace_bytes(1, bins, n, least);
            EXPECT_GE(bytes, last) << n;
            last = bytes;
        }
    }
}

TEST(shader_bins_plan, refuses) {
    const auto plan = [](const shader::bins_request& request, const shader::limits& device) {
        return [&] { (void)shader::plan_bins(request, device); };
    };
    expect_refused("in: expected fewer than 4294967296 elements, because their places are 32-bit words",
                   plan(request_of<float>(std::uint64_t{1} << 32, 5), large), errc::unsupported);
    expect_refused("in: expected at most", plan(request_of<double>(1 << 22, 5), small), errc::unsupported);
    expect_refused("offsets: expected at most", plan(request_of<float>(5, 5'000'000), small),
                   errc::unsupported);
    expect_refused("workspace: expected at most", plan(request_of<double>(5, 3'000'000), small),
                   errc::unsupported);
    shader::bins_request request = request_of<float>(5, 10);
    request.output_offset = 2;
    expect_refused("out: expected an offset that is a multiple of 4 bytes", plan(request, large));
    request = request_of<double>(5, 10);
    request.output_offset = 4;
    expect_refused("out: expected an offset that is a multiple of 8 bytes", plan(request, large));
    request.record_words = 0;
    EXPECT_NO_THROW((void)shader::plan_bins(request, large));  // indices are words
    request = request_of<float>(5, 10);
    request.offsets_offset = 2;
    expect_refused("offsets: expected an offset that is a multiple of 4 bytes", plan(request, large));
}

}  // namespace
}  // namespace upsweep::test
