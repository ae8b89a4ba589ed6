// The sequence that a stage scans: how long it is, and where its positions lie in the buffers. Position p of a dispatch
// is element first + p, or first - p of a reversed scan. Along an axis there are many sequences, of any strides; a
// sequence may be in segments.

#if defined(UPSWEEP_AXIS)
#include "axis.glsl"
#elif defined(UPSWEEP_SEGMENTS)
#include "segments.glsl"
#else

layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

// Elements of the whole sequence; known here only if the length is in a buffer.
uint whole_length() { return min(lengths[parameters[UPSWEEP_P_LENGTH_INDEX]], parameters[UPSWEEP_P_MAXIMUM]); }

// Elements from position 0 of this dispatch to its last.
uint sequence_length() {
    if (!has_flag(UPSWEEP_F_LENGTH)) return parameters[UPSWEEP_P_LENGTH];
    uint length = whole_length();
    uint before = parameters[UPSWEEP_P_BEFORE];
    return length > before ? min(length - before, parameters[UPSWEEP_P_LENGTH]) : 0u;
}
// Whether the sequence ends in this dispatch.
bool has_last() {
    if (!has_flag(UPSWEEP_F_LENGTH)) return has_flag(UPSWEEP_F_TOTAL);
    uint length = whole_length();
    uint before = parameters[UPSWEEP_P_BEFORE];
    bool ends = length > before ? length - before <= parameters[UPSWEEP_P_LENGTH] : before == 0u;
    return ends && has_flag(UPSWEEP_F_TOTAL);
}

// Where position 0 lies. A reversed sequence whose length is in a buffer begins at an end that only the device knows.
uint first_of(uint first) {
    if (!has_flag(UPSWEEP_F_LENGTH) || !has_flag(UPSWEEP_F_REVERSE)) return first;
    return first + whole_length() - 1u - parameters[UPSWEEP_P_BEFORE];
}
uint input_first(uint sequence) { return first_of(parameters[UPSWEEP_P_INPUT_FIRST]); }
uint output_first(uint sequence) { return first_of(parameters[UPSWEEP_P_OUTPUT_FIRST]); }

// From a position to the next, modulo 2^32.
uint input_stride() { return has_flag(UPSWEEP_F_REVERSE) ? 0xffffffffu : 1u; }
uint output_stride() { return input_stride(); }

uint sequence_count() { return 1u; }

#endif

#ifndef UPSWEEP_SEGMENTS
uint run_heads(uint position) { return 0u; }
operand operand_of(stored words, uint heads, uint m) { return from_words(words); }
#endif

uint place_of(uint first, uint position, uint stride) { return first + position * stride; }
bool is_backwards(uint stride) { return stride == 0xffffffffu; }
// The lowest element of the run at `position`, a multiple of 4, where elements are neighbours; and its first word.
uint run_begin(uint first, uint position, uint stride) {
    return is_backwards(stride) ? first - position - uint(UPSWEEP_RUN_ELEMENTS - 1) : first + position;
}
uint run_word(uint first, uint position, uint stride) {
    return run_begin(first, position, stride) * uint(UPSWEEP_ELEMENT_WORDS);
}
// Whether a tile is complete and its elements are neighbours.
bool is_complete(uint base, uint length, uint stride) {
    bool neighbours = stride == 1u || is_backwards(stride);
    return neighbours && base + uint(UPSWEEP_TILE_ELEMENTS) <= length;
}
// Whether all of its runs can then be moved as vectors: they begin at multiples of 16 bytes.
bool moves_vectors(uint first, uint base, uint length, uint stride) {
    return is_complete(base, length, stride) && (run_word(first, base, stride) & 3u) == 0u;
}
// The k-th run of an invocation.
uint run_position(uint base, int k, uint lane) {
    return base + (uint(k * UPSWEEP_GROUP_SIZE) + lane) * uint(UPSWEEP_RUN_ELEMENTS);
}
// The i-th of its elements.
uint item_position(uint base, uint i, uint lane) {
    uint run = i / uint(UPSWEEP_RUN_ELEMENTS) * uint(UPSWEEP_GROUP_SIZE) + lane;
    return base + run * uint(UPSWEEP_RUN_ELEMENTS) + i % uint(UPSWEEP_RUN_ELEMENTS);
}
