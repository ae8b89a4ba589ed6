// scan_tile by the combination tree, after the totals of tiles and supers.
#include "tile_nesting.glsl"

shared part before_tile[2];  // S, T

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
    load_folded_runs(first, base, lane, length, items);
    set_run_totals(lane, items);
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

    finish_tile(output_first(sequence), base, length, items, outer_parts(outer, tiles, supers));
}
