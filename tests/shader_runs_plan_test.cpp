// Plans of totals of segments and of runs, for devices and lengths that no test machine has: each dispatch
// stays within what is bound, every element is folded once beside a head that can be looked up, and each step
// has what the one before left in the workspace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
using shader::run_values;
using shader::segments_by;
using shader::stage;

constexpr std::uint64_t workspace_at = 8192;

shader::runs_request request_of(std::uint64_t n, segments_by kind, run_values values, std::uint64_t room) {
    shader::runs_request request;
    request.op = shader::operation_of<plus, float>();
    request.length = n;
    request.values = values;
    request.room = room;
    request.record_words = 3;
    request.segments = {kind, 1, false, kind == segments_by::offsets ? room + 1 : n, 40};
    if (kind == segments_by::keys) {
        request.segments.key_words = 2;
        request.has_keys = true;
        request.keys_room = room / 2;
    }
    request.input_offset = 24;
    request.output_offset = 4096 + 40;
    request.keys_offset = 1032;
    request.workspace_offset = workspace_at;
    request.arguments_offset = 20;
    return request;
}

// A word of the workspace's buffer that a parameter of a dispatch counts to.
std::uint64_t word_at(const dispatch& d, int binding, int parameter) {
    const shader::binding& bound = d.bindings.at(static_cast<std::size_t>(binding));
    EXPECT_EQ(bound.from, resource::workspace);
    return bound.offset / 4 + d.parameters.at(static_cast<std::size_t>(parameter));
}

class checked_plan {
  public:
    checked_plan(const shader::runs_request& request, const shader::limits& device)
        : request_(request), plan_(shader::plan_runs(request, device)) {
        check_limits(plan_, device);
        const std::uint64_t end = workspace_at + shader::runs_workspace_bytes(request, device);
        for (const dispatch& d : plan_) {
            for (const shader::binding& bound : d.bindings) {
                if (bound.from == resource::workspace) {
                    EXPECT_GE(bound.offset, workspace_at);
                    EXPECT_LE(bound.offset + bound.bytes, end);
                }
                if (bound.from == resource::flags) {
                    EXPECT_LE(bound.offset + bound.bytes, behind_segments());
                }
            }
        }
        if (request.segments.kind == segments_by::offsets)
            check_by_offsets();
        else
            check_packed();
    }

  private:
    [[nodiscard]] std::uint64_t behind_segments() const {
        const shader::segment_description& segments = request_.segments;
        return segments.offset + 4 * segments.key_words * segments.count;
    }
    [[nodiscard]] std::vector<const dispatch*> all(stage which) const {
        std::vector<const dispatch*> found;
        for (const dispatch& d : plan_)
            if (d.which == which) found.push_back(&d);
        return found;
    }
    // Every element once, with its head and that of the next, which lie from that word on.
    void check_folds(std::uint64_t heads) const {
        std::uint64_t done = 0;
        const auto folds = all(stage::segment_totals);
        for (const dispatch* const d : folds) {
            const std::uint64_t count = d->parameters[UPSWEEP_P_LENGTH];
            EXPECT_EQ(word_at(*d, UPSWEEP_LENGTH, UPSWEEP_P_HEADS_FIRST), heads + done / 32);
            const bool last = d == folds.back();
            EXPECT_EQ((d->parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_TOTAL) != 0, last);
            const shader::binding& bound = d->bindings[UPSWEEP_LENGTH];
            EXPECT_GE(bound.offset + bound.bytes, 4 * heads + (done + count + (last ? 0 : 1) + 31) / 32 * 4);
            EXPECT_EQ(
                d->bindings[UPSWEEP_INPUT].offset + 4 * std::uint64_t{d->parameters[UPSWEEP_P_INPUT_FIRST]},
                request_.input_offset + 4 * done);
            EXPECT_EQ(d->bindings[UPSWEEP_OUTPUT].from, resource::output);
            EXPECT_EQ(
                d->bindings[UPSWEEP_OUTPUT].offset + 4 * std::uint64_t{d->parameters[UPSWEEP_P_OUTPUT_FIRST]},
                request_.output_offset);
            done += count;
        }
        EXPECT_EQ(done, request_.length);
    }
    void check_packed() const {
        std::uint64_t marked = 0, heads = 0;
        for (const dispatch* const d : all(stage::mark_heads)) {
            EXPECT_NE(d->parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_COUNTED, 0u);
            const std::uint64_t first = word_at(*d, UPSWEEP_OUTPUT, UPSWEEP_P_HEADS_FIRST);
            if (marked == 0) heads = first;
            EXPECT_EQ(first, heads + marked / 32);
            // A count for each tile, where the first word of the votes is for compact.
            const shader::binding& counts = d->bindings[UPSWEEP_WORKSPACE];
            EXPECT_EQ(counts.offset, workspace_at);
            EXPECT_GE(counts.bytes, 4 * (std::uint64_t{d->parameters[UPSWEEP_P_FIRST_GROUP]} +
                                         d->parameters[UPSWEEP_P_GROUPS]));
            marked += d->parameters[UPSWEEP_P_LENGTH];
        }
        EXPECT_EQ(marked, request_.length);
        const bool folds =
            request_.values == run_values::totals && request_.room != 0 && request_.length != 0;
        if (folds) check_folds(heads);
        EXPECT_EQ(all(stage::segment_totals).empty(), !folds);
        for (const dispatch* const d : all(stage::compact)) {
            EXPECT_TRUE(d->counts);
            EXPECT_EQ(d->bindings[UPSWEEP_WORKSPACE].offset, workspace_at);
            if (request_.length != 0) {
                EXPECT_EQ(word_at(*d, UPSWEEP_WORKSPACE, UPSWEEP_P_SUPERS), heads) << "votes are the heads";
            }
            EXPECT_EQ(d->bindings[UPSWEEP_TOTAL].from, resource::total);
        }
        const dispatch& last = plan_.back();
        EXPECT_EQ(last.which, stage::compact);
        EXPECT_EQ(last.parameters[UPSWEEP_P_FLAGS], UPSWEEP_F_ARGUMENTS);
        std::uint64_t room = request_.length;
        if (request_.values != run_values::none) room = std::min(room, request_.room);
        if (request_.has_keys) room = std::min(room, request_.keys_room);
        EXPECT_EQ(last.parameters[UPSWEEP_P_CAPACITY], room);
        EXPECT_EQ(all(stage::run_lengths).size(),
                  request_.values == run_values::lengths && request_.room * request_.length != 0 ? 1u : 0u);
        for (const dispatch* const d : all(stage::run_lengths)) {
            // Where runs begin was written just before, as words.
            const dispatch* const moved = d - 1;
            EXPECT_EQ(moved->parameters[UPSWEEP_P_RECORD_WORDS], 0u);
            EXPECT_EQ(word_at(*moved, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST),
                      word_at(*d, UPSWEEP_INPUT, UPSWEEP_P_INPUT_FIRST));
            EXPECT_EQ(moved->parameters[UPSWEEP_P_CAPACITY],
                      std::min<std::uint64_t>(request_.length, request_.room + 1));
        }
    }
    void check_by_offsets() const {
        EXPECT_EQ(plan_.empty(), request_.room == 0);
        if (plan_.empty()) return;
        std::uint64_t filled = 0, numbers = 0;
        for (const dispatch* const d : all(stage::fill_empty)) {
            EXPECT_EQ(d->parameters[UPSWEEP_P_FIRST_GROUP], filled);
            filled += d->parameters[UPSWEEP_P_GROUPS];
        }
        EXPECT_EQ(filled, (request_.room + 1023) / 1024);
        if (request_.length == 0) return;
        for (const dispatch* const d : all(stage::compact)) {
            numbers = word_at(*d, UPSWEEP_OUTPUT, UPSWEEP_P_OUTPUT_FIRST);
            EXPECT_EQ(d->parameters[UPSWEEP_P_RECORD_WORDS], 0u);
            EXPECT_EQ(d->parameters[UPSWEEP_P_LENGTH], request_.room);
        }
        for (const dispatch* const d : all(stage::segment_totals))
            EXPECT_EQ(word_at(*d, UPSWEEP_TOTAL, UPSWEEP_P_TOTAL_INDEX), numbers);
        // Of segments first, then of elements.
        std::array<std::uint64_t, 2> marked{};
        std::uint64_t heads = 0;
        for (const dispatch* const d : all(stage::mark_heads)) {
            const bool between = (d->parameters[UPSWEEP_P_FLAGS] & UPSWEEP_F_FIRST_TOO) != 0;
            if (between) {
                // Position 0 is between the offsets 0 and 1.
                EXPECT_EQ(d->bindings[UPSWEEP_INPUT].offset +
                              4 * std::uint64_t{d->parameters[UPSWEEP_P_INPUT_FIRST]},
                          request_.segments.offset + 4 * (marked[0] + 1));
            } else if (marked[1] == 0) {
                heads = word_at(*d, UPSWEEP_OUTPUT, UPSWEEP_P_HEADS_FIRST);
            }
            marked.at(between ? 0 : 1) += d->parameters[UPSWEEP_P_LENGTH];
        }
        EXPECT_EQ(marked, (std::array<std::uint64_t, 2>{request_.room, request_.length}));
        check_folds(heads);
    }

    const shader::runs_request& request_;
    std::vector<dispatch> plan_;
};

TEST(shader_runs_plan, everything_once) {
    const std::vector<shader::limits> devices{
        {},
        {std::uint64_t{1} << 32, 16, 0x7fffffffu, 65535, 16384, 8192},
        {(std::uint64_t{1} << 20) + 16, 4, 7, 3, 100, 8192},
        {70000, 256, 65535, 65535, 16384, 8192},
    };
    for (const shader::limits& device : devices) {
        for (const std::uint64_t n : std::vector<std::uint64_t>{0, 1, 31, 4096, 4097, 131073, (1u << 22) + 1,
                                                                1u << 29, 0xffffffffu}) {
            if (device.binding_bytes < n / 7) continue;  // the votes would not fit
            for (const std::uint64_t results : std::vector<std::uint64_t>{0, 1, 300, 5000, 1 << 22}) {
                if (results * 12 + 1024 > device.binding_bytes) continue;
                for (const segments_by kind :
                     {segments_by::head_flags, segments_by::offsets, segments_by::keys}) {
                    for (const run_values values :
                         {run_values::none, run_values::totals, run_values::first, run_values::lengths}) {
                        if (kind == segments_by::offsets && values != run_values::totals) continue;
                        // What moves is bound as a whole.
                        const std::uint64_t words = values == run_values::first ? 3 : 2;
                        const bool moves = kind == segments_by::keys || values == run_values::first;
                        if (moves && n * 4 * words + 4096 > device.binding_bytes) continue;
                        SCOPED_TRACE(std::to_string(n) + ", kind " + std::to_string(static_cast<int>(kind)) +
                                     ", values " + std::to_string(static_cast<int>(values)) + ", room " +
                                     std::to_string(results));
                        const shader::runs_request request = request_of(n, kind, values, results);
                        checked_plan(request, device);
                        if (HasFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(shader_runs_plan, a_workspace_never_shrinks) {
    for (const segments_by kind : {segments_by::head_flags, segments_by::offsets}) {
        for (const run_values values : {run_values::totals, run_values::lengths}) {
            std::uint64_t before = 4;
            for (std::uint64_t n = 0; n < 3000000; n += 1 + n / 50) {
                const std::uint64_t bytes =
                    shader::runs_workspace_bytes(request_of(n, kind, values, 700), {});
                EXPECT_GE(bytes, before) << n;
                before = bytes;
            }
            for (std::uint64_t room = 700; room < 3000000; room += 1 + room / 50) {
                const std::uint64_t bytes =
                    shader::runs_workspace_bytes(request_of(3000000, kind, values, room), {});
                EXPECT_GE(bytes, before) << room;
                before = bytes;
            }
        }
    }
}

TEST(shader_runs_plan, what_no_device_can_do_is_an_error) {
    const auto refused = [](const shader::runs_request& request, errc code, const std::string& beginning,
                            const shader::limits& device = {}) {
        try {
            (void)shader::plan_runs(request, device);
            ADD_FAILURE() << "accepted";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), code) << e.what();
            EXPECT_EQ(std::string(e.what()).substr(0, beginning.size()), beginning) << e.what();
        }
    };
    const std::uint64_t too_many = std::uint64_t{1} << 32;
    refused(request_of(too_many, segments_by::head_flags, run_values::totals, 5), errc::unsupported, "in: ");
    refused(request_of(1 << 20, segments_by::head_flags, run_values::totals, 1 << 20), errc::unsupported,
            "out: ", {1 << 20, 16, 65535, 65535, 16384, 8192});
    refused(request_of(1 << 20, segments_by::offsets, run_values::totals, 1 << 20), errc::unsupported,
            "segments: ", {1 << 20, 16, 65535, 65535, 16384, 8192});
    refused(request_of(1 << 20, segments_by::head_flags, run_values::lengths, 1 << 20), errc::unsupported, "",
            {1 << 20, 16, 65535, 65535, 16384, 8192});
    shader::runs_request request = request_of(100, segments_by::offsets, run_values::totals, 7);
    request.room = 8;
    refused(request, errc::invalid_argument, "out: expected 7 elements, one for each segment, but it has 8");
    request.room = 7;
    request.op.has_identity = false;
    refused(request, errc::invalid_argument, "options.initial: ");
    request.has_initial = true;
    EXPECT_FALSE(shader::plan_runs(request, {}).empty());
    request.output_offset = 2;
    refused(request, errc::invalid_argument, "out: ");
    request = request_of(100, segments_by::keys, run_values::lengths, 7);
    request.output_offset = 2;
    refused(request, errc::invalid_argument, "lengths: ");
    request.output_offset = 4;
    request.keys_offset = 2;
    refused(request, errc::invalid_argument, "out: ");
    request.keys_offset = 8;
    request.segments.name = "in";
    request.segments.offset = 4;
    refused(request, errc::invalid_argument, "in: expected an offset that is a multiple of 8 bytes");
    request.segments.offset = 8;
    request.segments.count = 99;
    refused(request, errc::invalid_argument, "segments: expected 100 keys");
}

}  // namespace
}  // namespace upsweep::test
