// One result for each segment or run: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/runs.hpp"

#include <array>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan::detail {
namespace {

using shader::run_values;

shader::runs_request request_of(const runs_arguments& given) {
    const shader::segments<VkBuffer>& segments = given.segments;
    shader::runs_request request;
    request.segments = {segments.kind,  segments.key_words, segments.floating_keys,
                        segments.count, segments.offset,    given.described};
    request.length = given.element_count;
    request.length_in_buffer = given.length.buffer != VK_NULL_HANDLE;
    request.values = given.values;
    request.op = given.op;
    request.has_initial = given.has_initial;
    request.initial = given.initial;
    request.record_words = given.record_words;
    request.has_keys = given.has_keys;
    request.room = given.room;
    request.keys_room = given.keys_room;
    request.vertices = given.vertices_per_instance;
    request.group_items = given.items_per_group;
    request.input_offset = given.in.offset;
    request.output_offset = given.out.offset;
    request.keys_offset = given.keys_out.offset;
    request.workspace_offset = given.workspace.offset;
    request.arguments_offset = given.arguments.offset;
    request.length_offset = given.length.offset;
    return request;
}

void check_buffers(const runs_arguments& given) {
    const bool by_offsets = given.segments.kind == shader::segments_by::offsets;
    check_bytes(given.described, given.segments.count, std::uint64_t{4} * given.segments.key_words);
    check_fits("in", given.in.size);
    check_fits(shader::results_name(given.values), given.out.size);
    check_fits(shader::keys_out_name(given.values), given.keys_out.size);
    if (given.element_count != 0 || (by_offsets && given.room != 0))
        check_buffer(given.described, given.segments.buffer);
    if (given.element_count != 0 && (given.values == run_values::totals || given.values == run_values::first))
        check_buffer("in", given.in.buffer);
    if (given.room != 0) check_buffer(shader::results_name(given.values), given.out.buffer);
    if (given.keys_room != 0) check_buffer(shader::keys_out_name(given.values), given.keys_out.buffer);
    if (given.length.buffer != VK_NULL_HANDLE && given.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
    if (by_offsets) return;
    check_buffer("arguments", given.arguments.buffer);
    if (given.arguments.size == 0)
        throw_error(errc::invalid_argument, "arguments: expected one element, but it has none");
}

}  // namespace

commands prepare_runs(executor& ex, const runs_arguments& given) {
    executor::state& state = ex.internal();
    check_buffers(given);
    if (given.values == run_values::totals) {
        state.check_operation(given.op);
        state.check_shared_memory(given.op, 0, shader::form::segments);
    }
    const shader::runs_request request = request_of(given);
    const std::vector<shader::dispatch> plan = shader::plan_runs(request, state.limits);
    const std::uint64_t needed = shader::runs_workspace_bytes(request, state.limits);
    check_workspace(plan, given.workspace, needed);
    const std::array<memory_use, 7> uses{{
        {shader::results_name(given.values), given.out.buffer, given.out.offset, given.out.size},
        {shader::keys_out_name(given.values), given.keys_out.buffer, given.keys_out.offset,
         given.keys_out.size},
        {"arguments", given.arguments.buffer, given.arguments.offset, given.arguments.bytes()},
        {"workspace", given.workspace.buffer, given.workspace.offset, needed},
        {"in", given.in.buffer, given.in.offset, given.in.size},
        {given.described, given.segments.buffer, given.segments.offset, given.segments.bytes()},
        {"options.length", given.length.buffer, given.length.offset, 4},
    }};
    for (std::size_t written = 0; written < 4; ++written) {
        for (std::size_t other = written + 1; other < uses.size(); ++other)
            check_apart(uses[written], uses[other]);
    }

    std::array<VkBuffer, shader::resource_count> buffers{};
    const auto at = [&](shader::resource which) -> VkBuffer& {
        return buffers[static_cast<std::size_t>(which)];
    };
    at(shader::resource::input) = given.in.buffer;
    at(shader::resource::output) = given.out.buffer;
    at(shader::resource::flags) = given.segments.buffer;
    at(shader::resource::moved_values) = given.keys_out.buffer;
    at(shader::resource::total) = given.arguments.buffer;
    at(shader::resource::length) = given.length.buffer;
    at(shader::resource::workspace) = given.workspace.buffer;
    return scan_commands(state, plan, given.op, given.user, buffers);
}

workspace_requirements runs_workspace(const executor& ex, const runs_arguments& given) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::runs_workspace_bytes(request_of(given), limits), shader::workspace_alignment(limits)};
}

}  // namespace upsweep::vulkan::detail
