// What vote and compact do with an item: the defaults, a word of flags each and records of words, where the user's text
// does not define keep and move (docs/shaders.md). These can be asked of several items at once.

#ifndef UPSWEEP_USER_ITEMS

#ifdef UPSWEEP_STAGE_VOTE
layout(std430, binding = UPSWEEP_INPUT) readonly buffer flag_block {
    uint item_flags[];
};
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer flag_vector_block {
    uvec4 flag_vectors[];
};
// Whether UPSWEEP_ITEMS neighbours are kept, a bit each; those from `count` on are not. All are loaded before the first use.
#define UPSWEEP_KEEPS_STRIPS
uint keep_strip(uint item, uint count) {
    uint at = parameters[UPSWEEP_P_INPUT_FIRST] + item;
    uvec4 runs[UPSWEEP_RUNS];
    if ((at & 3u) == 0u && count >= uint(UPSWEEP_ITEMS) && item <= count - uint(UPSWEEP_ITEMS)) {
        for (int k = 0; k < UPSWEEP_RUNS; ++k) runs[k] = flag_vectors[(at >> 2) + uint(k)];
    } else {
        for (int k = 0; k < UPSWEEP_RUNS; ++k) {
            for (int m = 0; m < 4; ++m) {
                uint i = uint(4 * k + m);
                runs[k][m] = item + i < count ? item_flags[at + i] : 0u;
            }
        }
    }
    uint bits = 0u;
    for (int k = 0; k < UPSWEEP_RUNS; ++k) bits |= bits_of(uvec4(notEqual(runs[k], uvec4(0u)))) << uint(4 * k);
    return bits;
}
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
#define UPSWEEP_FETCHES
uint record_words() { return parameters[UPSWEEP_P_RECORD_WORDS]; }
// Of at most four words.
uvec4 fetch(uint item) {
    uint words = record_words();
    uint from = parameters[UPSWEEP_P_INPUT_FIRST] + item * words;
    if (has_flag(UPSWEEP_F_VECTORS)) return record_vectors[from >> 2];
    uvec4 record = uvec4(records[from]);
    if (words > 1u) record.y = records[from + 1u];
    if (words > 2u) record.z = records[from + 2u];
    if (words > 3u) record.w = records[from + 3u];
    return record;
}
void put(uint place, uvec4 record) {
    uint words = record_words();
    uint to = parameters[UPSWEEP_P_OUTPUT_FIRST] + place * words;
    if (has_flag(UPSWEEP_F_VECTORS)) {
        packed_vectors[to >> 2] = record;
        return;
    }
    packed_records[to] = record.x;
    if (words > 1u) packed_records[to + 1u] = record.y;
    if (words > 2u) packed_records[to + 2u] = record.z;
    if (words > 3u) packed_records[to + 3u] = record.w;
}
// Four neighbours of one word each, or their indices. Of those from `count` on the last one.
uvec4 fetch_run(uint item, uint count) {
    if (record_words() == 0u) return uvec4(item, item + 1u, item + 2u, item + 3u);
    uint from = parameters[UPSWEEP_P_INPUT_FIRST];
    if (((from + item) & 3u) == 0u && item + 4u <= count) return record_vectors[(from + item) >> 2];
    uint last = count - 1u;
    return uvec4(records[from + min(item, last)], records[from + min(item + 1u, last)],
                 records[from + min(item + 2u, last)], records[from + min(item + 3u, last)]);
}
void put_word(uint place, uint word) { packed_records[parameters[UPSWEEP_P_OUTPUT_FIRST] + place] = word; }
#endif

#else
//! user text
#endif
