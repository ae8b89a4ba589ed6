// Runs of the output.

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};
#if UPSWEEP_ELEMENT_WORDS < 4
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_vector_block {
    uvec4 output_vectors[];
};
#endif

// The run at `position`, a multiple of 4, as far as `length`.
void store_run(uint first, uint position, uint length, element run[UPSWEEP_RUN_ELEMENTS]) {
    bool whole = position + uint(UPSWEEP_RUN_ELEMENTS) <= length;
#if UPSWEEP_ELEMENT_WORDS < 4
    uint word = run_place(first, position) * uint(UPSWEEP_ELEMENT_WORDS);
    if (whole && (word & 3u) == 0u) {
        bool reversed = has_flag(UPSWEEP_F_REVERSE);
#if UPSWEEP_ELEMENT_WORDS == 1
        uvec4 v = uvec4(to_words(run[0]), to_words(run[1]), to_words(run[2]), to_words(run[3]));
        output_vectors[word >> 2] = reversed ? v.wzyx : v;
#else
        uvec4 v = uvec4(to_words(run[0]), to_words(run[1]));
        uvec4 w = uvec4(to_words(run[2]), to_words(run[3]));
        output_vectors[word >> 2] = reversed ? w.zwxy : v;
        output_vectors[(word >> 2) + 1u] = reversed ? v.zwxy : w;
#endif
        return;
    }
#endif
    uint count = position < length ? min(length - position, uint(UPSWEEP_RUN_ELEMENTS)) : 0u;
    for (uint m = 0u; m < count; ++m) {
        element value = run[0];
        for (int at = 1; at < UPSWEEP_RUN_ELEMENTS; ++at) {
            if (uint(at) == m) value = run[at];
        }
        output_elements[place_of(first, position + m)] = to_words(value);
    }
}
