// Sorting, of all elements or of every segment by itself: arguments checked, planned, and turned into
// commands.
#include "upsweep/vulkan/sort.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan::detail {
namespace {

bool is_same(const memory_use& a, const memory_use& b) {
    return a.buffer == b.buffer && a.offset == b.offset;
}

void check_as_many(const char* name, std::uint64_t count, const char* other, std::uint64_t expected) {
    if (count != expected) {
        throw_error(errc::invalid_argument, std::string(name) + ": expected " + std::to_string(expected) +
                                                " elements, as many as " + other + ", but it has " +
                                                std::to_string(count));
    }
}

struct sort_uses {
    memory_use in, out, values, values_out, workspace, length, described;
};

void check_overlaps(const sort_uses& uses, bool indices) {
    if (indices || !is_same(uses.in, uses.out)) check_apart(uses.out, uses.in);
    if (!is_same(uses.values, uses.values_out)) check_apart(uses.values_out, uses.values);
    check_apart(uses.out, uses.values);
    check_apart(uses.out, uses.length);
    for (const memory_use& other : {uses.in, uses.out, uses.length}) check_apart(uses.values_out, other);
    for (const memory_use& other : {uses.in, uses.out, uses.values, uses.values_out, uses.length})
        check_apart(uses.workspace, other);
    for (const memory_use& written : {uses.out, uses.values_out, uses.workspace})
        check_apart(written, uses.described);
}

std::vector<shader::dispatch> plan_of(const shader::sort_request& request,
                                      const shader::segments<VkBuffer>* given, const shader::limits& device) {
    if (given == nullptr) return shader::plan_sort(request, device);
    return shader::plan_segmented_sort(
        {request, {given->kind, given->key_words, given->floating_keys, given->count, given->offset}},
        device);
}

}  // namespace

commands prepare_sort(executor& on, const sort_arguments& given) {
    executor::state& ex = on.internal();
    const bool pairs = given.shape.output == shader::sort_output::keys_with_values;
    const bool indices = given.shape.output == shader::sort_output::indices;
    const char* const keys_name = pairs ? "keys" : "in";
    const char* const out_name = pairs ? "keys_out" : "out";
    check_bytes(keys_name, given.key_count, given.order.bytes);
    check_as_many(out_name, given.out_count, keys_name, given.key_count);
    check_as_many("values", given.value_count, keys_name, given.key_count);
    check_as_many("values_out", given.values_out_count, keys_name, given.key_count);
    if (pairs) check_bytes("values", given.value_count, std::uint64_t{4} * given.shape.value_words);
    if (given.key_count != 0) {
        check_buffer(keys_name, given.in.buffer);
        check_buffer(out_name, given.out.buffer);
        if (pairs) check_buffer("values", given.values.buffer);
        if (pairs) check_buffer("values_out", given.values_out.buffer);
        if (given.segments != nullptr) check_buffer("segments", given.segments->buffer);
    }
    const buffer_span<const std::uint32_t>& length = given.options.length;
    if (length.buffer != VK_NULL_HANDLE && length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");

    sort_uses uses{{keys_name, given.in.buffer, given.in.offset, given.in.size},
                   {out_name, given.out.buffer, given.out.offset, given.out.size},
                   {"values", given.values.buffer, given.values.offset, given.values.size},
                   {"values_out", given.values_out.buffer, given.values_out.offset, given.values_out.size},
                   {},
                   {"options.length", length.buffer, length.offset, 4},
                   {}};
    if (given.segments != nullptr) {
        const shader::segments<VkBuffer>& segments = *given.segments;
        check_bytes("segments", segments.count, std::uint64_t{4} * segments.key_words);
        uses.described = {"segments", segments.buffer, segments.offset, segments.bytes()};
    }
    shader::sort_request request;
    request.shape = given.shape;
    request.shape.values_in_place = pairs && is_same(uses.values, uses.values_out);
    request.order = given.order;
    request.items = given.key_count;
    request.length_in_buffer = length.buffer != VK_NULL_HANDLE;
    request.keys_in_place = is_same(uses.in, uses.out);
    request.input_offset = given.in.offset;
    request.output_offset = given.out.offset;
    request.values_offset = given.values.offset;
    request.moved_values_offset = given.values_out.offset;
    request.workspace_offset = given.workspace.offset;
    request.length_offset = length.offset;
    const std::vector<shader::dispatch> plan = plan_of(request, given.segments, ex.limits);
    const std::uint64_t needed =
        given.segments != nullptr
            ? shader::segmented_sort_workspace_bytes(request.shape, given.key_count, ex.limits)
            : shader::sort_workspace_bytes(request.shape, given.key_count, ex.limits);
    check_workspace(plan, given.workspace, needed);
    uses.workspace = {"workspace", given.workspace.buffer, given.workspace.offset, needed};
    check_overlaps(uses, indices);

    shader::operation words;
    words.element_words = given.shape.key_words;
    std::vector<commands::state::step> steps;
    for (const shader::dispatch& next : plan) {
        const bool wide =
            !next.counts && shader::takes_keys(next.which) && next.which != shader::stage::sort_gather;
        steps.push_back({next, scan_pipeline(ex, next.which, wide ? words : shader::counts_operation, 0)});
    }
    std::array<VkBuffer, shader::resource_count> buffers{};
    const auto at = [&](shader::resource which) -> VkBuffer& {
        return buffers[static_cast<std::size_t>(which)];
    };
    at(shader::resource::input) = given.in.buffer;
    at(shader::resource::output) = given.out.buffer;
    at(shader::resource::values) = given.values.buffer;
    at(shader::resource::moved_values) = given.values_out.buffer;
    at(shader::resource::workspace) = given.workspace.buffer;
    at(shader::resource::length) = length.buffer;
    at(shader::resource::flags) = uses.described.buffer;
    return commands(
        std::make_unique<commands::state>(ex, ex.layout, VK_NULL_HANDLE, std::move(steps), buffers));
}

workspace_requirements sort_workspace(const executor& ex, const shader::sort_shape& shape, std::uint64_t n) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::sort_workspace_bytes(shape, n, limits), shader::workspace_alignment(limits)};
}

workspace_requirements segmented_sort_workspace(const executor& ex, const shader::sort_shape& shape,
                                                std::uint64_t n) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::segmented_sort_workspace_bytes(shape, n, limits), shader::workspace_alignment(limits)};
}

}  // namespace upsweep::vulkan::detail
