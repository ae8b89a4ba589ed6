// The length of each run, from where the runs begin: as many as were found, as far as there is room. One beginning more than
// there is room for is known, if there are so many.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;

layout(std430, binding = UPSWEEP_INPUT) readonly buffer begin_block {
    uint begins[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer run_length_block {
    uint run_lengths[];
};
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer workspace_block {
    uint workspace[];
};
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

void main() {
    uint groups = parameters[UPSWEEP_P_GROUPS];
    if (group_index() >= groups) return;
    uint found = workspace[parameters[UPSWEEP_P_CARRY]];
    uint count = min(found, parameters[UPSWEEP_P_CAPACITY]);
    uint first = parameters[UPSWEEP_P_INPUT_FIRST];
    uint length = parameters[UPSWEEP_P_LENGTH];
    if (has_flag(UPSWEEP_F_LENGTH)) length = min(length, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]);
    uint step = groups * uint(UPSWEEP_GROUP_SIZE);
    // Below 2^31, as that many words are the most that is bound.
    for (uint k = group_index() * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex; k < count; k += step) {
        uint end = length;
        if (k + 1u < found) end = begins[first + k + 1u];
        run_lengths[parameters[UPSWEEP_P_OUTPUT_FIRST] + k] = end - begins[first + k];
    }
}
