// Extraction of bins: a call checked, planned and carried out.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "gl/arguments.hpp"
#include "gl/bin_elements.hpp"
#include "gl/executor_state.hpp"
#include "shader/bin_table.hpp"
#include "upsweep/core/bin_arguments.hpp"

namespace upsweep::gl {
namespace {

void check_bins(const bins_call& call, std::uint64_t element_bytes) {
    upsweep::detail::check_counts("offsets", call.offsets.bytes / 4, call.bins + 1);
    check_count("in", call.size, element_bytes);
    const named_region in{"in", call.in}, out{"out", call.out}, offsets{"offsets", call.offsets};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(out, std::array{in, length});
    forbid_overlap(offsets, std::array{in, out, length});
    forbid_overlap(workspace, std::array{in, out, offsets, length});
}

shader::bins_request request_of(const bins_call& call) {
    shader::bins_request request;
    request.bounds = call.bounds;
    request.user_bins = call.user_text != 0;
    request.bins = call.bins;
    request.items = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.record_words = call.record_words;
    request.room = call.out.bytes / (std::uint64_t{4} * std::max(1u, call.record_words));
    request.user = call.user;
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.offsets_offset = call.offsets.offset;
    request.workspace_offset = call.workspace.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

std::uint64_t executor::bins_workspace_bytes(shader::element_type type, std::uint64_t bins,
                                             std::uint64_t size) const {
    return shader::bins_workspace_bytes(shader::element_words_of(type), bins, size, state_->limits);
}
std::uint64_t executor::bins_by_workspace_bytes(std::uint64_t bins, std::uint64_t size) const {
    return shader::bins_workspace_bytes(0, bins, size, state_->limits);
}

void executor::run(const bins_call& call) {
    const bool by_user = call.user_text != 0;
    const std::uint32_t element_words = by_user ? 1 : shader::element_words_of(call.bounds.type);
    check_bins(call, std::uint64_t{4} * std::max(element_words, call.record_words));
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_buffer("in", call.in);
    state_->check_buffer("out", call.out);
    state_->check_buffer("offsets", call.offsets);
    state_->check_buffer("options.length", call.length);
    const shader::bin_plan plan = shader::plan_bins(request_of(call), state_->limits);

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::total) = call.offsets;
    of(from, shader::resource::length) = call.length;
    if (call.size != 0) {
        of(from, shader::resource::workspace) = state_->workspace(
            call.workspace, by_user ? bins_by_workspace_bytes(call.bins, call.size)
                                    : bins_workspace_bytes(call.bounds.type, call.bins, call.size));
    }
    state_->carry_out(plan.dispatches, from, {shader::stage::bins_move, elements_of(call.bounds.type)},
                      call.user_text, plan.table);
}

void executor::compile_bins(shader::element_type type) {
    using shader::stage;
    compile_histogram(type);
    const saved_state saved(state_->gl, 0);
    std::vector<stage> counts =
        shader::scan_stages(shader::form::sequence, shader::counts_operation, state_->limits);
    counts.insert(counts.end(), {stage::sort_count, stage::sort_move, stage::sort_gather});
    for (const stage which : counts) state_->programs.get({which, shader::counts_operation}, 0);
    for (const stage which : {stage::bins_count, stage::bins_move, stage::bins_number})
        state_->programs.get({which, elements_of(type)}, 0);
    state_->programs.get({stage::bins_offsets, {}}, 0);
}

}  // namespace upsweep::gl
