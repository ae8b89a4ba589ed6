// A pass of a sort, last step: keys, and the word that goes along with each, move to where they stand by this digit.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "split.glsl"
#include "sort_keys.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer moved_key_block {
    uint moved_keys[];
};
layout(std430, binding = UPSWEEP_VALUES) readonly buffer value_block {
    uint values[];
};
layout(std430, binding = UPSWEEP_MOVED_VALUES) writeonly buffer moved_value_block {
    uint moved_values[];
};

// First the words of the key, if keys are moved, then the value, if there is one.
uint moved_key_words() { return has_flag(UPSWEEP_F_KEYS) ? uint(UPSWEEP_ELEMENT_WORDS) : 0u; }
uint split_words() { return moved_key_words() + (has_flag(UPSWEEP_F_VALUES) ? 1u : 0u); }
uint word_of(uint item, key_words key, uint word) {
    if (word < moved_key_words()) {
#if UPSWEEP_ELEMENT_WORDS == 1
        return key;
#else
        return word == 0u ? key.x : key.y;
#endif
    }
    return has_flag(UPSWEEP_F_INDICES) ? item : values[parameters[UPSWEEP_P_VALUES_FIRST] + item];
}
void store_word(uint place, uint word, uint value) {
    if (word < moved_key_words())
        moved_keys[(parameters[UPSWEEP_P_OUTPUT_FIRST] + place) * uint(UPSWEEP_ELEMENT_WORDS) + word] = value;
    else
        moved_values[parameters[UPSWEEP_P_MOVED_FIRST] + place] = value;
}
#include "split_move.glsl"
