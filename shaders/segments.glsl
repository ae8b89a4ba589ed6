// A sequence in segments: its length, its places, and where segments begin, one bit a position in the order of the scan
// (mark_heads.comp). Position p of a dispatch is element first + p, or first - p of a reversed scan.

layout(std430, binding = UPSWEEP_LENGTH) readonly buffer head_block {
    uint head_words[];
};

uint sequence_length() { return parameters[UPSWEEP_P_LENGTH]; }
bool has_last() { return false; }  // nobody asks for a total
uint input_first(uint sequence) { return parameters[UPSWEEP_P_INPUT_FIRST]; }
uint output_first(uint sequence) { return parameters[UPSWEEP_P_OUTPUT_FIRST]; }
uint input_stride() { return has_flag(UPSWEEP_F_REVERSE) ? 0xffffffffu : 1u; }
uint output_stride() { return input_stride(); }
uint sequence_count() { return 1u; }

// The heads of the run at `position`, a multiple of 4, within the length of the dispatch: bit m is the m-th element's.
uint run_heads(uint position) {
    uint word = head_words[parameters[UPSWEEP_P_HEADS_FIRST] + position / 32u];
    return (word >> (position % 32u)) & ((1u << uint(UPSWEEP_RUN_ELEMENTS)) - 1u);
}

// The m-th element of a run.
operand operand_of(stored words, uint heads, uint m) {
    uint head = (heads >> m) & 1u;  // a segment begins here, or none does
    element value = from_words(words);
    if (head != 0u && has_flag(UPSWEEP_F_SEGMENT_INITIAL)) value = join(initial_value(), value);
    return operand(head, value);
}
// What an exclusive scan stores where a segment begins.
operand segment_start() {
    if (has_flag(UPSWEEP_F_SEGMENT_INITIAL)) return operand(1u, initial_value());
    return no_operand();
}
