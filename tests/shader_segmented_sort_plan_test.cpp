// Plans of sorts of segments, for devices and lengths that no test machine has: every dispatch within the
// limits, every tile in each stage once, open records and the ends of stretches read where the stage before
// left them, results where they are wanted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shader/plan.hpp"
#include "support/plan_limits.hpp"
#include "support/refused.hpp"
#include "support/sort_plans.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using shader::binding;
using shader::dispatch;
using shader::resource;
using shader::segments_by;
using shader::sort_output;
using shader::sort_shape;
using shader::stage;

shader::segmented_sort_request request_of(const sort_shape& shape, std::uint64_t n, segments_by kind) {
    shader::segmented_sort_request request;
    request.sort = sort_request_of<shader::sort_request>(shape, n);
    request.segments = {kind, 1, false, kind == segments_by::offsets ? n / 3 + 1 : n, 40};
    request.sort.keys_in_place = shape.values_in_place;
    return request;
}

// Follows records from stage to stage.
class follower {
  public:
    explicit follower(const shader::segmented_sort_request& request)
        : shape_(request.sort.shape),
          n_(request.sort.items),
          tile_(2048 / shape_.key_words),
          tiles_((n_ + tile_ - 1) / tile_),
          workspace_at_(request.sort.workspace_offset),
          read_{resource::input, request.sort.input_offset} {
        while (std::uint64_t{1} << levels_ < tiles_) ++levels_;
    }

    void take(const dispatch& d) {
        if (d.which == stage::mark_heads) {
            marked_ += d.parameters[UPSWEEP_P_LENGTH];
            EXPECT_EQ(d.bindings[UPSWEEP_OUTPUT].from, resource::workspace);
        } else if (d.which == stage::segment_sort || d.which == stage::segment_merge) {
            EXPECT_EQ(marked_, n_);
            EXPECT_EQ(d.which == stage::segment_sort, stages_ == 0);
            take_stage(d);
        } else if (d.which == stage::sort_gather) {
            EXPECT_EQ(stages_, levels_ + 1);
            EXPECT_FALSE(overlap(d.bindings[UPSWEEP_INPUT], d.bindings[UPSWEEP_OUTPUT]));
            if (has(d, UPSWEEP_F_INDICES)) {
                EXPECT_EQ(site_of(d, UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, 4), done_);
            } else {
                EXPECT_EQ(d.bindings[UPSWEEP_OUTPUT].from, resource::workspace);
            }
            gathered_ += d.parameters[UPSWEEP_P_GROUPS];
        }
    }
    void expect_finished(const shader::segmented_sort_request& request) const {
        EXPECT_EQ(stages_, levels_ + 1);
        const std::uint64_t times = shape_.values_in_place ? 2 : 1;
        const auto groups = [&](std::uint64_t words) { return (n_ * words + 4095) / 4096; };
        const bool has_values = shape_.output == sort_output::keys_with_values;
        EXPECT_EQ(gathered_,
                  has_values ? times * (groups(shape_.key_words) + groups(shape_.value_words)) : 0);
        if (!has_values) {
            EXPECT_EQ(done_, (site{resource::output, request.sort.output_offset}));
        }
    }

  private:
    void take_stage(const dispatch& d) {
        const bool merges = d.which == stage::segment_merge, is_last = stages_ == levels_;
        const bool has_indices = shape_.output != sort_output::keys;
        const std::uint64_t group_tiles = merges ? d.parameters[UPSWEEP_P_GROUP_TILES] : 1;
        EXPECT_GE(group_tiles, 1u);
        EXPECT_LE(group_tiles, 32u);
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP] * group_tiles, taken_);
        EXPECT_EQ(d.parameters[UPSWEEP_P_LENGTH], n_);
        EXPECT_EQ(has(d, UPSWEEP_F_INDICES), has_indices);
        if (merges) {
            EXPECT_EQ(d.parameters[UPSWEEP_P_LEVEL], stages_ - 1);
            EXPECT_EQ(d.parameters[UPSWEEP_P_ENDS], ends_);
        }
        EXPECT_EQ(site_of(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, merges ? 4 : 4 * shape_.key_words), read_);
        const site done = site_of(d, UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, 4);
        if (stages_ != 0) {
            EXPECT_EQ(done, done_);
        }
        // Ends of stretches, of one stage or the next, behind the heads, and all within what is bound.
        const std::uint64_t next = d.parameters[merges ? UPSWEEP_P_NEXT_ENDS : UPSWEEP_P_ENDS];
        const std::uint64_t stretches = (tiles_ + (std::uint64_t{1} << stages_) - 1) >> stages_;
        EXPECT_EQ(d.bindings[UPSWEEP_WORKSPACE].offset, workspace_at_);
        EXPECT_GE(next, (n_ + 31) / 32);
        EXPECT_LE(4 * (next + 2 * stretches), d.bindings[UPSWEEP_WORKSPACE].bytes);
        if (merges) {
            EXPECT_GE(std::max(next, ends_) - std::min(next, ends_),
                      2 * (next < ends_ ? stretches : 2 * stretches - 1));
        }
        const binding &in = d.bindings[UPSWEEP_INPUT], &open = d.bindings[UPSWEEP_OUTPUT];
        if (!is_last) {
            EXPECT_FALSE(overlap(open, in));
            EXPECT_FALSE(overlap(open, d.bindings[UPSWEEP_MOVED_VALUES]));
            EXPECT_FALSE(overlap(open, d.bindings[UPSWEEP_WORKSPACE]));
            EXPECT_GE(open.bytes, 4 * n_ * (shape_.key_words + (has_indices ? 1 : 0)));
        }
        if (merges) {
            EXPECT_FALSE(overlap(in, d.bindings[UPSWEEP_MOVED_VALUES]));
        }
        taken_ += d.parameters[UPSWEEP_P_GROUPS] * group_tiles;
        if (taken_ < tiles_) return;
        EXPECT_LT(taken_ - tiles_, group_tiles);
        read_ = site_of(d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, 4);
        done_ = done;
        ends_ = next;
        taken_ = 0;
        ++stages_;
    }

    const sort_shape& shape_;
    std::uint64_t n_, tile_, tiles_, workspace_at_;
    std::uint64_t marked_ = 0, taken_ = 0, stages_ = 0, levels_ = 0, ends_ = 0, gathered_ = 0;
    site read_, done_;
};

TEST(shader_segmented_sort_plan, of_any_length) {
    std::size_t turn = 0;
    for (const shader::limits& device : sort_devices()) {
        for (const sort_shape& shape : sort_shapes) {
            for (const std::uint64_t n :
                 {std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{2049}, std::uint64_t{4097},
                  std::uint64_t{50'000}, std::uint64_t{1} << 22, (std::uint64_t{1} << 28) + 5}) {
                const std::uint64_t widest = std::max(shape.key_words + 1, shape.value_words);
                if (4 * widest * n + 256 > device.binding_bytes) continue;
                SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(shape.key_words) +
                             " words, values of " + std::to_string(shape.value_words));
                const auto kind = turn++ % 2 == 0 ? segments_by::offsets : segments_by::keys;
                const auto request = request_of(shape, n, kind);
                const std::vector<dispatch> plan = shader::plan_segmented_sort(request, device);
                const std::uint64_t begin = request.sort.workspace_offset;
                check_limits(plan, device);
                check_workspace(plan, begin,
                                begin + shader::segmented_sort_workspace_bytes(shape, n, device));
                follower follow(request);
                for (const dispatch& d : plan) follow.take(d);
                follow.expect_finished(request);
                if (::testing::Test::HasFailure()) return;
            }
            EXPECT_TRUE(shader::plan_segmented_sort(request_of(shape, 0, segments_by::keys), device).empty());
        }
    }
}

TEST(shader_segmented_sort_plan, a_workspace_for_many_keys_serves_fewer) {
    for (const shader::limits& device : sort_devices()) {
        for (const sort_shape& shape : sort_shapes) {
            std::uint64_t before = 4;
            for (std::uint64_t n = 0; n < 2'000'000; n += 1 + n / 7) {
                const std::uint64_t bytes = shader::segmented_sort_workspace_bytes(shape, n, device);
                EXPECT_GE(bytes, before);
                before = bytes;
            }
        }
    }
}

TEST(shader_segmented_sort_plan, errors) {
    const auto refused = [](const char* beginning, errc code, const sort_shape& shape, std::uint64_t n,
                            auto change, const shader::limits& device = {}) {
        auto request = request_of(shape, n, segments_by::keys);
        change(request);
        expect_refused(
            beginning, [&] { (void)shader::plan_segmented_sort(request, device); }, code);
    };
    const auto as_it_is = [](auto&) {};
    const sort_shape keys{sort_output::keys, 1}, indices{sort_output::indices, 1},
        pairs{sort_output::keys_with_values, 2, 3};
    const std::uint64_t many = (std::uint64_t{1} << 25) - 64;  // with 128 MiB a binding
    refused("in: expected fewer than 4294967296 elements", errc::unsupported, keys, std::uint64_t{1} << 32,
            as_it_is);
    refused("in: expected at most", errc::unsupported, keys, many + 64, as_it_is);
    refused("workspace: expected at most", errc::unsupported, indices, many, as_it_is);
    EXPECT_NO_THROW((void)shader::plan_segmented_sort(request_of(keys, many, segments_by::keys), {}));
    const auto invalid = errc::invalid_argument;
    refused("segments: expected 100 keys", invalid, keys, 100, [](auto& r) { r.segments.count = 99; });
    refused("segments: expected at least one offset", invalid, keys, 100, [](auto& r) {
        r.segments = {segments_by::offsets, 1, false, 0, 0};
    });
    refused("segments: expected an offset", invalid, keys, 100, [](auto& r) { r.segments.offset = 2; });
    refused("options.length: expected none with offsets", invalid, keys, 100, [](auto& r) {
        r.segments = {segments_by::offsets, 1, false, 2, 0};
        r.sort.length_in_buffer = true;
    });
    refused("keys: expected an offset", invalid, pairs, 100, [](auto& r) { r.sort.input_offset = 4; });
    refused("values_out: expected an offset", invalid, pairs, 100,
            [](auto& r) { r.sort.moved_values_offset = 5; });
    refused("workspace: expected an offset", invalid, keys, 100,
            [](auto& r) { r.sort.workspace_offset = 16; });
}

}  // namespace
}  // namespace upsweep::test
