// What a pass of a sort splits by: a digit of eight bits of the key, as an integer of the same order. The key itself is
// moved as it is.
#include "key_order.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer key_block {
    key_words keys[];
};

#if UPSWEEP_ELEMENT_WORDS == 1
uint digit_of(uint key) { return order_of(key) >> parameters[UPSWEEP_P_SHIFT] & 0xffu; }
#else
uint digit_of(uvec2 key) {
    uvec2 ordered = order_of(key);
    uint shift = parameters[UPSWEEP_P_SHIFT];
    return (shift < 32u ? ordered.x : ordered.y) >> (shift & 31u) & 0xffu;
}
#endif

#define split_source key_words
key_words source_of(uint item) { return keys[parameters[UPSWEEP_P_INPUT_FIRST] + item]; }
uint bin_of(key_words key) { return digit_of(key); }
