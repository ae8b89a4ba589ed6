// A radix selection (select_bound.glsl) whose digits are counted by a dispatch each. Whoever comes behind a pass sees in its
// counts which digit the k-th record has; passes that are left over when that is settled return at once.
//
// Each pass has UPSWEEP_SELECTION_WORDS of the buffer: what was known in front of it, then its counts.
layout(std430, binding = UPSWEEP_OUTPUT) buffer selection_block {
    uint selection[];
};
#include "select_bound.glsl"

uint tile_count_of(uint count) {
    return count / uint(UPSWEEP_TILE_ELEMENTS) + (count % uint(UPSWEEP_TILE_ELEMENTS) != 0u ? 1u : 0u);
}

uint digit_count(uint pass_begin, uint digit) {
    return selection[pass_begin + uint(UPSWEEP_SELECTION_COUNTS) + digit];
}

// What is known behind so many passes, of `count` records; the same in the whole work group, and all of it calls this.
selection_bound bound_after(uint passes, uint count, uint lane) {
    uint wanted = parameters[UPSWEEP_P_WANTED];
    uint capacity = parameters[UPSWEEP_P_CAPACITY];
    if (passes == 0u) return first_bound(wanted, count <= capacity);
    uint begin = (passes - 1u) * uint(UPSWEEP_SELECTION_WORDS);
    selection_bound bound;
    bound.settled = selection[begin] != 0u;
    bound.rank = selection[begin + 1u];
    bound.index = selection[begin + 2u];
#if UPSWEEP_ELEMENT_WORDS == 1
    bound.key = selection[begin + 3u];
#else
    bound.key = uvec2(selection[begin + 3u], selection[begin + 4u]);
#endif
    if (!bound.settled) narrow_bound(begin, parameters[UPSWEEP_P_COUNTED_SHIFT], wanted, capacity, lane, bound);
    return bound;
}
// For the next pass.
void store_bound(uint pass, selection_bound bound) {
    uint begin = pass * uint(UPSWEEP_SELECTION_WORDS);
    selection[begin] = bound.settled ? 1u : 0u;
    selection[begin + 1u] = bound.rank;
    selection[begin + 2u] = bound.index;
#if UPSWEEP_ELEMENT_WORDS == 1
    selection[begin + 3u] = bound.key;
#else
    selection[begin + 3u] = bound.key.x;
    selection[begin + 4u] = bound.key.y;
#endif
}
