// scan_tile by the combination tree: prefix(p) = S (+) (T (+) (R (+) (V (+) L))).
#include "tree.glsl"

shared part before_tile[2];  // S, T

// What is outside a tile, and of an exact operator all of it at once; and what is left of a run.
struct outer_parts {
    part all, tiles, supers;
};
struct left_parts {
    part runs, rows, tiles, supers;
};
left_parts parts_left_of(uint run_index, outer_parts outside) {
    uint row = run_index / uint(UPSWEEP_ROW_RUNS);
    part runs = part(run_index % uint(UPSWEEP_ROW_RUNS) != 0u, row_value(row_slot(run_index)));
    part rows = part(row != 0u || outside.all.present, row_value(slot_of(UPSWEEP_TOTALS_ROW, row)));
    if (exact) prepend(rows, runs);
    return left_parts(runs, rows, outside.tiles, outside.supers);
}
operand nest(left_parts before, part nested) {
    prepend(before.runs, nested);
    if (!exact) {
        prepend(before.rows, nested);
        prepend(before.tiles, nested);
        prepend(before.supers, nested);
    }
    return nested.value;
}

#ifdef UPSWEEP_TOTALS
uint heads_of(part before) { return before.present ? before.value.heads : 0u; }
// The totals of the segments that end in a run. Only the first of them can have begun in front of it.
void store_ends(uint ends, left_parts before, int k, operand items[UPSWEEP_ITEMS]) {
    int end = findLSB(ends);
    operand first = items[k * UPSWEEP_RUN_ELEMENTS];
    for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) {
        if (m == end) first = items[k * UPSWEEP_RUN_ELEMENTS + m];
    }
    store_total(nest(before, part(true, first)));
    uint heads = heads_of(before.runs);
    if (!exact) heads += heads_of(before.rows) + heads_of(before.tiles) + heads_of(before.supers);
    for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) {
        operand item = items[k * UPSWEEP_RUN_ELEMENTS + m];
        if (m > end && ((ends >> uint(m)) & 1u) != 0u) store_total(operand(heads + item.heads, item.value));
    }
}
#endif

void scan_tile(uint sequence, uint tile, uint base, uint length) {
    uint lane = gl_LocalInvocationIndex;
    uint first = input_first(sequence);

    // Asked for before the elements, used after them.
    operand earlier = no_operand();
    if (lane < tiles_before(tile)) earlier = tile_total(sequence, tile, lane);
    part supers = part(false, no_operand());
    if (lane == uint(UPSWEEP_TILE_ROWS)) supers = supers_before(sequence, tile);

    // L, and the totals of runs.
    operand items[UPSWEEP_ITEMS];
    load_runs(first, base, lane, length, items);
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) {
            int i = k * UPSWEEP_RUN_ELEMENTS + m;
            items[i] = join(items[i - 1], items[i]);
        }
        set_row_value(row_slot(uint(k * UPSWEEP_GROUP_SIZE) + lane), items[(k + 1) * UPSWEEP_RUN_ELEMENTS - 1]);
    }
    if (lane < tiles_before(tile)) set_row_value(slot_of(UPSWEEP_TILES_ROW, lane), earlier);
    if (lane == uint(UPSWEEP_TILE_ROWS)) before_tile[0] = supers;
    synchronize();

    // V and the totals of rows; at the same time T.
    uint runs = (min(length - base, uint(UPSWEEP_TILE_ELEMENTS)) + uint(UPSWEEP_RUN_ELEMENTS - 1)) /
                uint(UPSWEEP_RUN_ELEMENTS);
    if (lane < uint(UPSWEEP_TILE_ROWS))
        set_row_value(slot_of(UPSWEEP_TOTALS_ROW, lane), scan_row(lane, row_count(runs, lane), false, no_operand()));
    else if (lane == uint(UPSWEEP_TILE_ROWS))
        before_tile[1] = part(tiles_before(tile) != 0u, fold_row(UPSWEEP_TILES_ROW, tiles_before(tile)));
    synchronize();

    // R. Under an exact operator S and T go in front of it, so that one part does for three.
    supers = before_tile[0];
    part tiles = before_tile[1];
    part outer = part(false, no_operand());
    if (exact) {
        outer = tiles;
        prepend(supers, outer);
    }
    uint row_total_count = (runs + uint(UPSWEEP_ROW_RUNS - 1)) / uint(UPSWEEP_ROW_RUNS);
    if (lane == 0u) scan_row(UPSWEEP_TOTALS_ROW, row_total_count, outer.present, outer.value);
    synchronize();

    outer_parts outside = outer_parts(outer, tiles, supers);
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        uint run_index = uint(k * UPSWEEP_GROUP_SIZE) + lane;
        uint position = run_position(base, k, lane);
#ifdef UPSWEEP_TOTALS
        if (position < length) {
            uint ends = run_ends(position, length);
            if (ends != 0u) store_ends(ends, parts_left_of(run_index, outside), k, items);
        }
#else
        left_parts before = parts_left_of(run_index, outside);
        operand prefixes[UPSWEEP_RUN_ELEMENTS + 1];  // prefix(p), prefix(p + 1), ...
        prefixes[0] = nest(before, part(false, no_operand()));
        for (int m = 1; m <= UPSWEEP_RUN_ELEMENTS; ++m)
            prefixes[m] = nest(before, part(true, items[k * UPSWEEP_RUN_ELEMENTS + m - 1]));
        take_prefixes(position, length, k, prefixes, items);
#endif
    }
#ifndef UPSWEEP_TOTALS
    store_runs(output_first(sequence), base, lane, length, items);
#endif
}
