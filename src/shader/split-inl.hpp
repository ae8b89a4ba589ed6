// The plan of a stable split (shaders/split.glsl): the items of each bin counted in each tile, the counts
// scanned, the items moved. A sort is made of some, each by one digit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shader/plan-inl.hpp"

namespace upsweep::shader {

inline constexpr std::uint64_t most_bins = UPSWEEP_MOST_BINS;

// What a split needs of a workspace, in bytes from where that part of it begins.
struct split_layout {
    std::uint64_t tiles;
    std::uint64_t bins;
    std::uint64_t length;   // a word behind the counts, for a length that is in a buffer
    std::uint64_t total;    // one more, for how many items have a bin
    std::uint64_t scratch;  // of the scan of the counts
    std::uint64_t bytes;    // a multiple of the alignment
};
inline split_layout split_layout_of(std::uint64_t items, std::uint64_t bins, const limits& device) {
    split_layout layout{};
    layout.tiles = divide_up(items, tile_elements);
    layout.bins = bins;
    layout.length = layout.tiles * bins * 4;
    layout.total = layout.length + 4;
    layout.scratch = round_up(layout.total + 4, alignment_of(device));
    layout.bytes =
        round_up(layout.scratch + counts_scan_bytes(layout.tiles * bins, device), alignment_of(device));
    return layout;
}

// Adds the dispatches of one split: `count`, the scan of the counts, `move`; `items` of them, of which there
// is at least one. `set(next)` gives a dispatch of the first and the last stage its other bindings and
// parameters. Throws upsweep::error (unsupported) if the counts exceed what can be bound.
template <class Set>
void append_split(std::vector<dispatch>& made, stage count, stage move, std::uint64_t items,
                  const split_layout& layout, std::uint64_t workspace_offset, std::uint32_t flags,
                  const limits& device, const Set& set) {
    const binding counts{resource::workspace, workspace_offset, layout.total + 4};
    if (counts.bytes > largest_binding(device)) throw_bytes("workspace", counts.bytes, device);
    builder builder(device, made);
    const std::uint64_t window = most_groups(device);
    const auto append = [&](stage which) {
        for (std::uint64_t first = 0; first < layout.tiles; first += window) {
            dispatch& next = builder.add(which, std::min(window, layout.tiles - first), flags);
            next.bindings[UPSWEEP_WORKSPACE] = counts;
            next.parameters[UPSWEEP_P_LENGTH] = static_cast<std::uint32_t>(items);
            next.parameters[UPSWEEP_P_FIRST_GROUP] = static_cast<std::uint32_t>(first);
            next.parameters[UPSWEEP_P_CARRY] = static_cast<std::uint32_t>(layout.length / 4);
            next.parameters[UPSWEEP_P_BINS] = static_cast<std::uint32_t>(layout.bins);
            next.parameters[UPSWEEP_P_TILES] = static_cast<std::uint32_t>(layout.tiles);
            set(next);
        }
    };
    append(count);
    append_counts_scan(made,
                       {.counts = workspace_offset,
                        .count = layout.tiles * layout.bins,
                        .scratch = workspace_offset + layout.scratch,
                        .has_total = true,
                        .total = workspace_offset + layout.total},
                       device);
    append(move);
}

}  // namespace upsweep::shader
