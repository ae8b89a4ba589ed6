// The plan of a scan in a single pass: what work groups tell each other is cleared, then comes one dispatch a
// window.
#include "shader/scan-inl.hpp"

namespace upsweep::shader {
namespace {

// The total of each tile, and what is before each super, each word as two halves (shaders/look_back.glsl).
struct told_layout {
    std::uint64_t tiles;
    std::uint64_t words;
};
told_layout told_layout_of(const operation& op, std::uint64_t length, bool segmented) {
    const std::uint64_t tiles = divide_up(length, tile_elements);
    const std::uint64_t supers = divide_up(tiles, UPSWEEP_SUPER_TILES);
    return {tiles, (tiles + supers) * 2 * (op.element_words + (segmented ? 1u : 0u))};
}

}  // namespace

void scan_planner::make_look_back() {
    const told_layout layout = told_layout_of(request_.op, request_.length, request_.segmented);
    const binding told{resource::workspace, request_.workspace_offset, 4 * layout.words};
    const std::uint64_t groups = divide_up(layout.words, tile_elements);
    for (std::uint64_t first = 0; first < groups; first += most_groups(device_)) {
        dispatch& next = builder_.add(stage::clear_counts, std::min(most_groups(device_), groups - first), 0);
        next.shape = form::sequence;
        next.bindings[UPSWEEP_OUTPUT] = told;
        next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(layout.words);
        next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
        fill(next);
    }

    const std::uint64_t window = window_elements(tile_elements);
    for (std::uint64_t before = 0; before < request_.length; before += window) {
        dispatch& next = add_last_stage(stage::look_back_scan, stage::look_back_totals, before,
                                        std::min(window, request_.length - before));
        next.bindings[UPSWEEP_WORKSPACE] = told;
        next.parameters[UPSWEEP_P_FLAGS] |= device_.last_tile_first ? UPSWEEP_F_LAST_FIRST : 0u;
        next.parameters[UPSWEEP_P_SUPERS] = static_cast<std::uint32_t>(layout.tiles);
        next.parameters[UPSWEEP_P_POLLS] = device_.polls;
        fill(next);
    }
}

std::uint64_t look_back_bytes(const operation& op, std::uint64_t length, bool segmented) {
    return 4 * told_layout_of(op, length, segmented).words;
}

}  // namespace upsweep::shader
