// The plan of a repetition: by counts their exclusive scan, and then the stage that looks up each result's
// element.
#include <algorithm>
#include <string>

#include "shader/plan-inl.hpp"
#include "upsweep/core/arguments.hpp"

namespace upsweep::shader {
namespace {

// Bytes within the workspace: the offsets that counts become, one more than there are elements; the scan's.
struct repeat_layout {
    std::uint64_t scan;
    std::uint64_t bytes;
};
repeat_layout repeat_layout_of(std::uint64_t elements, const limits& device) {
    const std::uint64_t scan = round_up(4 * (elements + 1), alignment_of(device));
    return {scan, scan + counts_scan_bytes(elements, device)};
}

bound_range bind_words(resource from, const char* what, std::uint64_t offset, std::uint64_t words,
                       const limits& device) {
    const bound_range bound = bind(from, offset, words, 4, device);
    if (bound.range.bytes > largest_binding(device)) throw_bytes(what, bound.range.bytes, device);
    return bound;
}

// The counts become offsets in the workspace, behind which their sum stands.
void append_offsets(std::vector<dispatch>& made, const repeat_request& request, const limits& device) {
    scan_request scan;
    scan.op = counts_operation;
    scan.length = request.elements;
    scan.exclusive = true;
    scan.has_total = true;
    scan.length_in_buffer = request.length_in_buffer;
    scan.input_offset = request.counts_offset;
    scan.output_offset = request.workspace_offset;
    scan.total_offset = request.workspace_offset + 4 * request.elements;
    scan.workspace_offset = request.workspace_offset + repeat_layout_of(request.elements, device).scan;
    scan.length_offset = request.length_offset;
    for (dispatch& next : plan_scan(scan, device)) {
        for (binding& range : next.bindings) {
            if (range.from == resource::input) range.from = resource::flags;
            if (range.from == resource::output || range.from == resource::total)
                range.from = resource::workspace;
        }
        next.counts = true;
        made.push_back(next);
    }
}

void append_results(std::vector<dispatch>& made, const repeat_request& request, const limits& device) {
    const std::uint64_t words = std::max<std::uint64_t>(1, request.record_words);
    const bound_range offsets =
        request.by_offsets
            ? bind_words(resource::flags, "segments", request.counts_offset, request.elements + 1, device)
            : bind_words(resource::workspace, "workspace", request.workspace_offset, request.elements + 1,
                         device);
    const bound_range arguments = bind(resource::total, request.arguments_offset, UPSWEEP_A_WORDS, 4, device);
    bound_range out = arguments;
    if (request.room != 0)
        out = bind_words(resource::output, "out", request.output_offset, request.room * words, device);
    bound_range in = out;
    if (request.record_words != 0 && request.elements != 0)
        in = bind_words(resource::input, "in", request.input_offset, request.elements * words, device);
    std::uint32_t flags = request.length_in_buffer ? UPSWEEP_F_LENGTH : 0u;
    if (words % 4 == 0 && in.first % 4 == 0 && out.first % 4 == 0) flags |= UPSWEEP_F_VECTORS;

    // One even for no results, which writes the arguments.
    const std::uint64_t groups = std::max<std::uint64_t>(1, divide_up(request.room, repeat_places));
    const std::uint64_t window = most_groups(device);
    builder builder(device, made);
    for (std::uint64_t first = 0; first < groups; first += window) {
        dispatch& next = builder.add(stage::repeat, std::min(window, groups - first), flags);
        next.counts = true;
        next.bindings[UPSWEEP_INPUT] = in.range;
        next.bindings[UPSWEEP_OUTPUT] = out.range;
        next.bindings[UPSWEEP_WORKSPACE] = offsets.range;
        next.bindings[UPSWEEP_TOTAL] = arguments.range;
        next.bindings[UPSWEEP_LENGTH] = offsets.range;
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request.elements);
        next.parameters[UPSWEEP_P_INPUT_FIRST] = in.first;
        next.parameters[UPSWEEP_P_OUTPUT_FIRST] = out.first;
        next.parameters[UPSWEEP_P_OFFSETS_FIRST] = offsets.first;
        next.parameters[UPSWEEP_P_CARRY] = offsets.first + static_cast<std::uint32_t>(request.elements);
        next.parameters[UPSWEEP_P_TOTAL_INDEX] = arguments.first;
        next.parameters[UPSWEEP_P_RECORD_WORDS] = request.record_words;
        next.parameters[UPSWEEP_P_CAPACITY] = static_cast<std::uint32_t>(request.room);
        next.parameters[UPSWEEP_P_VERTICES] = request.vertices;
        next.parameters[UPSWEEP_P_GROUP_ITEMS] = request.group_items;
        next.parameters[UPSWEEP_P_GROUPS_X] = device.groups_x;
        if (!request.length_in_buffer) continue;
        const bound_range length = bind(resource::length, request.length_offset, 1, 4, device);
        next.bindings[UPSWEEP_LENGTH] = length.range;
        next.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
    }
}

void check_repeat(const repeat_request& request, const limits& device) {
    if (request.by_offsets) {
        upsweep::detail::check_offset_count(request.counts);
        if (request.counts != request.elements + 1) {
            throw_error(errc::invalid_argument, "segments: expected " + std::to_string(request.elements + 1) +
                                                    " offsets, one more than elements of in, but there are " +
                                                    std::to_string(request.counts));
        }
    } else {
        upsweep::detail::check_as_many("counts", request.counts, "in", request.elements);
    }
    if (request.elements >= words_limit) {
        throw_error(errc::unsupported,
                    std::string(request.by_offsets ? "segments" : "counts") +
                        ": expected fewer than 4294967296 elements, whose numbers are 32-bit words, but "
                        "there are " +
                        std::to_string(request.elements));
    }
    check_offset("in", request.input_offset, 4);
    check_offset(request.by_offsets ? "segments" : "counts", request.counts_offset, 4);
    check_offset("out", request.output_offset, 4);
    check_offset("arguments", request.arguments_offset, 4);
    if (!request.by_offsets) check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) {
        check_offset("options.length", request.length_offset, 4);
        if (request.by_offsets) {
            throw_error(errc::invalid_argument,
                        "options.length: expected none with offsets, which say how many elements there are");
        }
    }
    if (request.group_items == 0)
        throw_error(errc::invalid_argument, "options.items_per_group: expected at least 1, but it is 0");
}

}  // namespace

std::uint64_t repeat_workspace_bytes(std::uint64_t elements, const limits& device) {
    return repeat_layout_of(elements, device).bytes;
}

std::vector<dispatch> plan_repeat(const repeat_request& request, const limits& device) {
    check_repeat(request, device);
    std::vector<dispatch> made;
    if (!request.by_offsets) append_offsets(made, request, device);
    append_results(made, request, device);
    return made;
}

}  // namespace upsweep::shader
