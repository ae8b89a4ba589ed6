// A key as an unsigned integer of the same order, of one word or of two, the low one first.
//
// Of floating-point keys -0 and +0 are equal, and NaNs, all equal, are above everything; in descending order every bit
// is turned over.

#if UPSWEEP_ELEMENT_WORDS == 1
#define key_words uint
uint order_of(uint key) {
    if (has_flag(UPSWEEP_F_SIGNED)) key ^= 0x80000000u;
    if (has_flag(UPSWEEP_F_FLOATING)) {
        uint magnitude = key & 0x7fffffffu;
        if (magnitude > 0x7f800000u)
            key = 0xffffffffu;
        else if (magnitude == 0u)
            key = 0x80000000u;
        else
            key = (key & 0x80000000u) != 0u ? ~key : key | 0x80000000u;
    }
    return has_flag(UPSWEEP_F_DESCENDING) ? ~key : key;
}
#else
#define key_words uvec2
uvec2 order_of(uvec2 key) {
    if (has_flag(UPSWEEP_F_SIGNED)) key.y ^= 0x80000000u;
    if (has_flag(UPSWEEP_F_FLOATING)) {
        uint magnitude = key.y & 0x7fffffffu;
        if (magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && key.x != 0u))
            key = uvec2(0xffffffffu);
        else if (magnitude == 0u && key.x == 0u)
            key = uvec2(0u, 0x80000000u);
        else
            key = (key.y & 0x80000000u) != 0u ? ~key : uvec2(key.x, key.y | 0x80000000u);
    }
    return has_flag(UPSWEEP_F_DESCENDING) ? ~key : key;
}
#endif
