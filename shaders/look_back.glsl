// What work groups of one dispatch tell each other: the totals of tiles, and what is before each super.
//
// A value lies in the workspace as halves of its words, each beside a bit that says it is there; so whoever finds all of
// them has the value, in whatever order they became visible. All are cleared before the dispatch, and what is told is a
// function of the input alone: who tells it a second time tells the same.
//
// Atomic operations tell, since they are done where all work groups see them. Loads hear: atomic ones of hundreds of work
// groups wait for each other where they ask for the same word.

layout(std430, binding = UPSWEEP_WORKSPACE) coherent volatile buffer told_block {
    uint told[];
};

#ifdef UPSWEEP_SEGMENTS
#define UPSWEEP_TOLD_WORDS (UPSWEEP_ELEMENT_WORDS + 1)
void words_of(operand value, out uint words[UPSWEEP_TOLD_WORDS]) {
    stored of_value = to_words(value.value);
    words[UPSWEEP_ELEMENT_WORDS] = value.heads;
#else
#define UPSWEEP_TOLD_WORDS UPSWEEP_ELEMENT_WORDS
void words_of(operand value, out uint words[UPSWEEP_TOLD_WORDS]) {
    stored of_value = to_words(value);
#endif
#if UPSWEEP_ELEMENT_WORDS == 1
    words[0] = of_value;
#else
    for (int i = 0; i < UPSWEEP_ELEMENT_WORDS; ++i) words[i] = of_value[i];
#endif
}
operand operand_from(uint words[UPSWEEP_TOLD_WORDS]) {
#if UPSWEEP_ELEMENT_WORDS == 1
    stored of_value = words[0];
#else
    stored of_value = stored(0u);
    for (int i = 0; i < UPSWEEP_ELEMENT_WORDS; ++i) of_value[i] = words[i];
#endif
#ifdef UPSWEEP_SEGMENTS
    return operand(words[UPSWEEP_ELEMENT_WORDS], from_words(of_value));
#else
    return from_words(of_value);
#endif
}

void tell(uint place, operand value) {
    uint words[UPSWEEP_TOLD_WORDS];
    words_of(value, words);
    uint at = place * uint(2 * UPSWEEP_TOLD_WORDS);
    for (int i = 0; i < UPSWEEP_TOLD_WORDS; ++i) {
        atomicExchange(told[at + uint(2 * i)], words[i] << 16 | 1u);
        atomicExchange(told[at + uint(2 * i + 1)], (words[i] & 0xffff0000u) | 1u);
    }
}
// Whether the value has been told; if so it is `value`.
bool hear(uint place, inout operand value) {
    uint words[UPSWEEP_TOLD_WORDS];
    uint there = 1u;
    uint at = place * uint(2 * UPSWEEP_TOLD_WORDS);
    for (int i = 0; i < UPSWEEP_TOLD_WORDS; ++i) {
        uint low = told[at + uint(2 * i)];
        uint high = told[at + uint(2 * i + 1)];
        there &= low & high;
        words[i] = (high & 0xffff0000u) | low >> 16;
    }
    if ((there & 1u) == 0u) return false;
    value = operand_from(words);
    return true;
}

// Places: the total of each tile, and what is before each super but the first.
uint place_of_tile(uint tile) { return tile; }
uint place_before_super(uint super) { return parameters[UPSWEEP_P_SUPERS] + super; }
