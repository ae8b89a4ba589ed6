// Runs of the input.

layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored input_elements[];
};
#if UPSWEEP_ELEMENT_WORDS < 4
// The same memory in vectors of four words, for runs that begin at a multiple of 16 bytes.
layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_vector_block {
    uvec4 input_vectors[];
};
#endif

// The run at `position`, a multiple of 4. Positions from `length` on get a value that must not matter.
void load_run(uint first, uint position, uint length, out element run[UPSWEEP_RUN_ELEMENTS]) {
    bool whole = position + uint(UPSWEEP_RUN_ELEMENTS) <= length;
#if UPSWEEP_ELEMENT_WORDS < 4
    uint word = run_place(first, position) * uint(UPSWEEP_ELEMENT_WORDS);
    if (whole && (word & 3u) == 0u) {
        bool reversed = has_flag(UPSWEEP_F_REVERSE);
#if UPSWEEP_ELEMENT_WORDS == 1
        uvec4 v = input_vectors[word >> 2];
        if (reversed) v = v.wzyx;
        run[0] = from_words(v.x);
        run[1] = from_words(v.y);
        run[2] = from_words(v.z);
        run[3] = from_words(v.w);
#else
        uvec4 v = input_vectors[word >> 2];
        uvec4 w = input_vectors[(word >> 2) + 1u];
        run[0] = from_words(reversed ? w.zw : v.xy);
        run[1] = from_words(reversed ? w.xy : v.zw);
        run[2] = from_words(reversed ? v.zw : w.xy);
        run[3] = from_words(reversed ? v.xy : w.zw);
#endif
        return;
    }
#endif
    // One load in a loop of unknown length: four would be four times the code on drivers that execute both branches.
    uint count = position < length ? min(length - position, uint(UPSWEEP_RUN_ELEMENTS)) : 0u;
    for (int m = 0; m < UPSWEEP_RUN_ELEMENTS; ++m) run[m] = from_words(stored(0u));
    for (uint m = 0u; m < count; ++m) {
        element value = from_words(input_elements[place_of(first, position + m)]);
        for (int at = 0; at < UPSWEEP_RUN_ELEMENTS; ++at) {
            if (uint(at) == m) run[at] = value;
        }
    }
}
