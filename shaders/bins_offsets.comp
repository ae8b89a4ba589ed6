// Where each of at most 256 bins begins, and where the last one ends: the scanned counts of the first tile, and their
// sum, which stands behind the length at UPSWEEP_P_CARRY.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;

layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    uint workspace[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer offset_block {
    uint offsets[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint bins = parameters[UPSWEEP_P_BINS];
    for (uint bin = gl_LocalInvocationIndex; bin <= bins; bin += uint(UPSWEEP_GROUP_SIZE)) {
        uint at = bin < bins ? bin * parameters[UPSWEEP_P_TILES] : parameters[UPSWEEP_P_CARRY] + 1u;
        offsets[parameters[UPSWEEP_P_OUTPUT_FIRST] + bin] = workspace[at];
    }
}
