// Extraction of bins: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/bins.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "shader/bin_table.hpp"
#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/bin_stages.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan {
namespace detail {
namespace {

void check_bins(const bins_arguments& given) {
    upsweep::detail::check_counts("offsets", given.offsets.size, given.bins + 1);
    check_buffer("offsets", given.offsets.buffer);
    const buffer_span<const std::uint32_t>& length = given.options.length;
    if (length.buffer != VK_NULL_HANDLE && length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
    // So many bytes fit no buffer, and no 64-bit number.
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    if (given.items > most / std::max<std::uint64_t>(8, given.record_bytes)) {
        throw_error(errc::invalid_argument, "in: expected fewer than 2^62 bytes, but it has " +
                                                std::to_string(given.items) + " elements");
    }
}

commands prepare(executor::state& ex, const bin_stages::state* stages, VkDescriptorSet set,
                 const bins_arguments& given) {
    const buffer_span<const std::uint32_t>& length = given.options.length;
    shader::bins_request request;
    request.bounds = given.bounds;
    request.user_bins = stages != nullptr;
    request.bins = given.bins;
    request.items = given.items;
    request.length_in_buffer = length.buffer != VK_NULL_HANDLE;
    request.record_words = static_cast<std::uint32_t>(given.record_bytes / 4);
    request.room = given.out_count;
    request.user = given.options.user;
    request.input_offset = given.in.offset;
    request.output_offset = given.out.offset;
    request.offsets_offset = given.offsets.offset;
    request.workspace_offset = given.workspace.offset;
    request.length_offset = length.offset;

    check_bins(given);
    const bool reads_input = stages == nullptr || given.record_bytes != 0;
    if (given.items != 0 && reads_input) check_buffer("in", given.in.buffer);
    if (given.items != 0 && given.out_count != 0) check_buffer("out", given.out.buffer);
    if (stages != nullptr && set == VK_NULL_HANDLE)
        throw_error(errc::invalid_argument, "set: expected a descriptor set");
    shader::bin_plan plan = shader::plan_bins(request, ex.limits);
    const std::uint32_t table_words = stages != nullptr ? 0 : shader::element_words_of(given.bounds.type);
    const std::uint64_t needed =
        shader::bins_workspace_bytes(table_words, given.bins, given.items, ex.limits);
    check_workspace(plan.dispatches, given.workspace, needed);
    const std::array<memory_use, 5> uses{{
        {"out", given.out.buffer, given.out.offset, given.out.size},
        {"offsets", given.offsets.buffer, given.offsets.offset, given.offsets.bytes()},
        {"workspace", given.workspace.buffer, given.workspace.offset, given.items == 0 ? 0 : needed},
        {"in", given.in.buffer, given.in.offset, given.in.size},
        {"options.length", length.buffer, length.offset, 4},
    }};
    for (std::size_t written = 0; written < 3; ++written) {
        for (std::size_t other = written + 1; other < uses.size(); ++other)
            check_apart(uses[written], uses[other]);
    }

    std::vector<commands::state::step> steps;
    for (const shader::dispatch& next : plan.dispatches)
        steps.push_back({next, bins_pipeline(ex, next, given.bounds.type, stages)});
    std::array<VkBuffer, shader::resource_count> buffers{};
    const auto at = [&](shader::resource which) -> VkBuffer& {
        return buffers[static_cast<std::size_t>(which)];
    };
    at(shader::resource::input) = given.in.buffer;
    at(shader::resource::output) = given.out.buffer;
    at(shader::resource::total) = given.offsets.buffer;
    at(shader::resource::workspace) = given.workspace.buffer;
    at(shader::resource::length) = length.buffer;
    return commands(std::make_unique<commands::state>(ex, stages == nullptr ? ex.layout : stages->layout, set,
                                                      std::move(steps), buffers, std::move(plan.table),
                                                      given.workspace.offset));
}

// The commands write the table as a copy does, if there is one.
workspace_requirements requirements(const executor::state& ex, std::uint64_t bytes, bool has_table) {
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (has_table) usage |= VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    return {bytes, shader::workspace_alignment(ex.limits), usage};
}

}  // namespace

commands prepare_bins(executor& ex, const bins_arguments& arguments) {
    return prepare(ex.internal(), nullptr, VK_NULL_HANDLE, arguments);
}
commands prepare_bins(const bin_stages& stages, VkDescriptorSet set, const bins_arguments& arguments) {
    return prepare(stages.internal().ex, &stages.internal(), set, arguments);
}
workspace_requirements bins_workspace(const executor& ex, shader::element_type type, std::uint64_t bins,
                                      std::uint64_t n) {
    const executor::state& state = ex.internal();
    return requirements(
        state, shader::bins_workspace_bytes(shader::element_words_of(type), bins, n, state.limits), true);
}

}  // namespace detail

workspace_requirements bins_by_workspace(const executor& ex, std::uint64_t bins, std::uint64_t n) {
    const executor::state& state = ex.internal();
    return detail::requirements(state, shader::bins_workspace_bytes(0, bins, n, state.limits), false);
}

commands prepare_bin_indices_by(const bin_stages& stages, VkDescriptorSet set, std::uint64_t n,
                                const buffer_span<std::uint32_t>& out,
                                const buffer_span<std::uint32_t>& offsets, const workspace_span& workspace,
                                const bins_options& options) {
    return detail::prepare_bins(stages, set,
                                {{},
                                 n,
                                 upsweep::detail::bins_of_offsets(offsets.size),
                                 0,
                                 {},
                                 {out.buffer, out.bytes(), out.offset},
                                 out.size,
                                 offsets,
                                 workspace,
                                 options});
}

}  // namespace upsweep::vulkan
