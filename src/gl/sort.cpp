// Checks a sort, of all elements or of every segment by itself, asks for its plan and has it carried out.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/executor_state.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

bool is_same(const buffer_region& a, const buffer_region& b) {
    return a.buffer == b.buffer && a.offset == b.offset;
}

// `written` has as many elements as `read`, so many, of so many bytes.
void check_as_many(const named_region& written, std::uint64_t count, std::uint64_t bytes,
                   const named_region& read) {
    if (written.region.bytes != count * bytes) {
        throw_error(errc::invalid_argument, std::string(written.name) + ": expected " +
                                                std::to_string(count) + " elements, as many as " + read.name +
                                                ", but it has " +
                                                std::to_string(written.region.bytes / bytes));
    }
}

// By what the segments are described, if there are any.
named_region described(const sort_call& call) {
    if (!call.segments) return {"segments", {}};
    return {"segments", {call.segments->buffer, call.segments->offset, call.segments->bytes()}};
}

void check_sort(const sort_call& call) {
    const bool pairs = call.shape.output == shader::sort_output::keys_with_values;
    const bool indices = call.shape.output == shader::sort_output::indices;
    const std::uint64_t key_bytes = call.order.bytes;
    const std::uint64_t value_bytes = std::uint64_t{4} * call.shape.value_words;
    const named_region keys{pairs ? "keys" : "in", call.in}, out{pairs ? "keys_out" : "out", call.out};
    const named_region values{"values", call.values}, values_out{"values_out", call.values_out};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    check_count(keys.name, call.size, std::max(key_bytes, value_bytes));
    check_as_many(out, call.size, indices ? 4 : key_bytes, keys);
    if (pairs) {
        check_as_many(values, call.size, value_bytes, keys);
        check_as_many(values_out, call.size, value_bytes, keys);
    }
    if (call.length.buffer != 0) check_bytes(length, 4);
    if (indices || !is_same(call.in, call.out)) forbid_overlap(out, std::array{keys});
    if (!is_same(call.values, call.values_out)) forbid_overlap(values_out, std::array{values});
    forbid_overlap(out, std::array{values, length});
    forbid_overlap(values_out, std::array{keys, out, length});
    forbid_overlap(workspace, std::array{keys, out, values, values_out, length});
    if (!call.segments) return;
    check_count("segments", call.segments->count, std::uint64_t{4} * call.segments->key_words);
    for (const named_region& written : {out, values_out, workspace})
        forbid_overlap(written, std::array{described(call)});
}

shader::sort_request request_of(const sort_call& call) {
    shader::sort_request request;
    request.shape = call.shape;
    request.shape.values_in_place = is_same(call.values, call.values_out);
    request.order = call.order;
    request.items = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.keys_in_place = is_same(call.in, call.out);
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.values_offset = call.values.offset;
    request.moved_values_offset = call.values_out.offset;
    request.workspace_offset = call.workspace.offset;
    request.length_offset = call.length.offset;
    return request;
}

std::vector<shader::dispatch> plan_of(const sort_call& call, const shader::sort_request& request,
                                      const shader::limits& device) {
    if (!call.segments) return shader::plan_sort(request, device);
    const shader::segments<std::uint32_t>& given = *call.segments;
    return shader::plan_segmented_sort(
        {request, {given.kind, given.key_words, given.floating_keys, given.count, given.offset}}, device);
}

}  // namespace

std::uint64_t executor::sort_workspace_bytes(const shader::sort_shape& shape, std::uint64_t size) const {
    return shader::sort_workspace_bytes(shape, size, state_->limits);
}

std::uint64_t executor::segmented_sort_workspace_bytes(const shader::sort_shape& shape,
                                                       std::uint64_t size) const {
    return shader::segmented_sort_workspace_bytes(shape, size, state_->limits);
}

void executor::compile(const sort_call& call) {
    using shader::stage;
    const saved_state saved(state_->gl, 0);
    const shader::operation keys{.element_words = call.shape.key_words};
    state_->programs.get({stage::sort_gather, {}}, 0);
    for (const stage which : {stage::segment_sort, stage::segment_merge})
        state_->programs.get({which, keys}, 0);
    if (call.segments) {
        for (const stage which : {stage::mark_heads, stage::mark_offsets})
            state_->programs.get({which, keys}, 0);
        return;
    }
    for (const stage which :
         shader::scan_stages(shader::form::sequence, shader::counts_operation, state_->limits))
        state_->programs.get({which, shader::counts_operation}, 0);
    for (const stage which : {stage::sort_count, stage::sort_move}) state_->programs.get({which, keys}, 0);
}

void executor::run(const sort_call& call) {
    check_sort(call);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    const bool pairs = call.shape.output == shader::sort_output::keys_with_values;
    state_->check_buffer(pairs ? "keys" : "in", call.in);
    state_->check_buffer(pairs ? "keys_out" : "out", call.out);
    state_->check_buffer("values", call.values);
    state_->check_buffer("values_out", call.values_out);
    state_->check_buffer("options.length", call.length);
    state_->check_buffer("segments", described(call).region);
    const shader::sort_request request = request_of(call);
    const std::vector<shader::dispatch> plan = plan_of(call, request, state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::values) = call.values;
    of(from, shader::resource::moved_values) = call.values_out;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::flags) = described(call).region;
    const std::uint64_t needed = call.segments ? segmented_sort_workspace_bytes(request.shape, request.items)
                                               : sort_workspace_bytes(request.shape, request.items);
    of(from, shader::resource::workspace) = state_->workspace(call.workspace, needed);
    state_->carry_out(plan, from, {shader::stage::sort_move, {.element_words = call.shape.key_words}}, 0);
}

}  // namespace upsweep::gl
