// The total of each complete tile: the first stage of a scan of more than one tile. One work group a tile; along an axis
// the same tile of all sequences, then the next, since neighbouring sequences may be neighbours in memory.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"
#include "operands.glsl"
#include "sequence.glsl"
#include "load.glsl"
#include "totals.glsl"

layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer workspace_block {
    kept workspace[];
};

#ifdef UPSWEEP_SUBGROUPS

#include "subgroups.glsl"
shared element subgroup_totals[UPSWEEP_GROUP_SIZE];

element tile_total(uint first, uint base, uint length) {
    element items[UPSWEEP_ITEMS];
    load_runs(first, base, lane_index(), length, items);
    // Exact and commutative, so in any order.
    element fold = items[0];
    for (int i = 1; i < UPSWEEP_ITEMS; ++i) fold = join(fold, items[i]);
    fold = subgroup_scan(fold);
    if (gl_SubgroupInvocationID == subgroup_lanes() - 1u) subgroup_totals[gl_SubgroupID] = fold;
    synchronize();
    // The first subgroup folds what the subgroups found.
    fold = absent();
    if (gl_SubgroupID == 0u) {
        for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += subgroup_lanes())
            fold = join(fold, subgroup_totals[i]);
        fold = subgroup_scan(fold);
    }
    return fold;
}
bool is_writer() { return lane_index() == subgroup_lanes() - 1u; }

#else

#include "tree.glsl"

operand tile_total(uint first, uint base, uint length) {
    uint r = gl_LocalInvocationIndex;
    operand items[UPSWEEP_ITEMS];
    load_runs(first, base, r, length, items);
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        operand fold = items[k * UPSWEEP_RUN_ELEMENTS];
        for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) fold = join(fold, items[k * UPSWEEP_RUN_ELEMENTS + m]);
        set_row_value(row_slot(uint(k * UPSWEEP_GROUP_SIZE) + r), fold);
    }
    synchronize();
    // All of it, as a number that the compiler does not know.
    uint runs = min(length, uint(UPSWEEP_TILE_RUNS));
    if (r < uint(UPSWEEP_TILE_ROWS)) set_row_value(slot_of(UPSWEEP_TOTALS_ROW, r), fold_row(r, row_count(runs, r)));
    synchronize();
    operand fold = no_operand();
    if (r == 0u) fold = fold_row(UPSWEEP_TOTALS_ROW, row_count(runs, 0u));
    return fold;
}
bool is_writer() { return gl_LocalInvocationIndex == 0u; }

#endif

void main() {
    uint tile = group_index() / sequence_count();
    uint sequence = group_index() % sequence_count();
    uint length = sequence_length();
    uint base = tile * uint(UPSWEEP_TILE_ELEMENTS);
    // The same answer in the whole work group. Nobody asks for the total of an incomplete tile.
    if (group_index() >= parameters[UPSWEEP_P_GROUPS] || length < uint(UPSWEEP_TILE_ELEMENTS) ||
        base > length - uint(UPSWEEP_TILE_ELEMENTS))
        return;
    operand total = tile_total(input_first(sequence), base, length);
    if (is_writer()) workspace[tiles_of(sequence) + parameters[UPSWEEP_P_FIRST_GROUP] + tile] = to_kept(total);
}
