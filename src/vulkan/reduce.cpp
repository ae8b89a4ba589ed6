// Totals: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/reduce.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan::detail {
namespace {

void check_buffers(const reduce_arguments& given) {
    const std::uint64_t size = std::uint64_t{4} * given.op.element_words;
    if (given.element_count != 0) check_buffer("in", given.in.buffer);
    check_buffer("out", given.out.buffer);
    if (given.out.size != size) {
        throw_error(errc::invalid_argument,
                    "out: expected one element, but it has " + std::to_string(given.out.size / size));
    }
    if (given.length.buffer != VK_NULL_HANDLE && given.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
}

shader::scan_request request_of(const reduce_arguments& given) {
    shader::scan_request request;
    request.op = given.op;
    request.length = given.element_count;
    request.has_initial = given.has_initial;
    request.initial = given.initial;
    request.has_total = request.only_total = true;
    request.length_in_buffer = given.length.buffer != VK_NULL_HANDLE;
    request.input_offset = given.in.offset;
    request.workspace_offset = given.workspace.offset;
    request.total_offset = given.out.offset;
    request.length_offset = given.length.offset;
    return request;
}

}  // namespace

commands prepare_reduce(executor& ex, const reduce_arguments& given) {
    executor::state& state = ex.internal();
    check_buffers(given);
    state.check_operation(given.op);
    state.check_shared_memory(given.op, 0);
    const std::vector<shader::dispatch> plan = shader::plan_scan(request_of(given), state.limits);
    const std::uint64_t needed =
        scan_workspace(ex, given.op, given.element_count, scan_algorithm::tree, 0).bytes;
    check_workspace(plan, given.workspace, needed);
    const memory_use in{"in", given.in.buffer, given.in.offset, given.in.size};
    const memory_use out{"out", given.out.buffer, given.out.offset, given.out.size};
    const memory_use workspace{"workspace", given.workspace.buffer, given.workspace.offset, needed};
    const memory_use length{"options.length", given.length.buffer, given.length.offset, 4};
    for (const memory_use& written : {out, workspace}) {
        check_apart(written, in);
        check_apart(written, length);
    }
    check_apart(workspace, out);

    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::input)] = given.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::total)] = given.out.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = given.workspace.buffer;
    buffers[static_cast<std::size_t>(shader::resource::length)] = given.length.buffer;
    return scan_commands(state, plan, given.op, given.user, buffers);
}

}  // namespace upsweep::vulkan::detail
