// The end of a tile, by the combination tree: prefix(p) = S (+) (T (+) (R (+) (V (+) L))) for each of its elements.
#include "tree.glsl"

// Folded runs leave their totals in the rows.
void set_run_totals(uint lane, operand items[UPSWEEP_ITEMS]) {
    for (int k = 0; k < UPSWEEP_RUNS; ++k)
        set_row_value(row_slot(uint(k * UPSWEEP_GROUP_SIZE) + lane), items[(k + 1) * UPSWEEP_RUN_ELEMENTS - 1]);
}

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

// The prefixes of the tile's elements, of which items are the L: stored, or the totals of segments that end here.
void finish_tile(uint first, uint base, uint length, operand items[UPSWEEP_ITEMS], outer_parts outside) {
    uint lane = gl_LocalInvocationIndex;
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
        take_prefixes(first, position, length, k, prefixes, items);
#endif
    }
#ifndef UPSWEEP_TOTALS
    store_results(first, base, lane, length, items);
#endif
}
