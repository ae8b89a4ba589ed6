// Histograms: a call checked, planned and carried out.
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

void check_histogram(const histogram_call& call, std::uint64_t element_bytes) {
    upsweep::detail::check_counts("counts", call.counts.bytes / 4, call.bins);
    if (call.user_text == 0) check_count("in", call.size, element_bytes);
    const named_region in{"in", call.in}, counts{"counts", call.counts};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    if (call.length.buffer != 0) check_bytes(length, 4);
    forbid_overlap(counts, std::array{in, length});
    forbid_overlap(workspace, std::array{in, counts, length});
}

shader::histogram_request request_of(const histogram_call& call) {
    shader::histogram_request request;
    request.bounds = call.bounds;
    request.user_bins = call.user_text != 0;
    request.bins = call.bins;
    request.length = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.user = call.user;
    request.input_offset = call.in.offset;
    request.counts_offset = call.counts.offset;
    request.workspace_offset = call.workspace.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

std::uint64_t executor::histogram_workspace_bytes(shader::element_type type, std::uint64_t bins) const {
    return shader::histogram_workspace_bytes(shader::element_words_of(type), bins);
}

void executor::run(const histogram_call& call) {
    const std::uint32_t element_words = call.user_text == 0 ? shader::element_words_of(call.bounds.type) : 1;
    check_histogram(call, std::uint64_t{4} * element_words);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_buffer("in", call.in);
    state_->check_buffer("counts", call.counts);
    state_->check_buffer("options.length", call.length);
    const shader::bin_plan plan = shader::plan_histogram(request_of(call), state_->limits);

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.counts;
    of(from, shader::resource::length) = call.length;
    if (!plan.table.empty()) {
        of(from, shader::resource::workspace) =
            state_->workspace(call.workspace, histogram_workspace_bytes(call.bounds.type, call.bins));
    }
    state_->carry_out(plan.dispatches, from, {shader::stage::count_bins, elements_of(call.bounds.type)},
                      call.user_text, plan.table);
}

void executor::compile_histogram(shader::element_type type) {
    const saved_state saved(state_->gl, 0);
    state_->programs.get({shader::stage::clear_counts, {}}, 0);
    state_->programs.get({shader::stage::count_bins, elements_of(type)}, 0);
}

std::uint32_t executor::add_bins(std::string text) {
    return state_->programs.add_text(std::move(text), {shader::stage::count_bins});
}

}  // namespace upsweep::gl
