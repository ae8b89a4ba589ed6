// A pass of a sort, last step: keys, and the word that goes along with each, move to where they stand by this digit.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "split.glsl"
#include "sort_keys.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer moved_key_block {
    key_words moved_keys[];
};
layout(std430, binding = UPSWEEP_VALUES) readonly buffer value_block {
    uint values[];
};
layout(std430, binding = UPSWEEP_MOVED_VALUES) writeonly buffer moved_value_block {
    uint moved_values[];
};

void move(uint item, uint place) {
    if (has_flag(UPSWEEP_F_KEYS)) moved_keys[parameters[UPSWEEP_P_OUTPUT_FIRST] + place] = key_at(item);
    if (!has_flag(UPSWEEP_F_VALUES)) return;
    uint value = has_flag(UPSWEEP_F_INDICES) ? item : values[parameters[UPSWEEP_P_VALUES_FIRST] + item];
    moved_values[parameters[UPSWEEP_P_MOVED_FIRST] + place] = value;
}
#include "split_move.glsl"
