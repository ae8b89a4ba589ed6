// Elements repeated: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/repeat.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan {
namespace detail {
namespace {

const char* counts_name(const repeat_arguments& given) { return given.by_offsets ? "segments" : "counts"; }

void check_buffers(const repeat_arguments& given) {
    check_fits("in", given.in.size);
    check_fits("out", given.out.size);
    if (given.counts.size != 0) check_buffer(counts_name(given), given.counts.buffer);
    if (given.elements != 0 && given.record_bytes != 0) check_buffer("in", given.in.buffer);
    if (given.room != 0) check_buffer("out", given.out.buffer);
    check_buffer("arguments", given.arguments.buffer);
    if (given.arguments.size == 0)
        throw_error(errc::invalid_argument, "arguments: expected one element, but it has none");
    const buffer_span<const std::uint32_t>& length = given.options.length;
    if (length.buffer != VK_NULL_HANDLE && length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
}

shader::repeat_request request_of(const repeat_arguments& given) {
    shader::repeat_request request;
    request.elements = given.elements;
    request.length_in_buffer = given.options.length.buffer != VK_NULL_HANDLE;
    request.by_offsets = given.by_offsets;
    request.counts = given.counts.size;
    request.record_words = static_cast<std::uint32_t>(given.record_bytes / 4);
    request.room = given.room;
    request.vertices = given.options.vertices_per_instance;
    request.group_items = given.options.items_per_group;
    request.input_offset = given.in.offset;
    request.counts_offset = given.counts.offset;
    request.output_offset = given.out.offset;
    request.workspace_offset = given.workspace.offset;
    request.arguments_offset = given.arguments.offset;
    request.length_offset = given.options.length.offset;
    return request;
}

}  // namespace

commands prepare_repeat(executor& ex, const repeat_arguments& given) {
    executor::state& state = ex.internal();
    check_buffers(given);
    const std::vector<shader::dispatch> plan = shader::plan_repeat(request_of(given), state.limits);
    const std::uint64_t needed =
        given.by_offsets ? 0 : shader::repeat_workspace_bytes(given.elements, state.limits);
    check_workspace(plan, given.workspace, needed);
    const buffer_span<const std::uint32_t>& length = given.options.length;
    const std::array<memory_use, 6> uses{{
        {"out", given.out.buffer, given.out.offset, given.out.size},
        {"arguments", given.arguments.buffer, given.arguments.offset, given.arguments.bytes()},
        {"workspace", given.workspace.buffer, given.workspace.offset, needed},
        {"in", given.in.buffer, given.in.offset, given.in.size},
        {counts_name(given), given.counts.buffer, given.counts.offset, given.counts.bytes()},
        {"options.length", length.buffer, length.offset, 4},
    }};
    for (std::size_t written = 0; written < 3; ++written) {
        for (std::size_t other = written + 1; other < uses.size(); ++other)
            check_apart(uses[written], uses[other]);
    }

    std::vector<commands::state::step> steps;
    steps.reserve(plan.size());
    for (const shader::dispatch& next : plan)
        steps.push_back({next, scan_pipeline(state, next.which, shader::counts_operation, 0)});
    std::array<VkBuffer, shader::resource_count> buffers{};
    const auto at = [&](shader::resource which) -> VkBuffer& {
        return buffers[static_cast<std::size_t>(which)];
    };
    at(shader::resource::input) = given.in.buffer;
    at(shader::resource::output) = given.out.buffer;
    at(shader::resource::flags) = given.counts.buffer;
    at(shader::resource::total) = given.arguments.buffer;
    at(shader::resource::length) = length.buffer;
    at(shader::resource::workspace) = given.workspace.buffer;
    return commands(
        std::make_unique<commands::state>(state, state.layout, VK_NULL_HANDLE, std::move(steps), buffers));
}

namespace {

commands prepare_indices(executor& ex, std::uint64_t elements, bool by_offsets,
                         const buffer_span<const std::uint32_t>& counts,
                         const buffer_span<std::uint32_t>& out,
                         const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                         const repeat_options& options) {
    return prepare_repeat(ex, {elements,
                               0,
                               by_offsets,
                               counts,
                               {},
                               {out.buffer, out.bytes(), out.offset},
                               out.size,
                               arguments,
                               workspace,
                               options});
}

}  // namespace
}  // namespace detail

workspace_requirements repeat_workspace(const executor& ex, std::uint64_t n) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::repeat_workspace_bytes(n, limits), shader::workspace_alignment(limits)};
}

commands prepare_repeat_indices(executor& ex, const buffer_span<const std::uint32_t>& counts,
                                const buffer_span<std::uint32_t>& out,
                                const buffer_span<indirect_arguments>& arguments,
                                const workspace_span& workspace, const repeat_options& options) {
    return detail::prepare_indices(ex, counts.size, false, counts, out, arguments, workspace, options);
}
commands prepare_repeat_indices(executor& ex, const by_offsets& segments,
                                const buffer_span<std::uint32_t>& out,
                                const buffer_span<indirect_arguments>& arguments,
                                const repeat_options& options) {
    const buffer_span<const std::uint32_t> offsets = detail::offsets_of(segments);
    return detail::prepare_indices(ex, offsets.size == 0 ? 0 : offsets.size - 1, true, offsets, out,
                                   arguments, {}, options);
}

}  // namespace upsweep::vulkan
