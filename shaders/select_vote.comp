// The end of a radix selection: the votes of a compaction (compact.comp) for the candidates, which are the records up to the
// bound that the passes found (select_bound.glsl). Those of each tile of 4096 are counted too.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "tile_bits.glsl"
#include "sort_keys.glsl"
#include "item_count.glsl"
#include "select_passes.glsl"

// From UPSWEEP_P_SUPERS on, the votes; in front of them a count for each tile.
layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer workspace_block {
    uint workspace[];
};

void vote(uint base, uint count, selection_bound bound, uint lane) {
    key_words loaded[UPSWEEP_ITEMS];
    for (int k = 0; k < UPSWEEP_ITEMS; ++k)
        loaded[k] = source_of(min(base + uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u));
    for (int k = 0; k < UPSWEEP_ITEMS; ++k) {
        uint at = uint(k * UPSWEEP_GROUP_SIZE) + lane;
        if (base + at < count && is_within(order_of(loaded[k]), base + at, bound))
            atomicOr(tile_bits[at / 32u], 1u << (at % 32u));
    }
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint count = item_count();
    selection_bound bound = bound_after(parameters[UPSWEEP_P_PASS], count, lane);

    // Tiles behind a length from a buffer have counts too: none.
    uint tiles = parameters[UPSWEEP_P_GROUP_TILES];
    uint first = parameters[UPSWEEP_P_FIRST_GROUP] + group_index() * tiles;
    for (uint tile = first; tile < min(first + tiles, tile_count_of(parameters[UPSWEEP_P_LENGTH])); ++tile) {
        uint base = tile * uint(UPSWEEP_TILE_ELEMENTS);
        clear_bits(lane);
        synchronize();
        if (base < count) vote(base, count, bound, lane);
        synchronize();
        count_bits(lane);
        for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE))
            workspace[parameters[UPSWEEP_P_SUPERS] + tile * uint(UPSWEEP_TILE_WORDS) + w] = tile_bits[w];
        synchronize();
        if (lane == 0u) workspace[tile] = tile_count;
    }
}
