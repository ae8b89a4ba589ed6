// The first step of a stable split: the items of each bin in a tile of 4096 (split.glsl).

layout(std430, binding = UPSWEEP_WORKSPACE) writeonly buffer workspace_block {
    uint workspace[];
};
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

// Neighbours count in different copies, so that many items of one bin do not all wait for one word.
#define UPSWEEP_COUNT_COPIES 8
shared uint counts[UPSWEEP_MOST_BINS * UPSWEEP_COUNT_COPIES];

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint lane = gl_LocalInvocationIndex;
    uint tile = split_tile();
    uint bins = parameters[UPSWEEP_P_BINS];
    uint count = parameters[UPSWEEP_P_LENGTH];
    if (has_flag(UPSWEEP_F_LENGTH)) {
        count = min(count, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]);
        // For the last step, which has other buffers where the length is.
        if (tile == 0u && lane == 0u) workspace[parameters[UPSWEEP_P_CARRY]] = count;
    }
    for (uint i = lane; i < bins * uint(UPSWEEP_COUNT_COPIES); i += uint(UPSWEEP_GROUP_SIZE)) counts[i] = 0u;
    synchronize();

    uint base = tile * uint(UPSWEEP_SPLIT_ITEMS);
    if (base < count) {
        split_source sources[UPSWEEP_ROUNDS];
        for (int k = 0; k < UPSWEEP_ROUNDS; ++k)
            sources[k] = source_of(min(base + uint(k * UPSWEEP_GROUP_SIZE) + lane, count - 1u));
        for (int k = 0; k < UPSWEEP_ROUNDS; ++k) {
            bool exists = base + uint(k * UPSWEEP_GROUP_SIZE) + lane < count;
            uint bin = exists ? bin_of(sources[k]) : UPSWEEP_NO_BIN;
            if (bin < bins)
                atomicAdd(counts[bin * uint(UPSWEEP_COUNT_COPIES) + lane % uint(UPSWEEP_COUNT_COPIES)], 1u);
        }
    }
    synchronize();

    // Tiles behind a length from a buffer have counts too: none.
    if (lane < bins) {
        uint sum = 0u;
        for (int copy = 0; copy < UPSWEEP_COUNT_COPIES; ++copy)
            sum += counts[lane * uint(UPSWEEP_COUNT_COPIES) + uint(copy)];
        workspace[count_slot(lane, tile)] = sum;
    }
}
