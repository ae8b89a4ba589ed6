// Vote, the first stage of compact and partition: which items stay, one bit each, and how many of every tile of 4096.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#define UPSWEEP_STAGE_VOTE
#include "tile_bits.glsl"
#include "items.glsl"
#include "item_count.glsl"

// From UPSWEEP_P_SUPERS on, the votes; in front of them a count for each tile.
layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer workspace_block {
    uint workspace[];
};

#ifdef UPSWEEP_KEEPS_STRIPS

uint lane_index() { return gl_LocalInvocationIndex; }
void vote(uint lane, uint base, uint count) { set_strip(lane, keep_strip(base + strip_begin(lane), count)); }

#else

#ifdef UPSWEEP_SUBGROUPS
#include "lanes.glsl"
// The votes of a subgroup, whose items are neighbours, at once.
void collect(uint i, bool vote) {
    uvec4 ballot = subgroupBallot(vote);
    if (!subgroupElect()) return;
    uint first = i - gl_SubgroupInvocationID;
    for (uint w = 0u; w < (subgroup_lanes() + 31u) / 32u; ++w)
        atomicOr(tile_bits[first / 32u + w], ballot[w] << (first % 32u));
}
#else
uint lane_index() { return gl_LocalInvocationIndex; }
void collect(uint i, bool vote) {
    if (vote) atomicOr(tile_bits[i / 32u], 1u << (i % 32u));
}
#endif

// Items that an invocation asks for before it uses an answer.
#define UPSWEEP_VOTES_AHEAD 4
void vote(uint lane, uint base, uint count) {
    bool complete = count >= uint(UPSWEEP_TILE_ELEMENTS) && base <= count - uint(UPSWEEP_TILE_ELEMENTS);
    for (uint i = lane; i < uint(UPSWEEP_TILE_ELEMENTS); i += uint(UPSWEEP_VOTES_AHEAD * UPSWEEP_GROUP_SIZE)) {
        bool some[UPSWEEP_VOTES_AHEAD];
        if (complete) {  // without a branch between the loads
            for (int j = 0; j < UPSWEEP_VOTES_AHEAD; ++j) some[j] = keep(base + i + uint(j * UPSWEEP_GROUP_SIZE));
        } else {
            for (int j = 0; j < UPSWEEP_VOTES_AHEAD; ++j) {
                uint item = base + i + uint(j * UPSWEEP_GROUP_SIZE);
                some[j] = item < count ? keep(item) : false;
            }
        }
        for (int j = 0; j < UPSWEEP_VOTES_AHEAD; ++j) collect(i + uint(j * UPSWEEP_GROUP_SIZE), some[j]);
    }
}

#endif

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = lane_index();
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    clear_bits(lane);
    synchronize();
    vote(lane, tile * uint(UPSWEEP_TILE_ELEMENTS), item_count());
    synchronize();
    count_bits(lane);
    for (uint w = lane; w < uint(UPSWEEP_TILE_WORDS); w += uint(UPSWEEP_GROUP_SIZE))
        workspace[parameters[UPSWEEP_P_SUPERS] + tile * uint(UPSWEEP_TILE_WORDS) + w] = tile_bits[w];
    synchronize();
    if (lane == 0u) workspace[tile] = tile_count;
}
