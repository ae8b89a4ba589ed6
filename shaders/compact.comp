// Compact and partition: every item that was chosen moves to its place, in order, and the counts become arguments of
// indirect draws and dispatches. The counts of tiles were scanned in between.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "items.glsl"
#include "ballot.glsl"

// Before each tile, the items chosen; from UPSWEEP_P_SUPERS on, the votes; at UPSWEEP_P_CARRY, the items chosen in all.
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    uint workspace[];
};
layout(std430, binding = UPSWEEP_TOTAL) writeonly buffer argument_block {
    uint arguments[];
};

shared uint word_prefixes[UPSWEEP_VOTE_WORDS];

void write_arguments(uint found, uint count) {
    uint at = parameters[UPSWEEP_P_TOTAL_INDEX];
    uint kept = min(found, parameters[UPSWEEP_P_CAPACITY]);
    uint vertices = parameters[UPSWEEP_P_VERTICES];
    arguments[at + uint(UPSWEEP_A_DRAW)] = vertices == 0u ? kept : vertices;
    arguments[at + uint(UPSWEEP_A_DRAW + 1)] = vertices == 0u ? 1u : kept;
    arguments[at + uint(UPSWEEP_A_DRAW + 2)] = 0u;
    arguments[at + uint(UPSWEEP_A_DRAW + 3)] = 0u;
    // Rows of groups where one dimension is not enough; the last row may be longer than needed.
    uint items = parameters[UPSWEEP_P_GROUP_ITEMS];
    uint groups = kept / items + (kept % items != 0u ? 1u : 0u);
    uint widest = parameters[UPSWEEP_P_GROUPS_X];
    uint height = groups / widest + (groups % widest != 0u ? 1u : 0u);
    arguments[at + uint(UPSWEEP_A_DISPATCH)] = min(groups, widest);
    arguments[at + uint(UPSWEEP_A_DISPATCH + 1)] = max(height, 1u);
    arguments[at + uint(UPSWEEP_A_DISPATCH + 2)] = 1u;
    arguments[at + uint(UPSWEEP_A_COUNT)] = kept;
    arguments[at + uint(UPSWEEP_A_FOUND)] = found;
    arguments[at + uint(UPSWEEP_A_REJECTED)] = count - found;
    arguments[at + uint(UPSWEEP_A_REJECTED + 1)] = 0u;
    arguments[at + uint(UPSWEEP_A_REJECTED + 2)] = 0u;
}

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint count = item_count();
    uint found = workspace[parameters[UPSWEEP_P_CARRY]];
    if (tile == 0u && lane == 0u) write_arguments(found, count);
    if (tile * uint(UPSWEEP_TILE_ITEMS) >= count || has_flag(UPSWEEP_F_ARGUMENTS)) return;

    for (uint w = lane; w < uint(UPSWEEP_VOTE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) {
        votes[w] = workspace[parameters[UPSWEEP_P_SUPERS] + tile * uint(UPSWEEP_VOTE_WORDS) + w];
        word_prefixes[w] = uint(bitCount(votes[w]));
    }
    synchronize();
    // Inclusive, by doubling distances; a group has at least as many invocations as there are words.
    for (uint distance = 1u; distance < uint(UPSWEEP_VOTE_WORDS); distance *= 2u) {
        uint sum = 0u;
        bool mine = lane < uint(UPSWEEP_VOTE_WORDS);
        if (mine) sum = word_prefixes[lane] + (lane >= distance ? word_prefixes[lane - distance] : 0u);
        synchronize();
        if (mine) word_prefixes[lane] = sum;
        synchronize();
    }

    uint before = workspace[tile];
    uint capacity = parameters[UPSWEEP_P_CAPACITY];
    bool all = has_flag(UPSWEEP_F_PARTITION);
    for (uint i = lane; i < uint(UPSWEEP_TILE_ITEMS); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint item = tile * uint(UPSWEEP_TILE_ITEMS) + i;
        if (item >= count) continue;
        uint word = votes[i / 32u];
        uint bit = 1u << (i % 32u);
        // Chosen among the items before this one.
        uint kept = before + word_prefixes[i / 32u] - uint(bitCount(word & ~(bit - 1u)));
        if ((word & bit) != 0u) {
            if (all || kept < capacity) move(item, kept);
        } else if (all) {
            move(item, found + item - kept);
        }
    }
}
