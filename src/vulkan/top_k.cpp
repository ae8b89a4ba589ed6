// The first k of an order: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/top_k.hpp"

#include <array>
#include <string>
#include <vector>

#include "shader/top_k_plan.hpp"
#include "upsweep/core/arguments.hpp"
#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"

namespace upsweep::vulkan::detail {
namespace {

struct top_k_uses {
    memory_use in, out, values, values_out, workspace, length;
};

// Before anything multiplies counts by sizes.
void check_top_k(const top_k_arguments& given, const top_k_uses& uses) {
    const bool pairs = given.shape.output == shader::sort_output::keys_with_values;
    check_bytes(uses.in.name, given.key_count, given.order.bytes);
    if (given.rows == 1)
        upsweep::detail::check_at_most(uses.out.name, given.out_count, uses.in.name, given.key_count);
    upsweep::detail::check_as_many("values", given.value_count, uses.in.name, given.key_count);
    upsweep::detail::check_as_many("values_out", given.values_out_count, uses.out.name, given.out_count);
    if (pairs) check_bytes("values", given.value_count, std::uint64_t{4} * given.shape.value_words);
    if (given.out_count != 0) {
        check_buffer(uses.in.name, given.in.buffer);
        check_buffer(uses.out.name, given.out.buffer);
        if (pairs) check_buffer("values", given.values.buffer);
        if (pairs) check_buffer("values_out", given.values_out.buffer);
    }
    if (given.options.length.buffer != VK_NULL_HANDLE && given.options.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
}

// Outputs, of each other and of what is read.
void check_outputs(const top_k_uses& uses) {
    for (const memory_use& read : {uses.in, uses.values, uses.length}) {
        check_apart(uses.out, read);
        check_apart(uses.values_out, read);
    }
    check_apart(uses.values_out, uses.out);
    for (const memory_use& other : {uses.in, uses.out, uses.values, uses.values_out, uses.length})
        check_apart(uses.workspace, other);
}

}  // namespace

commands prepare_top_k(executor& on, const top_k_arguments& given) {
    executor::state& ex = on.internal();
    const bool pairs = given.shape.output == shader::sort_output::keys_with_values;
    const buffer_span<const std::uint32_t>& length = given.options.length;
    top_k_uses uses{{pairs ? "keys" : "in", given.in.buffer, given.in.offset, given.in.size},
                    {pairs ? "keys_out" : "out", given.out.buffer, given.out.offset, given.out.size},
                    {"values", given.values.buffer, given.values.offset, given.values.size},
                    {"values_out", given.values_out.buffer, given.values_out.offset, given.values_out.size},
                    {},
                    {"options.length", length.buffer, length.offset, 4}};
    check_top_k(given, uses);
    const auto [row_items, row_wanted] =
        upsweep::detail::check_rows(given.rows, given.key_count, given.out_count);

    shader::top_k_request request;
    request.shape = given.shape;
    request.order = given.order;
    request.rows = given.rows;
    request.items = row_items;
    request.wanted = row_wanted;
    request.length_in_buffer = length.buffer != VK_NULL_HANDLE;
    request.input_offset = given.in.offset;
    request.output_offset = given.out.offset;
    request.values_offset = given.values.offset;
    request.moved_values_offset = given.values_out.offset;
    request.workspace_offset = given.workspace.offset;
    request.length_offset = length.offset;
    const std::vector<shader::dispatch> plan = shader::plan_top_k(request, ex.limits);
    const std::uint64_t needed = shader::top_k_workspace_bytes(request, ex.limits);
    check_workspace(plan, given.workspace, needed);
    uses.workspace = {"workspace", given.workspace.buffer, given.workspace.offset, needed};
    check_outputs(uses);

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
    return scan_commands(ex, plan, {.element_words = given.shape.key_words}, nullptr, buffers);
}

workspace_requirements top_k_workspace(const executor& ex, const shader::sort_shape& shape,
                                       std::uint64_t rows, std::uint64_t n, std::uint64_t k) {
    const shader::limits& limits = ex.internal().limits;
    shader::top_k_request request;
    request.shape = shape;
    request.rows = rows;
    request.items = n;
    request.wanted = k;
    return {shader::top_k_workspace_bytes(request, limits), shader::workspace_alignment(limits)};
}

}  // namespace upsweep::vulkan::detail
