// The first k of an order: a call checked, planned and carried out.
#include <algorithm>
#include <array>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/executor_state.hpp"
#include "shader/top_k_plan.hpp"
#include "upsweep/core/arguments.hpp"

namespace upsweep::gl {
namespace {

void check_top_k(const top_k_call& call) {
    const bool pairs = call.shape.output == shader::sort_output::keys_with_values;
    const std::uint64_t key_bytes = call.order.bytes;
    const std::uint64_t value_bytes = std::uint64_t{4} * call.shape.value_words;
    const named_region keys{pairs ? "keys" : "in", call.in}, out{pairs ? "keys_out" : "out", call.out};
    const named_region values{"values", call.values}, values_out{"values_out", call.values_out};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    check_count(keys.name, call.rows * call.size, std::max(key_bytes, value_bytes));
    upsweep::detail::check_at_most(out.name, call.wanted, keys.name, call.size);
    if (pairs) {
        const std::uint64_t in_count = call.values.bytes / value_bytes,
                            out_count = call.values_out.bytes / value_bytes;
        upsweep::detail::check_as_many(values.name, in_count, keys.name, call.size);
        upsweep::detail::check_as_many(values_out.name, out_count, out.name, call.wanted);
    }
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(out, std::array{keys, values, length});
    forbid_overlap(values_out, std::array{keys, values, out, length});
    forbid_overlap(workspace, std::array{keys, out, values, values_out, length});
}

shader::top_k_request request_of(const top_k_call& call) {
    shader::top_k_request request;
    request.shape = call.shape;
    request.order = call.order;
    request.rows = call.rows;
    request.items = call.size;
    request.wanted = call.wanted;
    request.length_in_buffer = call.length.buffer != 0;
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.values_offset = call.values.offset;
    request.moved_values_offset = call.values_out.offset;
    request.workspace_offset = call.workspace.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

std::uint64_t executor::top_k_workspace_bytes(const shader::sort_shape& shape, std::uint64_t rows,
                                              std::uint64_t size, std::uint64_t wanted) const {
    shader::top_k_request request;
    request.shape = shape;
    request.rows = rows;
    request.items = size;
    request.wanted = wanted;
    return shader::top_k_workspace_bytes(request, state_->limits);
}

void executor::compile(const top_k_call& call) {
    using shader::stage;
    const saved_state saved(state_->gl, 0);
    std::vector<stage> counts =
        shader::scan_stages(shader::form::sequence, shader::counts_operation, state_->limits);
    counts.insert(counts.end(), {stage::clear_counts, stage::compact, stage::sort_gather});
    for (const stage which : counts) state_->programs.get({which, shader::counts_operation}, 0);
    for (const stage which : {stage::select_rows, stage::select_count, stage::select_vote,
                              stage::segment_sort, stage::segment_merge, stage::sort_count, stage::sort_move})
        state_->programs.get({which, {.element_words = call.shape.key_words}}, 0);
}

void executor::run(const top_k_call& call) {
    check_top_k(call);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    const bool pairs = call.shape.output == shader::sort_output::keys_with_values;
    state_->check_buffer(pairs ? "keys" : "in", call.in);
    state_->check_buffer(pairs ? "keys_out" : "out", call.out);
    state_->check_buffer("values", call.values);
    state_->check_buffer("values_out", call.values_out);
    state_->check_buffer("options.length", call.length);
    const shader::top_k_request request = request_of(call);
    const std::vector<shader::dispatch> plan = shader::plan_top_k(request, state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::values) = call.values;
    of(from, shader::resource::moved_values) = call.values_out;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, shader::top_k_workspace_bytes(request, state_->limits));
    state_->carry_out(plan, from, {shader::stage::sort_move, {.element_words = call.shape.key_words}}, 0);
}

}  // namespace upsweep::gl
