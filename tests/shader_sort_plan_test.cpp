// Plans of sorts, for devices and lengths that no test machine has: every dispatch within the limits, every
// tile in each pass once, keys and what goes along with them read where the pass before left them.
#include <gtest/gtest.h>

#include <array>
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
using shader::sort_output;
using shader::sort_shape;
using shader::stage;

shader::sort_request request_of(const sort_shape& shape, std::uint64_t n) {
    return sort_request_of<shader::sort_request>(shape, n);
}

// Follows keys and words from pass to pass.
class follower {
  public:
    follower(const shader::sort_request& request, std::uint64_t tiles)
        : request_(request),
          key_bytes_(std::uint64_t{4} * request.shape.key_words),
          tiles_(tiles),
          keys_{resource::input, request.input_offset},
          words_{resource::values, request.values_offset} {}

    void take(const dispatch& d) {
        if (d.which == stage::sort_count) {
            EXPECT_EQ(moved_, 0u) << "counted within a move";
            expect_pass(d, counted_);
            counted_ += d.parameters[UPSWEEP_P_GROUPS];
        } else if (d.which == stage::sort_move) {
            EXPECT_EQ(counted_, tiles_) << "moved what was not counted";
            EXPECT_TRUE(scanned_) << "moved before the counts were scanned";
            expect_pass(d, moved_);
            expect_apart(d);
            moved_ += d.parameters[UPSWEEP_P_GROUPS];
            if (moved_ == tiles_) end_pass(d);
        } else if (d.which == stage::sort_gather) {
            gathered_ += d.parameters[UPSWEEP_P_GROUPS];
        } else {
            EXPECT_TRUE(d.counts);
            EXPECT_EQ(counted_, tiles_);
            scanned_ = true;
        }
    }
    [[nodiscard]] std::uint32_t passes() const { return passes_; }
    [[nodiscard]] std::uint64_t gathered() const { return gathered_; }
    [[nodiscard]] const site& keys() const { return keys_; }
    [[nodiscard]] const site& words() const { return words_; }

  private:
    void expect_pass(const dispatch& d, std::uint64_t done) const {
        EXPECT_EQ(d.parameters[UPSWEEP_P_SHIFT], 8 * passes_);
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], done);
        EXPECT_EQ(d.parameters[UPSWEEP_P_TILES], tiles_);
        EXPECT_EQ(d.parameters[UPSWEEP_P_BINS], 256u);
        EXPECT_EQ(d.parameters[UPSWEEP_P_LENGTH], request_.items);
        EXPECT_EQ(site_of(d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST, key_bytes_), keys_);
        // Indices come from nowhere in the first pass.
        if (d.which == stage::sort_move && has(d, UPSWEEP_F_VALUES) && !has(d, UPSWEEP_F_INDICES)) {
            EXPECT_EQ(site_of(d, UPSWEEP_VALUES, UPSWEEP_P_VALUES_FIRST, 4), words_);
        }
        if (d.which == stage::sort_move) {
            EXPECT_EQ(has(d, UPSWEEP_F_VALUES), request_.shape.output != sort_output::keys);
            EXPECT_EQ(has(d, UPSWEEP_F_INDICES), passes_ == 0 && request_.shape.output != sort_output::keys &&
                                                     request_.shape.value_words != 1);
        }
    }
    static void expect_apart(const dispatch& d) {
        const binding &keys = d.bindings[UPSWEEP_INPUT], &values = d.bindings[UPSWEEP_VALUES];
        const binding &out = d.bindings[UPSWEEP_OUTPUT], &moved = d.bindings[UPSWEEP_MOVED_VALUES];
        for (const binding* written : {&out, &moved}) {
            for (const binding* read : {&keys, &values, &d.bindings[UPSWEEP_WORKSPACE]})
                EXPECT_FALSE(overlap(*written, *read));
        }
        if (has(d, UPSWEEP_F_KEYS) && has(d, UPSWEEP_F_VALUES)) {
            EXPECT_FALSE(overlap(out, moved));
        }
    }
    void end_pass(const dispatch& d) {
        keys_ = {};
        if (has(d, UPSWEEP_F_KEYS)) keys_ = site_of(d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, key_bytes_);
        if (has(d, UPSWEEP_F_VALUES)) words_ = site_of(d, UPSWEEP_MOVED_VALUES, UPSWEEP_P_MOVED_FIRST, 4);
        ++passes_;
        counted_ = moved_ = 0;
        scanned_ = false;
    }

    const shader::sort_request& request_;
    std::uint64_t key_bytes_, tiles_, counted_ = 0, moved_ = 0, gathered_ = 0;
    std::uint32_t passes_ = 0;
    bool scanned_ = false;
    site keys_, words_;
};

void check_sort(const shader::sort_request& request, const shader::limits& device) {
    const std::vector<dispatch> plan = shader::plan_sort(request, device);
    const sort_shape& shape = request.shape;
    check_limits(plan, device);
    check_workspace(plan, request.workspace_offset,
                    request.workspace_offset + shader::sort_workspace_bytes(shape, request.items, device));
    follower follow(request, (request.items + 4095) / 4096);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        SCOPED_TRACE(i);
        follow.take(plan[i]);
    }
    if (request.items == 0) {
        EXPECT_TRUE(plan.empty());
        return;
    }
    EXPECT_EQ(follow.passes(), 4 * shape.key_words);
    const bool wide = shape.value_words > 1;
    const std::uint64_t groups = (request.items * shape.value_words + 4095) / 4096;
    EXPECT_EQ(follow.gathered(), wide ? groups * (shape.values_in_place ? 2 : 1) : 0);
    const site output{resource::output, request.output_offset};
    if (shape.output == sort_output::indices) {
        EXPECT_EQ(follow.words(), output);
        EXPECT_EQ(follow.keys(), site{}) << "the last pass moves keys that nobody asked for";
        return;
    }
    EXPECT_EQ(follow.keys(), output);
    const site moved{resource::moved_values, request.moved_values_offset};
    if (shape.value_words == 1) {
        EXPECT_EQ(follow.words(), moved);
    }
    if (!wide) return;
    const dispatch& last = plan.back();
    EXPECT_EQ(site_of(last, UPSWEEP_WORKSPACE, UPSWEEP_P_VALUES_FIRST, 4), follow.words());
    EXPECT_EQ(site_of(last, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST, 4), moved);
    EXPECT_EQ(last.bindings[UPSWEEP_INPUT].from,
              shape.values_in_place ? resource::workspace : resource::values);
    EXPECT_FALSE(overlap(last.bindings[UPSWEEP_INPUT], last.bindings[UPSWEEP_OUTPUT]));
    EXPECT_TRUE(has(last, UPSWEEP_F_INDICES));
}

TEST(shader_sort_plan, sorts_of_any_length) {
    for (const shader::limits& device : sort_devices(0)) {  // where all sorts split
        for (const sort_shape& shape : sort_shapes) {
            for (const std::uint64_t n :
                 {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{4097},
                  std::uint64_t{50000}, std::uint64_t{1} << 24, (std::uint64_t{1} << 28) + 5}) {
                const std::uint64_t widest = std::max(shape.key_words, shape.value_words);
                if (4 * widest * n + 256 > device.binding_bytes) continue;
                SCOPED_TRACE(std::to_string(n) + " keys of " + std::to_string(shape.key_words) +
                             " words, values of " + std::to_string(shape.value_words));
                check_sort(request_of(shape, n), device);
                if (::testing::Test::HasFailure()) return;
            }
        }
    }
}

TEST(shader_sort_plan, flags_are_the_order) {
    shader::sort_request request = request_of({sort_output::keys, 2}, 5000);
    const auto flags = [&](const core::key_order& order) {
        request.order = order;
        const dispatch first = shader::plan_sort(request, {.merged_keys = 0}).front();
        return first.parameters[UPSWEEP_P_FLAGS];
    };
    EXPECT_EQ(flags(core::order_of<std::uint64_t>(false)), 0u);
    EXPECT_EQ(flags(core::order_of<std::uint64_t>(true)), UPSWEEP_F_DESCENDING);
    EXPECT_EQ(flags(core::order_of<std::int64_t>(false)), UPSWEEP_F_SIGNED);
    EXPECT_EQ(flags(core::order_of<double>(true)), UPSWEEP_F_FLOATING | UPSWEEP_F_DESCENDING);
    request.length_in_buffer = true;
    EXPECT_EQ(flags(core::order_of<double>(false)), UPSWEEP_F_FLOATING | UPSWEEP_F_LENGTH);
}

// What merges is the plan of one segment, but for its heads.
TEST(shader_sort_plan, few_keys_are_merged) {
    const shader::limits device{.groups_x = 5, .groups_y = 2, .merged_keys = 100000};
    for (const sort_shape& shape : sort_shapes) {
        for (const std::uint64_t n : {1u, 2048u, 2049u, 50000u, 100000u}) {
            shader::sort_request request = request_of(shape, n);
            request.keys_in_place = shape.values_in_place;
            request.length_in_buffer = true;
            std::vector<dispatch> expected = shader::plan_segmented_sort(
                {request, {.kind = shader::segments_by::head_flags, .count = n}}, device);
            std::erase_if(expected, [](const dispatch& d) { return d.which == stage::mark_heads; });
            const std::vector<dispatch> plan = shader::plan_sort(request, device);
            ASSERT_EQ(plan.size(), expected.size());
            check_limits(plan, device);
            check_workspace(plan, request.workspace_offset,
                            request.workspace_offset + shader::sort_workspace_bytes(shape, n, device));
            for (std::size_t i = 0; i < plan.size(); ++i) {
                SCOPED_TRACE(i);
                EXPECT_EQ(plan[i].which, expected[i].which);
                EXPECT_EQ((std::array{plan[i].groups_x, plan[i].groups_y}),
                          (std::array{expected[i].groups_x, expected[i].groups_y}));
                if (plan[i].which != stage::sort_gather)
                    expected[i].parameters[UPSWEEP_P_FLAGS] |= UPSWEEP_F_WHOLE;
                EXPECT_EQ(plan[i].parameters, expected[i].parameters);
            }
        }
        const std::uint64_t most = shape.key_words == 1 ? 100000 : 400000;
        EXPECT_EQ(shader::plan_sort(request_of(shape, most), device).front().which, stage::segment_sort);
        EXPECT_EQ(shader::plan_sort(request_of(shape, most + 1), device).front().which, stage::sort_count);
    }
    // Records of a key and an index that one binding does not hold are not merged.
    const shader::limits small{.binding_bytes = 40000};
    EXPECT_EQ(shader::plan_sort(request_of({sort_output::indices, 1}, 5000), small).front().which,
              stage::segment_sort);
    EXPECT_EQ(shader::plan_sort(request_of({sort_output::indices, 1}, 5001), small).front().which,
              stage::sort_count);
}

TEST(shader_sort_plan, a_workspace_for_many_keys_serves_fewer) {
    std::vector<shader::limits> all = sort_devices(0);
    all.push_back({});
    for (const shader::limits& device : all) {
        for (const sort_shape& shape : sort_shapes) {
            std::uint64_t before = 0;
            for (std::uint64_t n = 0; n < 2000000; n += 1 + n / 7) {
                const std::uint64_t bytes = shader::sort_workspace_bytes(shape, n, device);
                EXPECT_GE(bytes, before);
                before = bytes;
            }
        }
    }
}

TEST(shader_sort_plan, what_no_device_can_do_is_an_error) {
    const auto refused = [](const sort_shape& shape, std::uint64_t n, const char* beginning,
                            const shader::limits& device) {
        expect_refused(
            beginning, [&] { (void)shader::plan_sort(request_of(shape, n), device); }, errc::unsupported);
    };
    const std::uint64_t too_many = std::uint64_t{1} << 32;
    refused({sort_output::keys, 1}, too_many, "in: expected fewer than 4294967296 elements", {});
    refused({sort_output::keys_with_values, 1, 1}, too_many, "keys: expected fewer than", {});
    const std::uint64_t many = std::uint64_t{1} << 25;  // with 128 MiB a binding
    refused({sort_output::keys, 1}, many, "in: expected at most", {});
    refused({sort_output::keys_with_values, 1, 2}, many / 2, "values: expected at most", {});
    refused({sort_output::keys_with_values, 2, 1}, many, "keys: expected at most", {});
    // The counts of 256 digits in each of two tiles are more than this binds.
    refused({sort_output::keys, 1}, 4097, "workspace: expected at most",
            {std::uint64_t{2048}, 16, 65535, 65535, 16384});
    EXPECT_NO_THROW((void)shader::plan_sort(request_of({sort_output::keys, 1}, many - 64), {}));

    expect_offsets_checked(request_of({sort_output::keys_with_values, 2, 3}, 100),
                           [](const auto& request) { (void)shader::plan_sort(request, {}); });
}

}  // namespace
}  // namespace upsweep::test
