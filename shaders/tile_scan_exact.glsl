// scan_tile for exact, commutative operators on a device with subgroups: any grouping gives the tree's bits, so runs
// are scanned across lanes, subgroups by the first subgroup.
#include "subgroups.glsl"

shared element earlier_totals[UPSWEEP_SUPER_TILES];
shared element earlier_supers;

// Totals of the subgroups, 4 x 64 where a subgroup has 4 lanes, then what is before each.
shared element segments[UPSWEEP_RUNS * UPSWEEP_GROUP_SIZE / 4];

void scan_segments(uint tile) {
    uint count = uint(UPSWEEP_RUNS) * gl_NumSubgroups;
    uint lanes = subgroup_lanes();
    uint lane = gl_SubgroupInvocationID;
    element before = absent();
    for (uint i = lane; i < tiles_before(tile); i += lanes) before = join(before, earlier_totals[i]);
    before = join(earlier_supers, subgroupShuffle(subgroup_scan(before), lanes - 1u));
    for (uint start = 0u; start < count; start += lanes) {
        bool inside = start + lane < count;
        element total = inside ? segments[start + lane] : absent();
        element scanned = join(before, subgroup_scan(total));
        element shifted = subgroupShuffleUp(scanned, 1u);
        if (inside) segments[start + lane] = lane == 0u ? before : shifted;
        before = subgroupShuffle(scanned, lanes - 1u);
    }
}

void scan_tile(uint sequence, uint tile, uint base, uint length) {
    uint lane = lane_index();
    uint first = input_first(sequence);

    // Asked for before the elements, used after them.
    element earlier = absent();
    if (lane < tiles_before(tile)) earlier = tile_total(sequence, tile, lane);
    element supers = absent();
    if (lane == uint(UPSWEEP_SUPER_TILES)) supers = supers_before(sequence, tile).value;

    element items[UPSWEEP_ITEMS];
    element before_run[UPSWEEP_RUNS];
    load_folded_runs(first, base, lane, length, items);
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        element scanned = subgroup_scan(items[(k + 1) * UPSWEEP_RUN_ELEMENTS - 1]);
        if (gl_SubgroupInvocationID == subgroup_lanes() - 1u)
            segments[uint(k) * gl_NumSubgroups + gl_SubgroupID] = scanned;
        element shifted = subgroupShuffleUp(scanned, 1u);
        before_run[k] = gl_SubgroupInvocationID == 0u ? absent() : shifted;
    }
    if (lane < tiles_before(tile)) earlier_totals[lane] = earlier;
    if (lane == uint(UPSWEEP_SUPER_TILES)) earlier_supers = supers;
    synchronize();
    if (gl_SubgroupID == 0u) scan_segments(tile);
    synchronize();

    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        element before = join(segments[uint(k) * gl_NumSubgroups + gl_SubgroupID], before_run[k]);
        element prefixes[UPSWEEP_RUN_ELEMENTS + 1];
        prefixes[0] = before;
        for (int m = 1; m <= UPSWEEP_RUN_ELEMENTS; ++m)
            prefixes[m] = join(before, items[k * UPSWEEP_RUN_ELEMENTS + m - 1]);
        take_prefixes(output_first(sequence), run_position(base, k, lane), length, k, prefixes, items);
    }
    store_results(output_first(sequence), base, lane, length, items);
}
