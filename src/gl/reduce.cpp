// Totals: a call checked, planned and carried out.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/executor_state.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

void check_reduce(const reduce_call& call) {
    const std::uint64_t size = std::uint64_t{4} * call.op.element_words;
    check_count("in", call.size, size);
    if (call.out.bytes != size) {
        throw_error(errc::invalid_argument,
                    "out: expected one element, but it has " + std::to_string(call.out.bytes / size));
    }
    const named_region in{"in", call.in}, out{"out", call.out};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(out, std::array{in, length});
    forbid_overlap(workspace, std::array{in, out, length});
}

shader::scan_request request_of(const reduce_call& call) {
    shader::scan_request request;
    request.op = call.op;
    request.length = call.size;
    request.has_initial = call.has_initial;
    request.initial = call.initial;
    request.has_total = request.only_total = true;
    request.length_in_buffer = call.length.buffer != 0;
    request.input_offset = call.in.offset;
    request.workspace_offset = call.workspace.offset;
    request.total_offset = call.out.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

void executor::run(const reduce_call& call) {
    state_->check_operation(call.op);
    check_reduce(call);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_input(call.in);
    state_->check_buffer("out", call.out);
    state_->check_buffer("options.length", call.length);
    const std::vector<shader::dispatch> plan = shader::plan_scan(request_of(call), state_->limits);

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::total) = call.out;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, scan_workspace_bytes(call.op, call.size));
    state_->carry_out(plan, from, {shader::stage::tile_scan, call.op}, call.user_text);
}

void executor::compile(const reduce_call& call) {
    state_->check_operation(call.op);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, 0);
    for (const shader::stage which : shader::total_stages())
        state_->programs.get({which, call.op}, call.user_text);
}

}  // namespace upsweep::gl
