// Plans: sizes, windows and parameters of every dispatch.
//
// A dispatch covers as much of the sequence as the device can bind and count at once, a window; longer
// sequences take several for the same stage.
#include "shader/plan.hpp"

#include <algorithm>

#include "shader/scan-inl.hpp"

namespace upsweep::shader {
namespace {

constexpr std::uint32_t tiles_of_batch = UPSWEEP_ROW_RUNS * UPSWEEP_TILE_ROWS;  // of a group of super_totals

struct tree_layout {
    std::uint64_t tiles;
    std::uint64_t supers;
    std::uint64_t carry;  // element of the workspace
    std::uint64_t elements;
};
tree_layout tree_layout_of(std::uint64_t length) {
    const std::uint64_t tiles = std::max<std::uint64_t>(1, divide_up(length, tile_elements));
    const std::uint64_t supers = divide_up(tiles, UPSWEEP_SUPER_TILES);
    return {tiles, supers, tiles + supers, tiles + supers + 1};
}

void check_request(const scan_request& request, const limits& device) {
    const std::uint64_t size = std::uint64_t{4} * request.op.element_words;
    check_offset("in", request.input_offset, input_bytes(request.op));
    check_offset("out", request.output_offset, size);
    check_offset("workspace", request.workspace_offset, alignment_of(device));
    const char* const total = request.only_total ? "out" : "options.total";
    if (request.has_total) check_offset(total, request.total_offset, size);
    if (request.length_in_buffer) {
        check_offset("options.length", request.length_offset, 4);
        if (request.length >= words_limit) {
            throw_error(errc::unsupported,
                        "options.length: expected at most 4294967295 elements with a length from a buffer, "
                        "whose length is a 32-bit word, but in has " +
                            std::to_string(request.length));
        }
    }
    if (request.how == algorithm::blelloch) {
        if (request.op.input != input_type::same)
            throw_error(
                errc::unsupported,
                "options.algorithm: Blelloch's scan converts no elements, so in and out must have the "
                "same type");
        if (!request.exclusive)
            throw_error(errc::invalid_argument, "options.algorithm: Blelloch's scan is exclusive");
        if (!request.op.has_identity)
            throw_error(errc::invalid_argument,
                        "options.algorithm: Blelloch's scan needs an operator with an identity");
        if (request.blelloch_size == 0 || request.blelloch_size > 1024) {
            throw_error(errc::invalid_argument, "options.work_group_size: expected 1 to 1024, but it is " +
                                                    std::to_string(request.blelloch_size));
        }
    }
    check_start(request.op, request.exclusive, request.has_initial, request.length != 0);
    if (request.has_total && (request.length == 0 || request.length_in_buffer))
        check_total_of_none(request.op, request.has_initial, request.only_total ? "options.initial" : total);
}

}  // namespace

void scan_planner::make_tree() {
    const tree_layout layout = tree_layout_of(request_.length);
    const std::uint64_t window = window_elements(tile_elements);
    const binding all_totals = layout.tiles > 1 ? workspace(0, layout.elements) : binding{};
    const auto supers_at = static_cast<std::uint32_t>(layout.tiles);
    const std::uint32_t flags = sequence_flags();
    const std::uint32_t order = flags & (UPSWEEP_F_SWAP | UPSWEEP_F_INITIAL);

    // Nobody asks for the last tile's total.
    const std::uint64_t summed = (layout.tiles - 1) * tile_elements;
    for (std::uint64_t before = 0; before < summed; before += window) {
        const std::uint64_t elements = std::min(window, request_.length - before);
        dispatch& next =
            builder_.add(stage::tile_totals, std::min(window, summed - before) / tile_elements, flags);
        set_window(next, UPSWEEP_INPUT, resource::input, request_.input_offset, before, elements);
        set_length(next, before, elements);
        set_initial(next);  // of segments, which their first elements have
        next.bindings[UPSWEEP_WORKSPACE] = all_totals;
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(before / tile_elements);
        fill(next);
    }

    if (layout.supers > 1) {
        const std::uint64_t batches = divide_up(layout.tiles, tiles_of_batch);
        for (std::uint64_t first = 0; first < batches; first += most_groups(device_)) {
            dispatch& next =
                builder_.add(stage::super_totals, std::min(batches - first, most_groups(device_)),
                             order | (batches == 1 ? UPSWEEP_F_LAST : 0u));
            next.bindings[UPSWEEP_WORKSPACE] = all_totals;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(layout.tiles);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_SUPERS] = supers_at;
            set_initial(next);
        }
        for (std::uint64_t first = 0; batches > 1 && first < layout.supers;
             first += device_.supers_per_dispatch) {
            dispatch& next =
                builder_.add(stage::super_prefixes, 1, order | (first != 0 ? UPSWEEP_F_CONTINUED : 0u));
            next.bindings[UPSWEEP_WORKSPACE] = all_totals;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(layout.supers - first, device_.supers_per_dispatch));
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_SUPERS] = supers_at;
            next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(layout.carry);
            set_initial(next);
        }
    }

    // A total alone needs the last tile, which may be in any window if the host does not know where that is.
    std::uint64_t before = request_.only_total && !request_.length_in_buffer ? summed : 0;
    do {
        const std::uint64_t elements = std::min(window, request_.length - before);
        dispatch& next = add_last_stage(stage::tile_scan, stage::segment_totals, before, elements);
        next.bindings[UPSWEEP_WORKSPACE] = all_totals;
        next.parameters[UPSWEEP_P_SUPERS] = supers_at;
        fill(next);
        before += elements;
    } while (before < request_.length);
}

std::uint64_t workspace_alignment(const limits& device) { return alignment_of(device); }

std::uint64_t tree_workspace_bytes(const operation& op, std::uint64_t length, bool segmented) {
    return std::max(tree_layout_of(length).elements * kept_bytes(op, segmented),
                    look_back_bytes(op, length, segmented));
}

bool prefers_look_back(form shape, const operation& op, const limits& device) {
    if (shape == form::axis) return false;
    if (device.way != sequence_way::automatic) return device.way == sequence_way::look_back;
    return device.look_back_is_faster && op.element_words == 1 && shape == form::sequence;
}

std::vector<stage> scan_stages(form shape, const operation& op, const limits& device, bool totals) {
    const stage last = totals ? stage::segment_totals : stage::tile_scan;
    if (prefers_look_back(shape, op, device))
        return {stage::clear_counts, totals ? stage::look_back_totals : stage::look_back_scan, last};
    std::vector<stage> made = total_stages();
    made.back() = last;
    return made;
}

std::vector<stage> total_stages() {
    return {stage::tile_totals, stage::super_totals, stage::super_prefixes, stage::tile_scan};
}

std::uint64_t scan_workspace_bytes(const operation& op, std::uint64_t length, algorithm how,
                                   std::uint32_t blelloch_size, const limits& device) {
    return how == algorithm::tree ? tree_workspace_bytes(op, length, false)
                                  : blelloch_bytes(op, length, blelloch_size, device);
}

std::vector<dispatch> plan_scan(const scan_request& request, const limits& device) {
    check_request(request, device);
    return scan_planner(request, device).make();
}

}  // namespace upsweep::shader
