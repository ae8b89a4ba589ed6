// Plans of the first k of an order, for devices and lengths that no test machine has: every dispatch within
// the limits and the workspace, every tile in each pass once, digits from the highest on, room for what one
// digit of an index cannot tell apart, every row once a round.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shader/top_k_plan.hpp"
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

shader::top_k_request request_of(const sort_shape& shape, std::uint64_t n, std::uint64_t k) {
    auto request = sort_request_of<shader::top_k_request>(shape, n);
    request.wanted = k;
    return request;
}

// Passes and votes: every tile once each, and the digits in order.
class follower {
  public:
    explicit follower(const shader::top_k_request& request)
        : request_(request), tiles_((request.items + 4095) / 4096) {}

    void take(const dispatch& d) {
        if (d.which != stage::select_count && d.which != stage::select_vote) return;
        const std::uint32_t pass = d.parameters[UPSWEEP_P_PASS];
        const std::uint32_t digits = 4 * request_.shape.key_words;
        if (d.which == stage::select_count) {
            if (pass < digits)
                EXPECT_EQ(d.parameters[UPSWEEP_P_SHIFT], 32 + 8 * (digits - 1 - pass));
            else
                index_shift_ = d.parameters[UPSWEEP_P_SHIFT];
            if (pass == digits) {
                EXPECT_EQ(d.parameters[UPSWEEP_P_INDEX_SHIFT], index_shift_);
            }
        } else {
            EXPECT_EQ(pass, digits + 1);
        }
        if (pass != 0) {
            EXPECT_EQ(d.parameters[UPSWEEP_P_COUNTED_SHIFT],
                      pass > digits ? index_shift_ : 32 + 8 * (digits - pass));
        }
        EXPECT_EQ(d.parameters[UPSWEEP_P_WANTED], request_.wanted);
        capacity_ = d.parameters[UPSWEEP_P_CAPACITY];
        std::uint64_t& done = taken_[pass];
        EXPECT_EQ(d.parameters[UPSWEEP_P_FIRST_GROUP], done);
        done += std::min<std::uint64_t>(
            std::uint64_t{d.parameters[UPSWEEP_P_GROUPS]} * d.parameters[UPSWEEP_P_GROUP_TILES],
            tiles_ - done);
        EXPECT_FALSE(overlap(d.bindings[UPSWEEP_OUTPUT], d.bindings[UPSWEEP_WORKSPACE]));
    }
    void expect_complete() const {
        EXPECT_EQ(taken_.size(), 4 * request_.shape.key_words + 2);
        for (const auto& [pass, tiles] : taken_) EXPECT_EQ(tiles, tiles_) << pass;
        // All indices have the digit, and of those with one there are not more than there is room for.
        EXPECT_EQ((request_.items - 1) >> index_shift_ >> 8, 0u);
        EXPECT_LE(request_.wanted + (std::uint64_t{1} << index_shift_), capacity_ + 1);
        EXPECT_LE(capacity_, request_.items);
    }

  private:
    const shader::top_k_request& request_;
    std::uint64_t tiles_, capacity_ = 0;
    std::uint32_t index_shift_ = 0;
    std::map<std::uint32_t, std::uint64_t> taken_;  // tiles by pass
};

// Rows by work groups: each once a round, and rounds until all that are wanted have come, half of what there
// is room for at least each time.
void check_rows(const std::vector<dispatch>& plan, const shader::top_k_request& request) {
    std::map<std::uint64_t, std::uint64_t> rounds;  // by the first row
    std::uint64_t begin = 0, rows = 0;
    for (const dispatch& d : plan) {
        if (d.which != stage::select_rows) continue;
        if (!has(d, UPSWEEP_F_CONTINUED)) {
            begin += rows;
            rows = d.parameters[UPSWEEP_P_ROWS];
        }
        EXPECT_EQ(d.parameters[UPSWEEP_P_ROWS], rows);
        EXPECT_EQ(d.parameters[UPSWEEP_P_LENGTH], request.items);
        const std::uint64_t together = d.parameters[UPSWEEP_P_GROUP_ROWS];
        EXPECT_EQ(d.parameters[UPSWEEP_P_GROUPS], (rows + together - 1) / together);
        EXPECT_LE(together * std::bit_ceil(request.items),
                  std::max<std::uint64_t>(1024, std::bit_ceil(request.items)));
        if (request.items > 1024) {
            EXPECT_EQ(together, 1u);
        }
        EXPECT_EQ(std::uint64_t{request.items - 1} >> d.parameters[UPSWEEP_P_INDEX_SHIFT] >> 8, 0u);
        ++rounds[begin];
    }
    EXPECT_EQ(begin + rows, request.rows);
    for (const auto& [first, count] : rounds) {
        EXPECT_GE(1024 + 512 * (count - 1), request.wanted) << first;
    }
    EXPECT_LE(request.items, std::uint64_t{1} << 18) << "a loop that drivers may stop";
}

void check_plan(const shader::top_k_request& request, const shader::limits& device) {
    const std::vector<dispatch> plan = shader::plan_top_k(request, device);
    if (request.wanted == 0) {
        EXPECT_TRUE(plan.empty());
        return;
    }
    check_limits(plan, device);
    check_workspace(plan, request.workspace_offset,
                    request.workspace_offset + shader::top_k_workspace_bytes(request, device));
    follower follow(request);
    std::map<stage, int> stages;
    std::map<resource, int> written;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        SCOPED_TRACE(i);
        if (request.rows == 1) follow.take(plan[i]);
        if (plan[i].which == stage::select_rows) {
            for (const binding& bound : plan[i].bindings) EXPECT_NE(bound.from, resource::none);
        }
        ++stages[plan[i].which];
        for (const int at : {UPSWEEP_OUTPUT, UPSWEEP_TOTAL}) {
            const binding& out = plan[i].bindings[static_cast<std::size_t>(at)];
            if (out.from == resource::none || out.from == resource::workspace) continue;
            EXPECT_TRUE(plan[i].which == stage::sort_gather || plan[i].which == stage::select_rows);
            EXPECT_FALSE(overlap(out, plan[i].bindings[UPSWEEP_INPUT]));
            ++written[out.from];
        }
    }
    const bool selects = stages.contains(stage::select_count);
    if (selects) {
        EXPECT_GT(request.items, 65536u);
        EXPECT_LE(request.wanted, request.items / 6);
        if (request.rows == 1) follow.expect_complete();
    } else if (stages.contains(stage::select_rows)) {
        check_rows(plan, request);
    } else {
        EXPECT_TRUE(request.items <= 65536 || request.wanted > request.items / 6);
    }
    EXPECT_NE(written[resource::output], 0);
    const bool pairs = request.shape.output == sort_output::keys_with_values;
    EXPECT_EQ(written[resource::moved_values] != 0, pairs);
    EXPECT_EQ(written.size(), 2u) << "writes to something else";
}

TEST(shader_top_k_plan, any_length) {
    for (const shader::limits& device : sort_devices()) {
        for (const sort_shape& shape : sort_shapes) {
            if (shape.values_in_place) continue;  // which is for sorts
            for (const std::uint64_t n :
                 {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{1025},
                  std::uint64_t{4097}, std::uint64_t{32768}, std::uint64_t{65536}, std::uint64_t{65537},
                  std::uint64_t{131072}, std::uint64_t{131073}, (std::uint64_t{1} << 19) + 1,
                  std::uint64_t{1} << 24, (std::uint64_t{1} << 28) + 5}) {
                const std::uint64_t widest = std::max(shape.key_words, shape.value_words);
                if (4 * widest * n + 256 > device.binding_bytes) continue;
                for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1024},
                                              std::uint64_t{1500}, n / 100, n / 6, n / 6 + 1, n}) {
                    if (k > n) continue;
                    SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n) + " keys of " +
                                 std::to_string(shape.key_words) + " words, values of " +
                                 std::to_string(shape.value_words));
                    check_plan(request_of(shape, n, k), device);
                    if (::testing::Test::HasFailure()) return;
                }
            }
        }
    }
}

TEST(shader_top_k_plan, any_rows) {
    struct rows {
        std::uint64_t rows, n, k;
    };
    for (const shader::limits& device : sort_devices()) {
        for (const sort_output output : {sort_output::keys, sort_output::indices}) {
            for (const auto& [count, n, k] :
                 {rows{1, 3, 3}, rows{1'000'000, 64, 8}, rows{70'000, 1024, 1}, rows{70'001, 1025, 1024},
                  rows{9'000, 4'000, 4'000}, rows{300, 1 << 18, 2'000}, rows{3, (1 << 18) + 1, 7},
                  rows{4, 40'000, 39'000}, rows{5, 1'000, 0}}) {
                for (const std::uint32_t words : {1u, 2u}) {
                    shader::top_k_request request = request_of({output, words}, n, k);
                    request.rows = count;
                    if (4 * words * n + 256 > device.binding_bytes ||
                        count * k * 4 > device.binding_bytes * 64)
                        continue;
                    SCOPED_TRACE(std::to_string(k) + " of each of " + std::to_string(count) + " rows of " +
                                 std::to_string(n) + " keys of " + std::to_string(words) + " words");
                    check_plan(request, device);
                    if (::testing::Test::HasFailure()) return;
                }
            }
        }
    }
}

TEST(shader_top_k_plan, flags_are_the_order) {
    shader::top_k_request request = request_of({sort_output::keys, 2}, 80'000, 5'000);
    const auto flags = [&](const core::key_order& order) {
        request.order = order;
        const std::vector<dispatch> plan = shader::plan_top_k(request, {});
        const auto first = std::ranges::find(plan, stage::select_count, &dispatch::which);
        return first->parameters[UPSWEEP_P_FLAGS];
    };
    EXPECT_EQ(flags(core::order_of<std::uint64_t>(false)), 0u);
    EXPECT_EQ(flags(core::order_of<std::int64_t>(true)), UPSWEEP_F_SIGNED | UPSWEEP_F_DESCENDING);
    request.length_in_buffer = true;
    EXPECT_EQ(flags(core::order_of<double>(false)), UPSWEEP_F_FLOATING | UPSWEEP_F_LENGTH);
    request.items = 5'000;
    request.wanted = 10;
    request.order = core::order_of<float>(true);
    EXPECT_EQ(
        shader::plan_top_k(request, {}).front().parameters[UPSWEEP_P_FLAGS],
        UPSWEEP_F_FLOATING | UPSWEEP_F_DESCENDING | UPSWEEP_F_LENGTH | UPSWEEP_F_KEYS | UPSWEEP_F_INDICES);
}

TEST(shader_top_k_plan, what_no_device_can_do_is_an_error) {
    const auto refused = [](const sort_shape& shape, std::uint64_t n, std::uint64_t k, const char* beginning,
                            const shader::limits& device) {
        expect_refused(
            beginning, [&] { (void)shader::plan_top_k(request_of(shape, n, k), device); }, errc::unsupported);
    };
    const std::uint64_t too_many = std::uint64_t{1} << 32;
    refused({sort_output::keys, 1}, too_many, 1, "in: expected fewer than 4294967296 elements", {});
    refused({sort_output::keys_with_values, 1, 1}, too_many, 1, "keys: expected fewer than", {});
    const std::uint64_t many = std::uint64_t{1} << 25;  // with 128 MiB a binding
    for (const std::uint64_t k : {std::uint64_t{1}, many / 2}) {
        refused({sort_output::keys, 1}, many, k, "in: expected at most", {});
        refused({sort_output::indices, 1}, many, k, "in: expected at most", {});
        refused({sort_output::keys_with_values, 1, 2}, many / 2, k / 2 + 1, "values: expected at most", {});
        refused({sort_output::keys_with_values, 2, 1}, many, k, "keys: expected at most", {});
    }
    EXPECT_NO_THROW((void)shader::plan_top_k(request_of({sort_output::keys, 1}, many - 64, 9), {}));

    shader::top_k_request many_rows = request_of({sort_output::keys, 1}, 1 << 20, 1);
    many_rows.rows = 1 << 12;
    expect_refused(
        "in: expected fewer than 4294967296 elements", [&] { (void)shader::plan_top_k(many_rows, {}); },
        errc::unsupported);

    for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{500'000}}) {
        expect_offsets_checked(request_of({sort_output::keys_with_values, 2, 3}, n, 10),
                               [](const auto& request) { (void)shader::plan_top_k(request, {}); });
    }
}

}  // namespace
}  // namespace upsweep::test
