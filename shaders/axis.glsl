// The sequences along an axis of an n-dimensional array, of which a dispatch has a block: where each begins, and how far
// apart its elements are. Indices are modulo 2^32, so that strides may be negative.

// The outer dimensions of an array that has more of them than the parameters have room for; written by axis_shape.
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer shape_block {
    uint shape_words[];
};

uint shape_word(uint i) {
    if (i < uint(UPSWEEP_SHAPE_WORDS)) return parameters[uint(UPSWEEP_P_SHAPE) + i];
    return shape_words[parameters[UPSWEEP_P_SHAPE_FIRST] + i - uint(UPSWEEP_SHAPE_WORDS)];
}

// Where sequence number `sequence` of the dispatch begins, in the input and in the output.
uvec2 sequence_begin(uint sequence) {
    uvec2 begin = uvec2(parameters[UPSWEEP_P_INPUT_FIRST], parameters[UPSWEEP_P_OUTPUT_FIRST]);
    uint dimensions = parameters[UPSWEEP_P_DIMENSIONS];
    for (uint k = 0u; k < dimensions; ++k) {
        uint extent = shape_word(3u * k);
        uint rest = sequence / extent;
        begin += (sequence - rest * extent) * uvec2(shape_word(3u * k + 1u), shape_word(3u * k + 2u));
        sequence = rest;
    }
    return begin;
}
uint input_first(uint sequence) { return sequence_begin(sequence).x; }
uint output_first(uint sequence) { return sequence_begin(sequence).y; }

uint input_stride() { return parameters[UPSWEEP_P_INPUT_STRIDE]; }
uint output_stride() { return parameters[UPSWEEP_P_OUTPUT_STRIDE]; }

uint sequence_count() { return parameters[UPSWEEP_P_SEQUENCES]; }
uint sequence_length() { return parameters[UPSWEEP_P_LENGTH]; }
bool has_last() { return has_flag(UPSWEEP_F_ONLY_TOTAL); }  // nobody asks for totals beside results
