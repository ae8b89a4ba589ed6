// The totals of segments without elements, which only offsets describe: the initial value, or else the identity. An
// invocation has UPSWEEP_OFFSETS_AHEAD segments, a work group's size apart.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "operators.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer offset_block {
    uint offsets[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint group = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint first = group * uint(UPSWEEP_OFFSETS_AHEAD * UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex;
    uint count = parameters[UPSWEEP_P_LENGTH];
    uint begins[UPSWEEP_OFFSETS_AHEAD];
    uint ends[UPSWEEP_OFFSETS_AHEAD];
    for (int j = 0; j < UPSWEEP_OFFSETS_AHEAD; ++j) {
        uint at = parameters[UPSWEEP_P_INPUT_FIRST] + min(first + uint(j * UPSWEEP_GROUP_SIZE), count - 1u);
        begins[j] = offsets[at];
        ends[j] = offsets[at + 1u];
    }
    element empty = absent();
    if (has_flag(UPSWEEP_F_SEGMENT_INITIAL)) empty = initial_value();
    for (int j = 0; j < UPSWEEP_OFFSETS_AHEAD; ++j) {
        uint k = first + uint(j * UPSWEEP_GROUP_SIZE);
        if (k < count && begins[j] == ends[j])
            output_elements[parameters[UPSWEEP_P_OUTPUT_FIRST] + k] = to_words(empty);
    }
}
