// What the stages of a scan fold: elements; or, in a scan of segments, pairs of an element and how many segments begin
// there or have begun before it:
//
//     (h1, v1) (+) (h2, v2) = (h1 + h2,  h2 != 0 ? v2 : v1 (+) v2)
//
// A scan asks only whether it is none; the totals of segments find their places by it. Pairs inherit from elements that
// grouping does not matter, and that the identity changes nothing. They never commute.
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
    uint heads;
    element value;
};
struct kept {
    stored value;
    uint heads;
};

operand join(operand earlier, operand later) {
    uint heads = earlier.heads + later.heads;
    if (later.heads != 0u) return operand(heads, later.value);
    return operand(heads, join(earlier.value, later.value));
}
// An initial value is combined with the first element of each segment, and nothing is in front of all.
operand no_operand() { return operand(0u, absent()); }
operand first_operand() { return no_operand(); }
operand from_kept(kept words) { return operand(words.heads, from_words(words.value)); }
kept to_kept(operand pair) { return kept(to_words(pair.value), pair.heads); }
kept no_kept() { return kept(stored(0u), 0u); }
stored to_words(operand pair) { return to_words(pair.value); }

#endif
