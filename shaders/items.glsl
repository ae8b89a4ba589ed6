// What vote and compact do with an item: the defaults, a word of flags each and records of words, where the user's text
// does not define keep and move (docs/shaders.md).

#ifndef UPSWEEP_USER_ITEMS

#ifdef UPSWEEP_STAGE_VOTE
layout(std430, binding = UPSWEEP_INPUT) readonly buffer flag_block {
    uint item_flags[];
};
bool keep(uint item) { return item_flags[parameters[UPSWEEP_P_INPUT_FIRST] + item] != 0u; }
#else
layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_block {
    uint records[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer packed_block {
    uint packed_records[];
};
layout(std430, binding = UPSWEEP_INPUT) readonly buffer record_vector_block {
    uvec4 record_vectors[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer packed_vector_block {
    uvec4 packed_vectors[];
};
void move(uint item, uint place) {
    uint words = parameters[UPSWEEP_P_RECORD_WORDS];
    uint target = parameters[UPSWEEP_P_OUTPUT_FIRST];
    if (words == 0u) {
        packed_records[target + place] = item;
        return;
    }
    uint from = parameters[UPSWEEP_P_INPUT_FIRST] + item * words;
    uint to = target + place * words;
    if (has_flag(UPSWEEP_F_VECTORS)) {
        for (uint w = 0u; w < words; w += 4u) packed_vectors[(to + w) >> 2] = record_vectors[(from + w) >> 2];
    } else {
        for (uint w = 0u; w < words; ++w) packed_records[to + w] = records[from + w];
    }
}
#endif

#else
//! user text
#endif
