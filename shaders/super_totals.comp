// The total of each super from the totals of its 32 tiles, 32 supers a work group. Where that is all there are, their
// prefixes S at once (UPSWEEP_F_LAST), which spares a stage.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "operands.glsl"
#include "tree.glsl"
#include "totals.glsl"

layout(std430, binding = UPSWEEP_WORKSPACE) buffer workspace_block {
    kept workspace[];
};

void main() {
    uint batch = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint tiles = parameters[UPSWEEP_P_LENGTH];  // of each sequence
    uint sequence = 0u;
#ifdef UPSWEEP_AXIS
    uint batches = (tiles + uint(UPSWEEP_TILE_RUNS - 1)) / uint(UPSWEEP_TILE_RUNS);
    sequence = batch / batches;
    batch = batch % batches;
#endif
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;

    for (uint i = gl_LocalInvocationIndex; i < uint(UPSWEEP_TILE_RUNS); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint tile = batch * uint(UPSWEEP_TILE_RUNS) + i;
        kept total = no_kept();
        if (tile < tiles) total = workspace[tiles_of(sequence) + tile];
        set_row_value(row_slot(i), from_kept(total));
    }
    synchronize();
    uint supers = supers_of(sequence);
    uint super_count = (tiles + uint(UPSWEEP_SUPER_TILES - 1)) / uint(UPSWEEP_SUPER_TILES);
    uint r = gl_LocalInvocationIndex;
    uint row = batch * uint(UPSWEEP_TILE_ROWS) + r;
    bool folds = r < uint(UPSWEEP_TILE_ROWS) && row < super_count;
    operand total = no_operand();
    if (folds) total = fold_row(r, row_count(tiles - batch * uint(UPSWEEP_TILE_RUNS), r));
    if (!has_flag(UPSWEEP_F_LAST)) {
        if (folds) workspace[supers + row] = to_kept(total);
        return;
    }
    if (folds) set_row_value(slot_of(UPSWEEP_TOTALS_ROW, r), total);
    synchronize();
    if (r == 0u) {
        bool present = has_flag(UPSWEEP_F_INITIAL);
        operand start = no_operand();
        if (present) start = first_operand();
        scan_row(UPSWEEP_TOTALS_ROW, super_count, present, start);
    }
    synchronize();
    if (folds) workspace[supers + row] = to_kept(row_value(slot_of(UPSWEEP_TOTALS_ROW, r)));
}
