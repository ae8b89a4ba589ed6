// Scans of segments: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/segmented_scan.hpp"

#include <array>
#include <vector>

#include "upsweep/core/arguments.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan::detail {

commands prepare_segmented_scan(executor& ex, const segmented_scan_arguments& given) {
    executor::state& state = ex.internal();
    const shader::segments<VkBuffer>& segments = given.segments;
    shader::segmented_request request;
    request.scan.op = given.op;
    request.scan.length = given.element_count;
    request.scan.exclusive = given.exclusive;
    request.scan.reverse = given.reverse;
    request.scan.has_initial = given.has_initial;
    request.scan.initial = given.initial;
    request.scan.input_offset = given.in.offset;
    request.scan.output_offset = given.out.offset;
    request.scan.workspace_offset = given.workspace.offset;
    request.segments = {segments.kind, segments.key_words, segments.floating_keys, segments.count,
                        segments.offset};

    upsweep::detail::check_sizes(given.element_count, given.out_count);
    if (given.element_count != 0) {
        check_buffer("in", given.in.buffer);
        check_buffer("out", given.out.buffer);
        check_buffer("segments", segments.buffer);
    }
    state.check_operation(given.op);
    state.check_shared_memory(given.op, 0, shader::form::segments);
    const std::vector<shader::dispatch> plan = shader::plan_segmented_scan(request, state.limits);
    const std::uint64_t needed =
        shader::segmented_workspace_bytes(given.op, given.element_count, state.limits);
    check_workspace(plan, given.workspace, needed);
    const memory_use in{"in", given.in.buffer, given.in.offset, given.in.size};
    const memory_use out{"out", given.out.buffer, given.out.offset, given.out.size};
    const memory_use described{"segments", segments.buffer, segments.offset, segments.bytes()};
    const memory_use workspace{"workspace", given.workspace.buffer, given.workspace.offset, needed};
    if (given.op.input != shader::input_type::same || in.offset != out.offset) check_apart(out, in);
    check_apart(out, described);
    for (const memory_use& other : {in, out, described}) check_apart(workspace, other);

    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::input)] = given.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::output)] = given.out.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = given.workspace.buffer;
    buffers[static_cast<std::size_t>(shader::resource::flags)] = segments.buffer;
    return scan_commands(state, plan, given.op, given.user, buffers);
}

workspace_requirements segmented_scan_workspace(const executor& ex, const shader::operation& op,
                                                std::uint64_t length) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::segmented_workspace_bytes(op, length, limits), shader::workspace_alignment(limits)};
}

}  // namespace upsweep::vulkan::detail
