// The end of a sort of keys with values of any width: each value is fetched by the index that went along with its key.
// Without indices it is copied from where the fetched ones will be written. A word of the output an invocation, so that
// neighbours write neighbouring words.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;

layout(std430, binding = UPSWEEP_INPUT) readonly buffer value_block {
    uint values[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer moved_block {
    uint moved[];
};
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer index_block {
    uint indices[];
};
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint count = parameters[UPSWEEP_P_LENGTH];
    if (has_flag(UPSWEEP_F_LENGTH)) count = min(count, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]);
    uint width = parameters[UPSWEEP_P_RECORD_WORDS];
    uint group = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    for (uint i = 0u; i < uint(UPSWEEP_ITEMS); ++i) {
        uint word = group * uint(UPSWEEP_TILE_ELEMENTS) + i * uint(UPSWEEP_GROUP_SIZE) + gl_LocalInvocationIndex;
        uint place = word / width;
        if (place >= count) return;
        uint item = has_flag(UPSWEEP_F_INDICES) ? indices[parameters[UPSWEEP_P_VALUES_FIRST] + place] : place;
        moved[parameters[UPSWEEP_P_OUTPUT_FIRST] + word] =
            values[parameters[UPSWEEP_P_INPUT_FIRST] + item * width + word % width];
    }
}
