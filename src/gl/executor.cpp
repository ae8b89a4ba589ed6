// Checks a call, asks for its plan and has it carried out.
#include "upsweep/gl/executor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "gl/arguments.hpp"
#include "gl/conformance.hpp"
#include "gl/executor_state.hpp"
#include "shader/axis_arguments.hpp"
#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

shader::algorithm shader_algorithm(scan_algorithm algorithm) {
    return algorithm == scan_algorithm::tree ? shader::algorithm::tree : shader::algorithm::blelloch;
}

// Not where elements are converted.
bool is_in_place(const shader::operation& op, const buffer_region& in, const buffer_region& out) {
    return op.input == shader::input_type::same && in.buffer == out.buffer && in.offset == out.offset;
}

// ---- scans ----

void check_scan(const scan_call& call) {
    const std::uint64_t size = std::uint64_t{4} * call.op.element_words;
    check_count("in", call.size, size);
    check_size(call.size, call.out.bytes / size);
    const named_region in{"in", call.in}, out{"out", call.out}, total{"options.total", call.total};
    const named_region length{"options.length", call.length}, workspace{"options.workspace", call.workspace};
    if (call.total.buffer != 0) check_bytes(total, size);
    if (call.length.buffer != 0) check_bytes(length, 4);
    if (!is_in_place(call.op, call.in, call.out)) forbid_overlap(out, std::array{in});
    forbid_overlap(total, std::array{in, out});
    forbid_overlap(length, std::array{out, total});
    forbid_overlap(workspace, std::array{in, out, total, length});
}

shader::scan_request request_of(const scan_call& call) {
    shader::scan_request request;
    request.op = call.op;
    request.length = call.size;
    request.exclusive = call.exclusive;
    request.reverse = call.reverse;
    request.has_initial = call.has_initial;
    request.initial = call.initial;
    request.has_total = call.total.buffer != 0;
    request.length_in_buffer = call.length.buffer != 0;
    request.how = shader_algorithm(call.algorithm);
    request.blelloch_size = call.work_group_size;
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.workspace_offset = call.workspace.offset;
    request.total_offset = call.total.offset;
    request.length_offset = call.length.offset;
    return request;
}

shader::program_key key_of(const scan_call& call) {
    return {shader::stage::tile_scan, call.op, call.work_group_size};
}

// ---- scans of segments ----

void check_segmented(const segmented_call& call, const named_region& described) {
    const std::uint64_t size = std::uint64_t{4} * call.op.element_words;
    check_count("in", call.size, size);
    check_count("segments", call.segments.count, std::uint64_t{4} * call.segments.key_words);
    const named_region in{"in", call.in}, out{"out", call.out},
        workspace{"options.workspace", call.workspace};
    check_size(call.size, call.out.bytes / size);
    if (!is_in_place(call.op, call.in, call.out)) forbid_overlap(out, std::array{in});
    forbid_overlap(out, std::array{described});
    forbid_overlap(workspace, std::array{in, out, described});
}

shader::segmented_request request_of(const segmented_call& call) {
    shader::segmented_request request;
    request.scan.op = call.op;
    request.scan.length = call.size;
    request.scan.exclusive = call.exclusive;
    request.scan.reverse = call.reverse;
    request.scan.has_initial = call.has_initial;
    request.scan.initial = call.initial;
    request.scan.input_offset = call.in.offset;
    request.scan.output_offset = call.out.offset;
    request.scan.workspace_offset = call.workspace.offset;
    request.segments = {call.segments.kind, call.segments.key_words, call.segments.floating_keys,
                        call.segments.count, call.segments.offset};
    return request;
}

// ---- scans along an axis ----

shader::axis_arguments arguments_of(const axis_call& call) {
    const auto check = call.only_totals ? shader::check_total_arguments : shader::check_axis_arguments;
    shader::axis_arguments made = check(call.op, {call.in.offset, call.in.shape, call.in.strides},
                                        {call.out.offset, call.out.shape, call.out.strides},
                                        call.in.buffer == call.out.buffer, call.axis);
    made.request.exclusive = call.exclusive;
    made.request.reverse = call.reverse;
    made.request.has_initial = call.has_initial;
    made.request.initial = call.initial;
    made.request.way = call.way;
    made.request.workspace_offset = call.workspace.offset;
    return made;
}

// ---- compactions ----

void check_compact(const compact_call& call) {
    const named_region in{"in", call.in}, flags{"flags", call.flags}, out{"out", call.out};
    const named_region arguments{"arguments", call.arguments}, length{"options.length", call.length};
    const named_region workspace{"options.workspace", call.workspace};
    check_bytes(arguments, 4 * UPSWEEP_A_WORDS);
    if (call.length.buffer != 0) check_bytes(length, 4);
    if (call.items_per_group == 0)
        throw_error(errc::invalid_argument, "options.items_per_group: expected at least 1, but it is 0");
    if (call.user_text == 0) {
        const std::uint64_t item = 4 * std::max<std::uint64_t>(1, call.record_words);
        check_count("in", call.size, item);
        if (call.flags.bytes / 4 != call.size) {
            throw_error(errc::invalid_argument, "flags: expected " + std::to_string(call.size) +
                                                    " words, as many as in has elements, but there are " +
                                                    std::to_string(call.flags.bytes / 4));
        }
        if (call.partition && call.out.bytes / item < call.size) {
            throw_error(errc::invalid_argument, "out: expected at least " + std::to_string(call.size) +
                                                    " elements, but it has " +
                                                    std::to_string(call.out.bytes / item));
        }
    }
    // The length of this call may be the count of an earlier one, in the same arguments: it is read before
    // they are written only if it is somewhere else.
    forbid_overlap(out, std::array{in, flags, length});
    forbid_overlap(arguments, std::array{in, flags, out, length});
    forbid_overlap(workspace, std::array{in, flags, out, arguments, length});
}

shader::compact_request request_of(const compact_call& call) {
    shader::compact_request request;
    request.items = call.size;
    request.length_in_buffer = call.length.buffer != 0;
    request.partition = call.partition;
    request.user_items = call.user_text != 0;
    request.record_words = call.record_words;
    request.capacity = call.maximum;
    if (call.user_text == 0 && !call.partition) {
        const std::uint64_t room = call.out.bytes / (4 * std::max<std::uint64_t>(1, call.record_words));
        request.capacity = static_cast<std::uint32_t>(std::min<std::uint64_t>(call.maximum, room));
    }
    request.vertices = call.vertices_per_instance;
    request.group_items = call.items_per_group;
    request.user = call.user;
    request.flags_offset = call.flags.offset;
    request.input_offset = call.in.offset;
    request.output_offset = call.out.offset;
    request.workspace_offset = call.workspace.offset;
    request.arguments_offset = call.arguments.offset;
    request.length_offset = call.length.offset;
    return request;
}

}  // namespace

executor::executor(const function_loader& loader, const executor_options& options)
    : state_(std::make_unique<state>(loader, options)) {}
executor::executor(executor&&) noexcept = default;
executor& executor::operator=(executor&&) noexcept = default;
executor::~executor() = default;

const device_info& executor::device() const { return state_->device; }

bool executor::supports(const shader::operation& op) const { return state_->supports(op); }

const shader::conformance& executor::conformance() {
    if (!state_->conformance) {
        const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
        state_->conformance = check_conformance(state_->gl, state_->programs, state_->device.float64);
    }
    return *state_->conformance;
}

void executor::reserve(std::uint64_t bytes) {
    const saved_state saved(state_->gl, 0);
    state_->grow_scratch(bytes);
}

std::uint64_t executor::scan_workspace_bytes(const shader::operation& op, std::uint64_t size,
                                             scan_algorithm algorithm, std::uint32_t work_group_size) const {
    return shader::scan_workspace_bytes(op, size, shader_algorithm(algorithm), work_group_size,
                                        state_->limits);
}
std::uint64_t executor::compact_workspace_bytes(std::uint64_t items) const {
    return shader::compact_workspace_bytes(items, state_->limits);
}
std::uint64_t executor::workspace_alignment() const { return shader::workspace_alignment(state_->limits); }

void executor::observe(std::function<void(std::string_view)> observer) {
    state_->observer = std::move(observer);
}

void executor::run(const scan_call& call) {
    state_->check_operation(call.op);
    check_scan(call);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_input(call.in);
    state_->check_buffer("out", call.out);
    state_->check_buffer("options.total", call.total);
    state_->check_buffer("options.length", call.length);
    const std::vector<shader::dispatch> plan = shader::plan_scan(request_of(call), state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::total) = call.total;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::workspace) = state_->workspace(
        call.workspace, scan_workspace_bytes(call.op, call.size, call.algorithm, call.work_group_size));
    state_->carry_out(plan, from, key_of(call), call.user_text);
}

void executor::run(const segmented_call& call) {
    state_->check_operation(call.op);
    const named_region segments{"segments",
                                {call.segments.buffer, call.segments.offset, call.segments.bytes()}};
    check_segmented(call, segments);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_input(call.in);
    state_->check_buffer("out", call.out);
    state_->check_buffer("segments", segments.region);
    const std::vector<shader::dispatch> plan = shader::plan_segmented_scan(request_of(call), state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::flags) = segments.region;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, segmented_workspace_bytes(call.op, call.size));
    state_->carry_out(plan, from, {shader::stage::tile_scan, call.op}, call.user_text);
}

std::uint64_t executor::segmented_workspace_bytes(const shader::operation& op, std::uint64_t size) const {
    return shader::segmented_workspace_bytes(op, size, state_->limits);
}

void executor::run(const axis_call& call) {
    state_->check_operation(call.op);
    const shader::axis_arguments arguments = arguments_of(call);
    const named_region in{"in", {call.in.buffer, arguments.in.first, arguments.in.bytes}};
    const named_region out{"out", {call.out.buffer, arguments.out.first, arguments.out.bytes}};
    forbid_overlap({"options.workspace", call.workspace}, std::array{in, out});
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_input(in.region);
    state_->check_buffer("out", out.region);
    const std::vector<shader::dispatch> plan = shader::plan_axis_scan(arguments.request, state_->limits);
    if (plan.empty()) return;

    resources from{};
    of(from, shader::resource::input) = in.region;
    of(from, shader::resource::output) = out.region;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, shader::axis_workspace_bytes(arguments.request, state_->limits));
    state_->carry_out(plan, from, {shader::stage::tile_scan, call.op}, call.user_text);
}

std::uint64_t executor::axis_workspace_bytes(const axis_call& call) const {
    return shader::axis_workspace_bytes(arguments_of(call).request, state_->limits);
}

void executor::compile(const axis_call& call) {
    state_->check_operation(call.op);
    state_->compile_form(shader::form::axis, call.op, call.user_text);
}

void executor::compile(const segmented_call& call) {
    state_->check_operation(call.op);
    state_->compile_form(shader::form::segments, call.op, call.user_text);
}

void executor::run(const compact_call& call) {
    check_compact(call);
    state_->programs.check_text(call.user_text);
    const saved_state saved(state_->gl, UPSWEEP_BINDINGS);
    state_->check_buffer("in", call.in);
    state_->check_buffer("flags", call.flags);
    state_->check_buffer("out", call.out);
    state_->check_buffer("arguments", call.arguments);
    state_->check_buffer("options.length", call.length);
    const std::vector<shader::dispatch> plan = shader::plan_compact(request_of(call), state_->limits);

    resources from{};
    of(from, shader::resource::input) = call.in;
    of(from, shader::resource::output) = call.out;
    of(from, shader::resource::flags) = call.flags;
    of(from, shader::resource::total) = call.arguments;
    of(from, shader::resource::length) = call.length;
    of(from, shader::resource::workspace) =
        state_->workspace(call.workspace, compact_workspace_bytes(call.size));
    state_->carry_out(plan, from, {}, call.user_text);
}

void executor::compile(const scan_call& call) {
    state_->check_operation(call.op);
    state_->programs.check_text(call.user_text);
    shader::scan_request request = request_of(call);
    const saved_state saved(state_->gl, 0);
    // One tile, and with every stage.
    for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{1} << 28}) {
        request.length = length;
        for (const shader::dispatch& next : shader::plan_scan(request, state_->limits))
            state_->program(next, key_of(call), call.user_text);
    }
}

std::uint32_t executor::add_operator(const shader::operation& op, std::string text) {
    return state_->programs.add_text(std::move(text), {shader::stage::tile_scan, op});
}
std::uint32_t executor::add_items(std::string text) {
    return state_->programs.add_text(std::move(text), {shader::stage::vote});
}

}  // namespace upsweep::gl
