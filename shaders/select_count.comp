// A pass of a radix selection: how many of the records that share the digits found so far have each next digit
// (select_passes.glsl). A work group counts some tiles of 4096 in shared memory, then adds to the counts in the buffer, which
// clear_counts left at zero: sums of integers, the same in any order.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "sort_keys.glsl"
#include "item_count.glsl"
#include "select_passes.glsl"
#define UPSWEEP_COUNT_COPIES 8
#include "select_counts.glsl"

void count_tile(uint base, uint count, selection_bound bound, uint lane) {
    uint shift = parameters[UPSWEEP_P_SHIFT];
    key_words loaded[UPSWEEP_ITEMS];
    for (int k = 0; k < UPSWEEP_ITEMS; ++k)
        loaded[k] = source_of(min(base + uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u));
    for (int k = 0; k < UPSWEEP_ITEMS; ++k) {
        uint index = base + uint(k * UPSWEEP_GROUP_SIZE) + lane;
        key_words order = order_of(loaded[k]);
        if (index < count && shares_digits(shift, order, index, bound)) count_digit(digit_at(shift, order, index), lane);
    }
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint count = item_count();
    uint pass = parameters[UPSWEEP_P_PASS];
    selection_bound bound = bound_after(pass, count, lane);
    // Every work group knows it; for the next pass one tells.
    if (group_index() == 0u && lane == 0u) store_bound(pass, bound);
    if (bound.settled) return;  // the whole work group

    clear_counts(lane);
    uint tiles = parameters[UPSWEEP_P_GROUP_TILES];
    uint first = parameters[UPSWEEP_P_FIRST_GROUP] + group_index() * tiles;
    for (uint tile = first; tile < min(first + tiles, tile_count_of(count)); ++tile)
        count_tile(tile * uint(UPSWEEP_TILE_ELEMENTS), count, bound, lane);
    add_run(lane);
    synchronize();
    uint begin = pass * uint(UPSWEEP_SELECTION_WORDS) + uint(UPSWEEP_SELECTION_COUNTS);
    for (uint digit = lane; digit < uint(UPSWEEP_MOST_BINS); digit += uint(UPSWEEP_GROUP_SIZE)) {
        uint sum = counted(digit);
        if (sum != 0u) atomicAdd(selection[begin + digit], sum);
    }
}
