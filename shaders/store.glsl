// An invocation's part of a tile, stored.

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};
#if UPSWEEP_ELEMENT_WORDS < 4
// The same memory in vectors of four words.
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_vector_block {
    uvec4 output_vectors[];
};
#endif

// The runs of `lane` in the tile at `base`, as far as `length`.
void store_runs(uint first, uint base, uint lane, uint length, operand items[UPSWEEP_ITEMS]) {
    uint stride = output_stride();
#if UPSWEEP_ELEMENT_WORDS < 4
    if (moves_vectors(first, base, length, stride)) {
        bool reversed = is_backwards(stride);
        for (int k = 0; k < UPSWEEP_RUNS; ++k) {
            uint at = run_word(first, run_position(base, k, lane), stride) >> 2;
            stored a = to_words(items[4 * k]);
            stored b = to_words(items[4 * k + 1]);
            stored c = to_words(items[4 * k + 2]);
            stored d = to_words(items[4 * k + 3]);
#if UPSWEEP_ELEMENT_WORDS == 1
            output_vectors[at] = reversed ? uvec4(d, c, b, a) : uvec4(a, b, c, d);
#else
            output_vectors[at] = reversed ? uvec4(d, c) : uvec4(a, b);
            output_vectors[at + 1u] = reversed ? uvec4(b, a) : uvec4(c, d);
#endif
        }
        return;
    }
#endif
    uint count = base < length ? uint(UPSWEEP_ITEMS) : 0u;
    for (uint i = 0u; i < count; ++i) {
        operand value = items[0];
        for (int at = 1; at < UPSWEEP_ITEMS; ++at) {
            if (uint(at) == i) value = items[at];
        }
        uint position = item_position(base, i, lane);
        if (position < length) output_elements[place_of(first, position, stride)] = to_words(value);
    }
}
