// Compaction and partition: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/compact.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/modules.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan {

class item_stages::state {
  public:
    state(executor::state& executor, const user_items& items, VkDescriptorSetLayout callers)
        : ex(executor), layout(executor.make_layout(callers)) {
        const bool subgroups = ex.subgroups && !items.vote_subgroups.empty();
        try {
            vote = ex.make_pipeline(subgroups ? items.vote_subgroups : items.vote, {}, subgroups, layout);
            compact = ex.make_pipeline(items.compact, {}, false, layout);
        } catch (...) {
            destroy();
            throw;
        }
    }
    ~state() { destroy(); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    executor::state& ex;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline vote = VK_NULL_HANDLE;
    VkPipeline compact = VK_NULL_HANDLE;

  private:
    void destroy() const {
        ex.vk.DestroyPipeline(ex.handles.device, vote, ex.options.allocator);
        ex.vk.DestroyPipeline(ex.handles.device, compact, ex.options.allocator);
        ex.vk.DestroyPipelineLayout(ex.handles.device, layout, ex.options.allocator);
    }
};

item_stages::item_stages(executor& ex, const user_items& items, VkDescriptorSetLayout layout) {
    if (items.vote.empty() || items.compact.empty())
        throw_error(errc::invalid_argument, "items: expected SPIR-V of vote and compact");
    if (layout == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "layout: expected a descriptor set layout");
    state_ = std::make_unique<state>(ex.internal(), items, layout);
}
item_stages::~item_stages() = default;

namespace detail {
namespace {

commands prepare(executor::state& ex, const item_stages::state* stages, VkDescriptorSet set,
                 const compact_arguments& given) {
    const compact_options& options = given.options;
    shader::compact_request request;
    request.items = given.items;
    request.length_in_buffer = options.length.buffer != VK_NULL_HANDLE;
    request.partition = given.partition;
    request.user_items = stages != nullptr;
    request.record_words = static_cast<std::uint32_t>(given.record_bytes / 4);
    request.capacity = options.maximum;
    if (stages == nullptr)
        request.capacity =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(options.maximum, given.out_count));
    request.vertices = options.vertices_per_instance;
    request.group_items = options.items_per_group;
    request.user = options.user;
    request.flags_offset = given.flags.offset;
    request.input_offset = given.in.offset;
    request.output_offset = given.out.offset;
    request.workspace_offset = given.workspace.offset;
    request.arguments_offset = given.arguments.offset;
    request.length_offset = options.length.offset;

    if (stages == nullptr) {
        if (given.flags.size != given.items) {
            throw_error(errc::invalid_argument, "flags: expected " + std::to_string(given.items) +
                                                    " elements, as many as in, but it has " +
                                                    std::to_string(given.flags.size));
        }
        if (given.partition && given.out_count != given.items) {
            throw_error(errc::invalid_argument, "out: expected " + std::to_string(given.items) +
                                                    " elements, as many as in, but it has " +
                                                    std::to_string(given.out_count));
        }
        if (given.items != 0) {
            check_buffer("flags", given.flags.buffer);
            if (given.record_bytes != 0) check_buffer("in", given.in.buffer);
            if (request.capacity != 0) check_buffer("out", given.out.buffer);
        }
    } else if (set == VK_NULL_HANDLE) {
        throw_error(errc::invalid_argument, "set: expected a descriptor set");
    }
    check_buffer("arguments", given.arguments.buffer);
    if (given.arguments.size == 0)
        throw_error(errc::invalid_argument, "arguments: expected one element, but it has none");
    if (request.length_in_buffer && options.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");

    const std::vector<shader::dispatch> plan = shader::plan_compact(request, ex.limits);
    const std::uint64_t needed = shader::compact_workspace_bytes(given.items, ex.limits);
    check_workspace(plan, given.workspace, needed);
    const std::array<memory_use, 6> uses{{
        {"out", given.out.buffer, given.out.offset, given.out.size},
        {"arguments", given.arguments.buffer, given.arguments.offset, sizeof(indirect_arguments)},
        {"workspace", given.workspace.buffer, given.workspace.offset, needed},
        {"in", given.in.buffer, given.in.offset, given.in.size},
        {"flags", given.flags.buffer, given.flags.offset, given.flags.bytes()},
        {"options.length", options.length.buffer, options.length.offset, 4},
    }};
    for (std::size_t written = 0; written < 3; ++written) {
        for (std::size_t other = written + 1; other < uses.size(); ++other)
            check_apart(uses[written], uses[other]);
    }

    std::vector<commands::state::step> steps;
    for (const shader::dispatch& next : plan) {
        VkPipeline pipeline = VK_NULL_HANDLE;
        if (next.counts)
            pipeline = scan_pipeline(ex, next.which, shader::counts_operation, 0);
        else if (stages != nullptr)
            pipeline = next.which == shader::stage::vote ? stages->vote : stages->compact;
        else
            pipeline = scan_pipeline(ex, next.which, shader::counts_operation, 0);
        steps.push_back({next, pipeline});
    }
    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::flags)] = given.flags.buffer;
    buffers[static_cast<std::size_t>(shader::resource::input)] = given.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::output)] = given.out.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = given.workspace.buffer;
    buffers[static_cast<std::size_t>(shader::resource::total)] = given.arguments.buffer;
    buffers[static_cast<std::size_t>(shader::resource::length)] = options.length.buffer;
    return commands(std::make_unique<commands::state>(ex, stages == nullptr ? ex.layout : stages->layout, set,
                                                      std::move(steps), buffers));
}

compact_arguments of_indices(bool partition, const buffer_span<const std::uint32_t>& flags,
                             const buffer_span<std::uint32_t>& out,
                             const buffer_span<indirect_arguments>& arguments,
                             const workspace_span& workspace, const compact_options& options) {
    return {partition, flags.size, 0,         flags,  {}, {out.buffer, out.bytes(), out.offset},
            out.size,  arguments,  workspace, options};
}
compact_arguments of_items(bool partition, std::uint64_t n, const buffer_span<indirect_arguments>& arguments,
                           const workspace_span& workspace, const compact_options& options) {
    return {partition, n, 0, {}, {}, {}, 0, arguments, workspace, options};
}

}  // namespace

commands prepare_compact(executor& ex, const compact_arguments& arguments) {
    return prepare(ex.internal(), nullptr, VK_NULL_HANDLE, arguments);
}
commands prepare_compact(const item_stages& stages, VkDescriptorSet set, const compact_arguments& arguments) {
    return prepare(stages.internal().ex, &stages.internal(), set, arguments);
}

}  // namespace detail

workspace_requirements compact_workspace(const executor& ex, std::uint64_t n) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::compact_workspace_bytes(n, limits), shader::workspace_alignment(limits)};
}

commands prepare_compact_indices(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                 const buffer_span<std::uint32_t>& out,
                                 const buffer_span<indirect_arguments>& arguments,
                                 const workspace_span& workspace, const compact_options& options) {
    return detail::prepare_compact(ex, detail::of_indices(false, flags, out, arguments, workspace, options));
}
commands prepare_partition_indices(executor& ex, const buffer_span<const std::uint32_t>& flags,
                                   const buffer_span<std::uint32_t>& out,
                                   const buffer_span<indirect_arguments>& arguments,
                                   const workspace_span& workspace, const compact_options& options) {
    return detail::prepare_compact(ex, detail::of_indices(true, flags, out, arguments, workspace, options));
}
commands prepare_compact(const item_stages& stages, VkDescriptorSet set, std::uint64_t n,
                         const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                         const compact_options& options) {
    return detail::prepare_compact(stages, set, detail::of_items(false, n, arguments, workspace, options));
}
commands prepare_partition(const item_stages& stages, VkDescriptorSet set, std::uint64_t n,
                           const buffer_span<indirect_arguments>& arguments, const workspace_span& workspace,
                           const compact_options& options) {
    return detail::prepare_compact(stages, set, detail::of_items(true, n, arguments, workspace, options));
}

}  // namespace upsweep::vulkan
