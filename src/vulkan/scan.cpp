// Scans: arguments checked, planned, and turned into commands.
#include "upsweep/vulkan/scan.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/error.hpp"
#include "vulkan/arguments.hpp"
#include "vulkan/modules.hpp"
#include "vulkan/record.hpp"

namespace upsweep::vulkan::detail {
namespace {

shader::algorithm planned(scan_algorithm algorithm) {
    return algorithm == scan_algorithm::tree ? shader::algorithm::tree : shader::algorithm::blelloch;
}

bool is_blelloch(shader::stage which) {
    return which == shader::stage::blelloch_scan || which == shader::stage::blelloch_add;
}

// A stage's module of an operator of the caller's.
std::span<const std::uint32_t> user_module(const user_operator& user, shader::stage which,
                                           shader::form shape) {
    using shader::stage;
    constexpr std::size_t first = 4;  // of those that not every form has, behind tile_totals to tile_scan
    const auto place = static_cast<std::size_t>(which);
    switch (which) {
        case stage::lane_scan:
            return user.axis_modules[first];
        case stage::segment_totals:
            return user.segment_modules[first + 1];
        case stage::look_back_totals:
            return user.segment_modules[first + 2];
        case stage::fill_empty:
            return user.segment_modules[first + 3];
        case stage::look_back_scan:
            return shape == shader::form::segments ? user.segment_modules[first] : user.modules[first];
        case stage::blelloch_scan:
            return user.modules[first + 1];
        case stage::blelloch_add:
            return user.modules[first + 2];
        default:
            return shape == shader::form::sequence ? user.modules.at(place)
                   : shape == shader::form::axis   ? user.axis_modules.at(place)
                                                   : user.segment_modules.at(place);
    }
}

}  // namespace

VkPipeline scan_pipeline(executor::state& ex, shader::stage which, const shader::operation& op,
                         std::uint32_t blelloch_size, shader::form shape) {
    const auto module = module_of(which, op, shape, ex.subgroups);
    const bool subgroups = module.data() != module_of(which, op, shape, false).data();
    const shader::input_type input = shader::loads_elements(which) ? op.input : shader::input_type::same;
    return ex.pipeline(
        module,
        {static_cast<std::int32_t>(op.type), static_cast<std::int32_t>(op.line), shader::traits_of(op),
         is_blelloch(which) ? blelloch_size : 0, op.type == shader::element_type::float64 && !op.exact,
         static_cast<std::int32_t>(input)},
        subgroups);
}

VkPipeline scan_pipeline(executor::state& ex, const shader::dispatch& next, const shader::operation& op,
                         const user_operator* user, std::uint32_t blelloch_size) {
    if (next.counts) return scan_pipeline(ex, next.which, shader::counts_operation, blelloch_size);
    if (user == nullptr || shader::knows_no_elements(next.which))
        return scan_pipeline(ex, next.which, op, blelloch_size, next.shape);
    return ex.pipeline(user_module(*user, next.which, next.shape),
                       {0, 0, 0, is_blelloch(next.which) ? blelloch_size : 0}, false);
}

commands scan_commands(executor::state& ex, const std::vector<shader::dispatch>& plan,
                       const shader::operation& op, const user_operator* user,
                       const std::array<VkBuffer, shader::resource_count>& buffers,
                       std::uint32_t blelloch_size) {
    std::vector<commands::state::step> steps;
    steps.reserve(plan.size());
    for (const shader::dispatch& next : plan)
        steps.push_back({next, scan_pipeline(ex, next, op, user, blelloch_size)});
    return commands(
        std::make_unique<commands::state>(ex, ex.layout, VK_NULL_HANDLE, std::move(steps), buffers));
}

commands prepare_scan(executor& executor, const scan_arguments& arguments) {
    executor::state& ex = executor.internal();
    const bool tree = arguments.algorithm == scan_algorithm::tree;
    const std::uint64_t element_bytes = std::uint64_t{4} * arguments.op.element_words;

    shader::scan_request request;
    request.op = arguments.op;
    request.length = arguments.element_count;
    request.exclusive = arguments.exclusive;
    request.reverse = arguments.reverse;
    request.has_initial = arguments.has_initial;
    request.initial = arguments.initial;
    request.has_total = arguments.total.buffer != VK_NULL_HANDLE;
    request.length_in_buffer = arguments.length.buffer != VK_NULL_HANDLE;
    request.how = planned(arguments.algorithm);
    request.blelloch_size = arguments.work_group_size;
    request.input_offset = arguments.in.offset;
    request.output_offset = arguments.out.offset;
    request.workspace_offset = arguments.workspace.offset;
    request.total_offset = arguments.total.offset;
    request.length_offset = arguments.length.offset;

    if (arguments.out_count != arguments.element_count) {
        throw_error(errc::invalid_argument, "out: expected " + std::to_string(arguments.element_count) +
                                                " elements, as many as in, but it has " +
                                                std::to_string(arguments.out_count));
    }
    if (arguments.element_count != 0) {
        check_buffer("in", arguments.in.buffer);
        check_buffer("out", arguments.out.buffer);
    }
    if (request.has_total && arguments.total.size < element_bytes)
        throw_error(errc::invalid_argument, "options.total: expected one element, but it has none");
    if (request.length_in_buffer && arguments.length.size == 0)
        throw_error(errc::invalid_argument, "options.length: expected one word, but it has none");
    ex.check_operation(arguments.op);
    ex.check_shared_memory(arguments.op, tree ? 0 : arguments.work_group_size);
    const std::vector<shader::dispatch> plan = shader::plan_scan(request, ex.limits);

    const std::uint64_t needed = shader::scan_workspace_bytes(
        arguments.op, arguments.element_count, request.how, arguments.work_group_size, ex.limits);
    check_workspace(plan, arguments.workspace, needed);
    const memory_use in{"in", arguments.in.buffer, arguments.in.offset, arguments.in.size};
    const memory_use out{"out", arguments.out.buffer, arguments.out.offset, arguments.out.size};
    const memory_use workspace{"workspace", arguments.workspace.buffer, arguments.workspace.offset, needed};
    const memory_use total{"options.total", arguments.total.buffer, arguments.total.offset, element_bytes};
    const memory_use length{"options.length", arguments.length.buffer, arguments.length.offset, 4};
    if (arguments.op.input != shader::input_type::same || in.offset != out.offset) check_apart(out, in);
    for (const memory_use& written : {workspace, total}) {
        check_apart(written, in);
        check_apart(written, out);
        check_apart(written, length);
    }
    check_apart(total, workspace);
    check_apart(out, length);

    std::array<VkBuffer, shader::resource_count> buffers{};
    buffers[static_cast<std::size_t>(shader::resource::input)] = arguments.in.buffer;
    buffers[static_cast<std::size_t>(shader::resource::output)] = arguments.out.buffer;
    buffers[static_cast<std::size_t>(shader::resource::workspace)] = arguments.workspace.buffer;
    buffers[static_cast<std::size_t>(shader::resource::total)] = arguments.total.buffer;
    buffers[static_cast<std::size_t>(shader::resource::length)] = arguments.length.buffer;
    return scan_commands(ex, plan, arguments.op, arguments.user, buffers, arguments.work_group_size);
}

workspace_requirements scan_workspace(const executor& ex, const shader::operation& op, std::uint64_t length,
                                      scan_algorithm algorithm, std::uint32_t work_group_size) {
    const shader::limits& limits = ex.internal().limits;
    return {shader::scan_workspace_bytes(op, length, planned(algorithm), work_group_size, limits),
            shader::workspace_alignment(limits)};
}

shader::operation operation_of(const user_operator& op, std::size_t element_bytes) {
    if (element_bytes != std::size_t{4} * op.element_words) {
        throw_error(errc::invalid_argument, "T: expected an element of " +
                                                std::to_string(4 * op.element_words) +
                                                " bytes, as the operator was compiled for, but it has " +
                                                std::to_string(element_bytes));
    }
    shader::operation made;
    made.element_words = op.element_words;
    made.exact = op.exact;
    made.neutral = op.neutral;
    made.commutative = op.commutative;
    made.has_identity = op.has_identity;
    return made;
}

}  // namespace upsweep::vulkan::detail
