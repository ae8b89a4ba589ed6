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

void scan_tile(uint tile, uint base, uint length) {
    uint lane = lane_index();
    uint first = first_of(parameters[UPSWEEP_P_INPUT_FIRST]);
    if (lane < tiles_before(tile)) earlier_totals[lane] = tile_total(tile, lane);
    if (lane == uint(UPSWEEP_SUPER_TILES)) earlier_supers = supers_before(tile).value;
    element items[UPSWEEP_RUNS * UPSWEEP_RUN_ELEMENTS];
    element before_run[UPSWEEP_RUNS];
    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        element run[UPSWEEP_RUN_ELEMENTS];
        load_run(first, base + (uint(k * UPSWEEP_GROUP_SIZE) + lane) * uint(UPSWEEP_RUN_ELEMENTS), length, run);
        for (int m = 1; m < UPSWEEP_RUN_ELEMENTS; ++m) run[m] = join(run[m - 1], run[m]);
        for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m) items[k * UPSWEEP_RUN_ELEMENTS + m] = run[m];
        element scanned = subgroup_scan(run[UPSWEEP_RUN_ELEMENTS - 1]);
        if (gl_SubgroupInvocationID == subgroup_lanes() - 1u)
            segments[uint(k) * gl_NumSubgroups + gl_SubgroupID] = scanned;
        element shifted = subgroupShuffleUp(scanned, 1u);
        before_run[k] = gl_SubgroupInvocationID == 0u ? absent() : shifted;
    }
    synchronize();
    if (gl_SubgroupID == 0u) scan_segments(tile);
    synchronize();

    for (int k = 0; k < UPSWEEP_RUNS; ++k) {
        element before = join(segments[uint(k) * gl_NumSubgroups + gl_SubgroupID], before_run[k]);
        element prefixes[UPSWEEP_RUN_ELEMENTS + 1];
        prefixes[0] = before;
        for (int m = 1; m <= UPSWEEP_RUN_ELEMENTS; ++m)
            prefixes[m] = join(before, items[k * UPSWEEP_RUN_ELEMENTS + m - 1]);
        store_prefixes(base + (uint(k * UPSWEEP_GROUP_SIZE) + lane) * uint(UPSWEEP_RUN_ELEMENTS), length, prefixes);
    }
}
