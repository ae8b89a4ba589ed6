// What a pass of a sort splits by: a digit of eight bits of the key, as an integer of the same order.
//
// Of floating-point keys -0 and +0 are equal, and NaNs, all equal, are above everything; in descending order every bit
// is turned over. The key itself is moved as it is.

#if UPSWEEP_ELEMENT_WORDS == 1
#define key_words uint
#else
#define key_words uvec2
#endif

layout(std430, binding = UPSWEEP_INPUT) readonly buffer key_block {
    key_words keys[];
};

#if UPSWEEP_ELEMENT_WORDS == 1

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
uint digit_of(uint key) { return order_of(key) >> parameters[UPSWEEP_P_SHIFT] & 0xffu; }

#else

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
uint digit_of(uvec2 key) {
    uvec2 ordered = order_of(key);
    uint shift = parameters[UPSWEEP_P_SHIFT];
    return (shift < 32u ? ordered.x : ordered.y) >> (shift & 31u) & 0xffu;
}

#endif

#define split_source key_words
key_words source_of(uint item) { return keys[parameters[UPSWEEP_P_INPUT_FIRST] + item]; }
uint bin_of(key_words key) { return digit_of(key); }
