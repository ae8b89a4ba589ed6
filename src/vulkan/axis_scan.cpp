// Scans along an axis: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/axis_scan.hpp"

#include <array>
#include <vector>

#include "shader/axis_arguments.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan::detail {
namespace {

shader::axis_arguments checked(const axis_scan_arguments& given) {
    const auto check = given.only_totals ? shader::check_total_arguments : shader::check_axis_arguments;
    shader::axis_arguments made = check(given.op, {given.in.offset, given.in.shape, given.in.strides},
                                        {given.out.offset, given.out.shape, given.out.strides},
                                        given.in.buffer == given.out.buffer, given.axis);
    made.request.exclusive = given.exclusive;
    made.request.reverse = given.reverse;
    made.request.has_initial = given.has_initial;
    made.request.initial = given.initial;
    made.request.way = given.way;
    made.request.workspace_offset = given.workspace.offset;
    return made;
}

}  // namespace

commands prepare_axis_scan(executor& ex, const axis_scan_arguments& given) {
    executor::state& state = ex.internal();
    const shader::axis_arguments arguments = checked(given);
    if (arguments.in.bytes != 0) check_buffer("in", given.in.buffer);
    if (arguments.out.bytes != 0) check_buffer("out", given.out.buffer);
    state.check_operation(given.op);
    state.check_shared_memory(given.op, 0, shader::form::axis);
    const std::vector<shader::dispatch> plan = shader::plan_axis_scan(arguments.request, state.limits);
    const std::uint64_t needed = shader::axis_workspace_bytes(arguments.request, state.limits);
    check_workspace(plan, given.workspace, needed);
    const memory_use workspace{"workspace", given.workspace.buffer, given.workspace.offset, needed};
    check_apart(workspace, {"in", given.in.buffer, arguments.in.first, arguments.in.bytes});
    check_apart(workspace, {"out", given.out.buffer, arguments.out.first, arguments.out.bytes});

    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::input)] = given.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::output)] = given.out.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = given.workspace.buffer;
    return scan_commands(state, plan, given.op, given.user, buffers);
}

workspace_requirements axis_scan_workspace(const executor& ex, const axis_scan_arguments& given) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::axis_workspace_bytes(checked(given).request, limits),
            shader::workspace_alignment(limits)};
}

}  // namespace upsweep::vulkan::detail
