// Histograms: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/histogram.hpp"

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

void check_histogram(const histogram_arguments& given, bool has_length) {
    upsweep::detail::check_counts("counts", given.counts.size, given.bins);
    check_buffer("counts", given.counts.buffer);
    if (has_length && given.options.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
}

commands prepare(executor::state& ex, const bin_stages::state* stages, VkDescriptorSet set,
                 const histogram_arguments& given) {
    shader::histogram_request request;
    request.bounds = given.bounds;
    request.user_bins = stages != nullptr;
    request.bins = given.bins;
    request.length = given.elements;
    request.length_in_buffer = given.options.length.buffer != VK_NULL_HANDLE;
    request.user = given.options.user;
    request.input_offset = given.in.offset;
    request.counts_offset = given.counts.offset;
    request.workspace_offset = given.workspace.offset;
    request.length_offset = given.options.length.offset;

    check_histogram(given, request.length_in_buffer);
    if (stages == nullptr) {
        if (given.elements != 0) check_buffer("in", given.in.buffer);
    } else if (set == VK_NULL_HANDLE) {
        throw_error(errc::invalid_argument, "set: expected a descriptor set");
    }
    shader::bin_plan plan = shader::plan_histogram(request, ex.limits);
    const std::uint64_t needed =
        shader::histogram_workspace_bytes(shader::element_words_of(given.bounds.type), given.bins);
    check_workspace(plan.dispatches, given.workspace, needed);
    const std::array<memory_use, 4> uses{{
        {"counts", given.counts.buffer, given.counts.offset, given.counts.bytes()},
        {"workspace", given.workspace.buffer, given.workspace.offset, plan.table.empty() ? 0 : needed},
        {"in", given.in.buffer, given.in.offset, given.in.size},
        {"options.length", given.options.length.buffer, given.options.length.offset, 4},
    }};
    for (std::size_t written = 0; written < 2; ++written) {
        for (std::size_t other = written + 1; other < uses.size(); ++other)
            check_apart(uses[written], uses[other]);
    }

    std::vector<commands::state::step> steps;
    for (const shader::dispatch& next : plan.dispatches)
        steps.push_back({next, bins_pipeline(ex, next, given.bounds.type, stages)});
    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::input)] = given.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::output)] = given.counts.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = given.workspace.buffer;
    buffers[static_cast<std::size_t>(shader::resource::length)] = given.options.length.buffer;
    return commands(std::make_unique<commands::state>(ex, stages == nullptr ? ex.layout : stages->layout, set,
                                                      std::move(steps), buffers, std::move(plan.table),
                                                      given.workspace.offset));
}

}  // namespace

commands prepare_histogram(executor& ex, const histogram_arguments& arguments) {
    return prepare(ex.internal(), nullptr, VK_NULL_HANDLE, arguments);
}

workspace_requirements histogram_workspace(const executor& ex, shader::element_type type,
                                           std::uint64_t bins) {
    return {shader::histogram_workspace_bytes(shader::element_words_of(type), bins),
            shader::workspace_alignment(ex.internal().limits),
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
}

}  // namespace detail

commands prepare_histogram_by(const bin_stages& stages, VkDescriptorSet set, std::uint64_t n,
                              const buffer_span<std::uint32_t>& counts, const histogram_options& options) {
    if (counts.size > upsweep::detail::most_bins)
        throw_error(errc::invalid_argument, "counts: expected fewer than 2^32 bins");
    if (counts.size == 0) return {};
    return detail::prepare(stages.internal().ex, &stages.internal(), set,
                           {{}, n, counts.size, {}, counts, {}, options});
}

}  // namespace upsweep::vulkan
