// What is stored of a tile whose segments have one result each: stored are the prefixes of elements with which a
// segment ends, at the place that the number of segments up to there tells, the k-th result behind the k-1 before it. Where
// segments are given by offsets, of which some may be empty, the k-th result has a number to be stored by. What is behind
// a length from a buffer is no segment, which the number of all tells.

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored output_elements[];
};
layout(std430, binding = UPSWEEP_TOTAL) readonly buffer number_block {
    uint segment_numbers[];
};

// Of the run at `position`, bit m: a segment ends with the m-th element. The next one's head may be the first bit of a word
// that is bound only if it belongs to an element.
uint run_ends(uint position, uint length) {
    uint at = parameters[UPSWEEP_P_HEADS_FIRST] + position / 32u;
    uint shift = position % 32u + 1u;
    uint ends = head_words[at] >> shift;
    bool last = has_flag(UPSWEEP_F_TOTAL);  // the sequence ends with this dispatch, and with it a segment
    uint run = uint(UPSWEEP_RUN_ELEMENTS);
    if (shift + run > 32u && (!last || position + run < length)) ends |= head_words[at + 1u] << (32u - shift);
    if (last && length - position <= run) ends |= 1u << (length - position - 1u);
    return ends & ((1u << run) - 1u);
}

void store_total(operand total) {
    uint place = total.heads - 1u;
    uint room = parameters[UPSWEEP_P_CAPACITY];
    uint numbers = parameters[UPSWEEP_P_TOTAL_INDEX];
    if (has_flag(UPSWEEP_F_LENGTH)) room = min(room, segment_numbers[numbers]);
    if (place >= room) return;
    if (has_flag(UPSWEEP_F_NUMBERED)) place = segment_numbers[numbers + place];
    // Offsets that are not what they should be leave numbers unwritten.
    if (place < room) output_elements[parameters[UPSWEEP_P_OUTPUT_FIRST] + place] = to_words(total);
}
