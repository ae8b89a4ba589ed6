// Vote, the first stage of compact and partition: which items stay, one bit each, and how many of every tile of 4096.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#define UPSWEEP_STAGE_VOTE
#include "items.glsl"
#include "ballot.glsl"

// From UPSWEEP_P_SUPERS on, the votes; in front of them a count for each tile.
layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer workspace_block {
    uint workspace[];
};

shared uint tile_count;

#ifdef UPSWEEP_SUBGROUPS
#include "lanes.glsl"
// The votes of a subgroup, whose items are neighbours, at once.
void collect(uint i, bool vote) {
    uvec4 ballot = subgroupBallot(vote);
    if (!subgroupElect()) return;
    uint first = i - gl_SubgroupInvocationID;
    for (uint w = 0u; w < (subgroup_lanes() + 31u) / 32u; ++w)
        atomicOr(votes[first / 32u + w], ballot[w] << (first % 32u));
}
#else
uint lane_index() { return gl_LocalInvocationIndex; }
void collect(uint i, bool vote) {
    if (vote) atomicOr(votes[i / 32u], 1u << (i % 32u));
}
#endif

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = lane_index();
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint count = item_count();
    for (uint w = lane; w < uint(UPSWEEP_VOTE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) votes[w] = 0u;
    if (lane == 0u) tile_count = 0u;
    synchronize();

    for (uint i = lane; i < uint(UPSWEEP_TILE_ITEMS); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint item = tile * uint(UPSWEEP_TILE_ITEMS) + i;
        bool vote = item < count ? keep(item) : false;
        collect(i, vote);
    }
    synchronize();

    for (uint w = lane; w < uint(UPSWEEP_VOTE_WORDS); w += uint(UPSWEEP_GROUP_SIZE)) {
        atomicAdd(tile_count, uint(bitCount(votes[w])));
        workspace[parameters[UPSWEEP_P_SUPERS] + tile * uint(UPSWEEP_VOTE_WORDS) + w] = votes[w];
    }
    synchronize();
    if (lane == 0u) workspace[tile] = tile_count;
}
