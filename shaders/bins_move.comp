// Extraction of at most 256 bins, last step: the elements, the user's records or the indices of the items of each bin
// move to where they stand among all, as far as there is room.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "split.glsl"
#include "bin_items.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_block {
    uint records[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer packed_block {
    uint packed_records[];
};

// The first words of input and output are those of elements; of the user's records they are words.
#ifdef UPSWEEP_USER_BINS
uint split_words() { return has_flag(UPSWEEP_F_INDICES) ? 1u : parameters[UPSWEEP_P_RECORD_WORDS]; }
uint first_word(int parameter) { return parameters[parameter]; }
#else
uint split_words() { return has_flag(UPSWEEP_F_INDICES) ? 1u : uint(UPSWEEP_ELEMENT_WORDS); }
uint first_word(int parameter) { return parameters[parameter] * split_words(); }
#endif

uint word_of(uint item, split_source source, uint word) {
    if (has_flag(UPSWEEP_F_INDICES)) return item;
#ifndef UPSWEEP_USER_BINS
#if UPSWEEP_ELEMENT_WORDS == 1
    return source;
#else
    return word == 0u ? source.x : source.y;
#endif
#endif
    return records[first_word(UPSWEEP_P_INPUT_FIRST) + item * split_words() + word];
}
void store_word(uint place, uint word, uint value) {
    if (place < parameters[UPSWEEP_P_ROOM])
        packed_records[first_word(UPSWEEP_P_OUTPUT_FIRST) + place * split_words() + word] = value;
}
#include "split_move.glsl"
