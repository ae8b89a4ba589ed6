// Elements repeated: a call checked, planned and carried out.
#include <algorithm>
#include <array>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/executor_state.hpp"

namespace upsweep::gl {
namespace {

std::uint64_t record_bytes(const repeat_call& call) {
    return std::uint64_t{4} * std::max(1u, call.record_words);
}
const char* counts_name(const repeat_call& call) { return call.by_offsets ? "segments" : "counts"; }

void check_repeat(const repeat_call& call) {
    check_count("in", call.size, record_bytes(call));
    const named_region in{"in", call.in}, counts{counts_name(call), call.counts}, out{"out", call.out};
    const named_region arguments{"arguments", call.arguments}, length{"options.length", call.length};
    const named_region workspace{"options.workspace", call.workspace};
    check_bytes(arguments, 4 * UPSWEEP_A_WORDS);
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(out, std::array{in, counts, length});
    forbid_overlap(arguments, std::array{in, counts, out, length});
    forbid_overlap(workspace, std::array{in, counts, out, arguments, length});
}

shader::repeat_request request_of(const repeat_call& call) {
    shader::repeat_request request;
    request.elements = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.by_offsets = call.by_offsets;
    request.counts = call.counts.bytes / 4;
    request.record_words = call.record_words;
    request.room = call.out.bytes / record_bytes(call);
    request.vertices = call.vertices_per_instance;
    request.group_items = call.items_per_group;
    request.input_offset = call.in.offset;
    request.counts_offset = call.counts.offset;
    request.output_offset = call.out.offset;
    request.workspace_offset = call.workspace.offset;
    request.arguments_offset = call.arguments.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

std::uint64_t executor::repeat_workspace_bytes(std::uint64_t size) const {
    return shader::repeat_workspace_bytes(size, state_->limits);
}

void executor::run(const repeat_call& call) {
    check_repeat(call);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_buffer("in", call.in);
    state_->check_buffer(counts_name(call), call.counts);
    state_->check_buffer("out", call.out);
    state_->check_buffer("arguments", call.arguments);
    state_->check_buffer("options.length", call.length);
    const std::vector<shader::dispatch> plan = shader::plan_repeat(request_of(call), state_->limits);

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::flags) = call.counts;
    of(from, shader::resource::total) = call.arguments;
    of(from, shader::resource::length) = call.length;
    if (!call.by_offsets) {
        of(from, shader::resource::workspace) =
            state_->workspace(call.workspace, repeat_workspace_bytes(call.size));
    }
    state_->carry_out(plan, from, {}, 0);
}

void executor::compile(const repeat_call&) {
    const saved_state saved(state_->gl, 0);
    for (const shader::stage which :
         shader::scan_stages(shader::form::sequence, shader::counts_operation, state_->limits))
        state_->programs.get({which, shader::counts_operation}, 0);
    state_->programs.get({shader::stage::repeat, {}}, 0);
}

}  // namespace upsweep::gl
