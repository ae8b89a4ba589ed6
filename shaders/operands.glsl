// What the stages of a scan fold: elements; or, in a scan of segments, pairs of an element and whether a segment begins
// there or has begun before it:
//
//     (h1, v1) (+) (h2, v2) = (h1 or h2,  h2 ? v2 : v1 (+) v2)
//
// Pairs inherit from elements that grouping does not matter, and that the identity changes nothing. They never commute.
// `kept` is an operand as it lies in the workspace.

#ifndef UPSWEEP_SEGMENTS

#define operand element
#define kept stored

operand no_operand() { return absent(); }
operand first_operand() { return initial_value(); }
operand from_kept(kept words) { return from_words(words); }
kept to_kept(operand value) { return to_words(value); }
kept no_kept() { return stored(0u); }

#else

struct operand {
    uint head;  // 1 or 0
    element value;
};
struct kept {
    stored value;
    uint head;
};

operand join(operand earlier, operand later) {
    if (later.head != 0u) return later;
    return operand(earlier.head, join(earlier.value, later.value));
}
// An initial value is combined with the first element of each segment, and nothing is in front of all.
operand no_operand() { return operand(0u, absent()); }
operand first_operand() { return no_operand(); }
operand from_kept(kept words) { return operand(words.head, from_words(words.value)); }
kept to_kept(operand pair) { return kept(to_words(pair.value), pair.head); }
kept no_kept() { return kept(stored(0u), 0u); }
stored to_words(operand pair) { return to_words(pair.value); }

#endif
