// One result for each segment or run: a call checked, planned and carried out.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/executor_state.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

using shader::run_values;

bool folds(const runs_call& call) { return call.values == run_values::totals; }
bool is_by_offsets(const runs_call& call) { return call.segments.kind == shader::segments_by::offsets; }

// Of a result.
std::uint64_t result_bytes(const runs_call& call) {
    if (folds(call)) return std::uint64_t{4} * call.op.element_words;
    return call.values == run_values::first ? std::uint64_t{4} * call.record_words : 4;
}

void check_runs(const runs_call& call, const named_region& described) {
    check_count("in", call.size, result_bytes(call));
    check_count(call.described, call.segments.count, std::uint64_t{4} * call.segments.key_words);
    const named_region in{"in", call.in}, arguments{"arguments", call.arguments};
    const named_region keys_out{shader::keys_out_name(call.values), call.keys_out};
    const named_region out{shader::results_name(call.values), call.out};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    if (!is_by_offsets(call)) check_bytes(arguments, 4 * UPSWEEP_A_WORDS);
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(out, std::array{in, described, length});
    forbid_overlap(keys_out, std::array{in, described, out, length});
    forbid_overlap(arguments, std::array{in, described, out, keys_out, length});
    forbid_overlap(workspace, std::array{in, described, out, keys_out, arguments, length});
}

shader::runs_request request_of(const runs_call& call) {
    const std::uint64_t key_bytes = std::uint64_t{4} * call.segments.key_words;
    shader::runs_request request;
    request.segments = {call.segments.kind,  call.segments.key_words, call.segments.floating_keys,
                        call.segments.count, call.segments.offset,    call.described};
    request.length = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.values = call.values;
    request.op = call.op;
    request.has_initial = call.has_initial;
    request.initial = call.initial;
    request.record_words = call.record_words;
    request.has_keys = call.has_keys;
    request.room = call.out.bytes / result_bytes(call);
    request.keys_room = call.keys_out.bytes / key_bytes;
    request.vertices = call.vertices_per_instance;
    request.group_items = call.items_per_group;
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.keys_offset = call.keys_out.offset;
    request.workspace_offset = call.workspace.offset;
    request.arguments_offset = call.arguments.offset;
    request.length_offset = call.length.offset;
    return request;
}

shader::runs_request sized(run_values values, std::uint64_t size) {
    shader::runs_request request;
    request.values = values;
    request.length = size;
    return request;
}

}  // namespace

std::uint64_t executor::segmented_reduce_workspace_bytes(const shader::operation& op,
                                                         std::uint64_t size) const {
    shader::runs_request request = sized(run_values::totals, size);
    request.op = op;
    return shader::runs_workspace_bytes(request, state_->limits);
}
std::uint64_t executor::segmented_reduce_workspace_bytes(const shader::operation& op, std::uint64_t size,
                                                         std::uint64_t segments) const {
    shader::runs_request request = sized(run_values::totals, size);
    request.op = op;
    request.segments.kind = shader::segments_by::offsets;
    request.room = segments;
    return shader::runs_workspace_bytes(request, state_->limits);
}
std::uint64_t executor::runs_workspace_bytes(std::uint64_t size) const {
    return shader::runs_workspace_bytes(sized(run_values::first, size), state_->limits);
}
std::uint64_t executor::runs_workspace_bytes(std::uint64_t size, std::uint64_t lengths) const {
    shader::runs_request request = sized(run_values::lengths, size);
    request.room = lengths;
    return shader::runs_workspace_bytes(request, state_->limits);
}

void executor::run(const runs_call& call) {
    if (folds(call)) state_->check_operation(call.op);
    const named_region described{call.described,
                                 {call.segments.buffer, call.segments.offset, call.segments.bytes()}};
    check_runs(call, described);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_input(call.in);
    state_->check_buffer(shader::results_name(call.values), call.out);
    state_->check_buffer(shader::keys_out_name(call.values), call.keys_out);
    state_->check_buffer(call.described, described.region);
    state_->check_buffer("arguments", call.arguments);
    state_->check_buffer("options.length", call.length);
    const shader::runs_request request = request_of(call);
    const std::vector<shader::dispatch> plan = shader::plan_runs(request, state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::flags) = described.region;
    of(from, shader::resource::moved_values) = call.keys_out;
    of(from, shader::resource::total) = call.arguments;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, shader::runs_workspace_bytes(request, state_->limits));
    state_->carry_out(plan, from, {shader::stage::segment_totals, call.op}, call.user_text);
}

void executor::compile(const runs_call& call) {
    using shader::stage;
    if (folds(call)) state_->check_operation(call.op);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, 0);
    const auto compile = [&](stage which, shader::form shape, bool counts) {
        shader::dispatch next;
        next.which = which;
        next.shape = shape;
        next.counts = counts;
        state_->program(next, {which, call.op}, call.user_text);
    };
    if (folds(call)) {
        for (const stage which : shader::scan_stages(shader::form::segments, call.op, state_->limits, true))
            compile(which, shader::form::segments, false);
        compile(stage::fill_empty, shader::form::segments, false);
    }
    std::vector<stage> counts =
        shader::scan_stages(shader::form::sequence, shader::counts_operation, state_->limits);
    counts.insert(counts.end(), {stage::mark_heads, stage::mark_offsets, stage::compact, stage::run_lengths});
    for (const stage which : counts) compile(which, shader::form::sequence, true);
}

}  // namespace upsweep::gl
