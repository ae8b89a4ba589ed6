// The scan of each tile with what comes before it: the last stage, and the only one of a sequence of at most one tile.
// One work group a tile, the last tile first, because the end of the input is what the caches still hold. Where only the total
// of a sequence is asked for (UPSWEEP_F_ONLY_TOTAL), the tile with which it ends has all of it: one work group, no results.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "operands.glsl"
#include "sequence.glsl"
#include "load.glsl"
#ifdef UPSWEEP_TOTALS
#include "store_totals.glsl"
#else
#include "store.glsl"
#endif
#include "parts.glsl"
#include "totals.glsl"

#ifndef UPSWEEP_LOOK_BACK
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    kept workspace[];
};
#endif
#ifdef UPSWEEP_TOTALS
void write_total(uint first, operand total) {}  // of all segments, which nobody asks for
#else
layout(std430, binding = UPSWEEP_TOTAL) writeonly buffer total_block {
    stored total_elements[];
};
// Along an axis each sequence has one, where its results would begin.
void write_total(uint first, operand total) {
#ifdef UPSWEEP_AXIS
    uint place = first;
#else
    uint place = parameters[UPSWEEP_P_TOTAL_INDEX];
#endif
    total_elements[place] = to_words(total);
}
#endif

// T is folded here: the totals of the tiles before this one in its super are at most 31, and an earlier stage would have to
// write and read a prefix for each tile.
uint tiles_before(uint tile) { return tile % uint(UPSWEEP_SUPER_TILES); }
#ifndef UPSWEEP_LOOK_BACK
operand tile_total(uint sequence, uint tile, uint i) {
    return from_kept(workspace[tiles_of(sequence) + tile - tiles_before(tile) + i]);
}

// S
part supers_before(uint sequence, uint tile) {
    uint before = tile / uint(UPSWEEP_SUPER_TILES);
    if (before == 0u) return initial_part();
    return part(true, from_kept(workspace[supers_of(sequence) + before]));
}
#endif

#ifndef UPSWEEP_TOTALS
// What is stored for the run at `position`, into items[4 k] and the three after it, from prefix(position), ...,
// prefix(position + 4); and the total, if the sequence ends here. `first` is where its results begin.
void take_prefixes(uint first, uint position, uint length, int k, operand prefixes[UPSWEEP_RUN_ELEMENTS + 1],
                   inout operand items[UPSWEEP_ITEMS]) {
    bool exclusive = has_flag(UPSWEEP_F_EXCLUSIVE);
    for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m)
        items[k * UPSWEEP_RUN_ELEMENTS + m] = exclusive ? prefixes[m] : prefixes[m + 1];
#ifdef UPSWEEP_SEGMENTS
    if (exclusive && position < length) {
        uint heads = run_heads(position);
        for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m) {
            if (((heads >> uint(m)) & 1u) != 0u) items[k * UPSWEEP_RUN_ELEMENTS + m] = segment_start();
        }
    }
#endif
    if (position < length && length <= position + uint(UPSWEEP_RUN_ELEMENTS) && has_last()) {
        for (int m = 1; m <= UPSWEEP_RUN_ELEMENTS; ++m) {
            if (position + uint(m) == length) write_total(first, prefixes[m]);
        }
    }
}
#endif

// Look-back is never asked for that, and need not look.
#ifdef UPSWEEP_LOOK_BACK
bool has_only_total() { return false; }
#else
bool has_only_total() { return has_flag(UPSWEEP_F_ONLY_TOTAL); }
#endif

#ifndef UPSWEEP_TOTALS
// And of all runs.
void store_results(uint first, uint base, uint lane, uint length, operand items[UPSWEEP_ITEMS]) {
    if (!has_only_total()) store_runs(first, base, lane, length, items);
}
#endif

#if defined(UPSWEEP_LOOK_BACK)
#include "tile_scan_look_back.glsl"
#elif defined(UPSWEEP_SUBGROUPS)
#include "tile_scan_exact.glsl"
#else
#include "tile_scan_tree.glsl"
#endif

void main() {
    uint groups = parameters[UPSWEEP_P_GROUPS];
    if (group_index() >= groups) return;
#ifdef UPSWEEP_LOOK_BACK
    uint group = has_flag(UPSWEEP_F_LAST_FIRST) ? groups - 1u - group_index() : group_index();
#else
    uint group = groups - 1u - group_index();
#endif
    uint sequence = group % sequence_count();
    uint length = sequence_length();
    uint place = group / sequence_count();  // of the tile in this dispatch
    if (has_only_total()) {
        // Which tile is the last one, and in which dispatch, is known here if the length is in a buffer.
        if (!has_last()) return;
        place = length == 0u ? 0u : (length - 1u) / uint(UPSWEEP_TILE_ELEMENTS);
    }
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + place;
    uint base = place * uint(UPSWEEP_TILE_ELEMENTS);
    if (base >= length) {
        // The total of nothing at all: what prefix(0) is.
        if (tile == 0u && gl_LocalInvocationIndex == 0u && has_last()) {
            if (has_flag(UPSWEEP_F_INITIAL))
                write_total(output_first(sequence), first_operand());
            else
                write_total(output_first(sequence), no_operand());
        }
        return;
    }
    scan_tile(sequence, tile, base, length);
}
