// The totals of segments without elements, which only offsets describe: the initial value, or else the identity.
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
    uint k = group * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex;
    if (k >= parameters[UPSWEEP_P_LENGTH]) return;
    uint at = parameters[UPSWEEP_P_INPUT_FIRST] + k;
    if (offsets[at] != offsets[at + 1u]) return;
    element empty = absent();
    if (has_flag(UPSWEEP_F_SEGMENT_INITIAL)) empty = initial_value();
    output_elements[parameters[UPSWEEP_P_OUTPUT_FIRST] + k] = to_words(empty);
}
