// The plan of a compaction: vote, the scan of the counts, compact.
#include <algorithm>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {
namespace {

// Bytes within the workspace: a count for each tile, the scan of the counts, how many were found, the votes.
struct compact_layout {
    std::uint64_t tiles;
    std::uint64_t scan;
    std::uint64_t found;
    std::uint64_t votes;
    std::uint64_t bytes;
};

compact_layout compact_layout_of(std::uint64_t items, const limits& device) {
    compact_layout layout{};
    layout.tiles = divide_up(items, tile_elements);
    layout.scan = round_up(layout.tiles * 4, alignment_of(device));
    layout.found = layout.scan + counts_scan_bytes(layout.tiles, device);
    layout.votes = layout.found + 4;
    layout.bytes = layout.votes + layout.tiles * vote_words * 4;
    return layout;
}

}  // namespace

std::uint64_t compact_workspace_bytes(std::uint64_t items, const limits& device) {
    return compact_layout_of(items, device).bytes;
}

std::vector<dispatch> plan_compact(const compact_request& request, const limits& device) {
    if (request.items >= words_limit) {
        throw_error(errc::unsupported,
                    "items: expected fewer than 4294967296, because counts for indirect draws are 32-bit, "
                    "but there are " +
                        std::to_string(request.items));
    }
    check_offset("flags", request.flags_offset, 4);
    check_offset("in", request.input_offset, 4);
    check_offset("out", request.output_offset, 4);
    check_offset("arguments", request.arguments_offset, 4);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    if (request.length_in_buffer) check_offset("options.length", request.length_offset, 4);
    if (request.group_items == 0)
        throw_error(errc::invalid_argument, "options.group_items: expected at least 1, but it is 0");

    const compact_layout layout = compact_layout_of(request.items, device);
    if (layout.bytes > largest_binding(device)) throw_bytes("workspace", layout.bytes, device);
    const binding workspace{resource::workspace, request.workspace_offset, layout.bytes};
    const auto bind_words = [&](resource from, const char* what, std::uint64_t offset, std::uint64_t words) {
        const bound_range bound = bind(from, offset, words, 4, device);
        if (bound.range.bytes > largest_binding(device)) throw_bytes(what, bound.range.bytes, device);
        return bound;
    };
    const auto common = [&](dispatch& next, std::uint64_t first_tile) {
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(request.items);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first_tile);
        next.parameters[UPSWEEP_P_SUPERS] = static_cast<std::uint32_t>(layout.votes / 4);
        next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(layout.found / 4);
        std::copy(request.user.begin(), request.user.end(), next.parameters.begin() + UPSWEEP_P_USER);
        next.bindings[UPSWEEP_WORKSPACE] = workspace;
        next.bindings[UPSWEEP_LENGTH] = workspace;
        if (!request.length_in_buffer) return;
        const bound_range length = bind(resource::length, request.length_offset, 1, 4, device);
        next.bindings[UPSWEEP_LENGTH] = length.range;
        next.parameters[UPSWEEP_P_LENGTH_INDEX] = length.first;
    };
    const std::uint32_t flags = request.length_in_buffer ? UPSWEEP_F_LENGTH : 0u;

    std::vector<dispatch> made;
    builder builder(device, made);
    const std::uint64_t window = most_groups(device);
    for (std::uint64_t first = 0; first < layout.tiles; first += window) {
        dispatch& next = builder.add(stage::vote, std::min(window, layout.tiles - first), flags);
        common(next, first);
        if (request.user_items) continue;
        const bound_range chosen = bind_words(resource::flags, "flags", request.flags_offset, request.items);
        next.bindings[UPSWEEP_INPUT] = chosen.range;
        next.parameters[UPSWEEP_P_INPUT_FIRST] = chosen.first;
    }
    append_counts_scan(made,
                       {.counts = request.workspace_offset,
                        .count = layout.tiles,
                        .scratch = request.workspace_offset + layout.scan,
                        .has_total = true,
                        .total = request.workspace_offset + layout.found},
                       device);

    std::uint64_t first = 0;
    do {
        dispatch& next =
            builder.add(stage::compact, std::clamp<std::uint64_t>(layout.tiles - first, 1, window),
                        flags | (request.partition ? UPSWEEP_F_PARTITION : 0u));
        common(next, first);
        next.parameters[UPSWEEP_P_RECORD_WORDS] = request.record_words;
        next.parameters[UPSWEEP_P_CAPACITY] = request.capacity;
        next.parameters[UPSWEEP_P_VERTICES] = request.vertices;
        next.parameters[UPSWEEP_P_GROUP_ITEMS] = request.group_items;
        next.parameters[UPSWEEP_P_GROUPS_X] = device.groups_x;
        const bound_range arguments =
            bind(resource::total, request.arguments_offset, UPSWEEP_A_WORDS, 4, device);
        next.bindings[UPSWEEP_TOTAL] = arguments.range;
        next.parameters[UPSWEEP_P_TOTAL_INDEX] = arguments.first;
        if (!request.user_items && request.items != 0) {
            const std::uint64_t words = std::max<std::uint64_t>(1, request.record_words);
            const std::uint64_t kept =
                request.partition ? request.items : std::min<std::uint64_t>(request.items, request.capacity);
            bound_range out = arguments;
            if (kept != 0) out = bind_words(resource::output, "out", request.output_offset, kept * words);
            bound_range in = out;
            if (request.record_words != 0)
                in = bind_words(resource::input, "in", request.input_offset, request.items * words);
            next.bindings[UPSWEEP_INPUT] = in.range;
            next.bindings[UPSWEEP_OUTPUT] = out.range;
            next.parameters[UPSWEEP_P_INPUT_FIRST] = in.first;
            next.parameters[UPSWEEP_P_OUTPUT_FIRST] = out.first;
            if (words % 4 == 0 && in.first % 4 == 0 && out.first % 4 == 0)
                next.parameters[UPSWEEP_P_FLAGS] |= UPSWEEP_F_VECTORS;
        } else if (!request.user_items) {
            next.bindings[UPSWEEP_INPUT] = next.bindings[UPSWEEP_OUTPUT] = arguments.range;
        }
        first += window;
    } while (first < layout.tiles);
    return made;
}

}  // namespace upsweep::shader
