// The bins of words: their residues by a number that the host gives, but for multiples of 7, which have none.
layout(std430, set = 1, binding = 0) readonly buffer value_block {
    uint values[];
};
uint bin(uint item) {
    uint value = values[item];
    return value % 7u == 0u ? 0xffffffffu : value % parameters[UPSWEEP_P_USER];
}
