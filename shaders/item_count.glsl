// How many items there are to vote for and to move.
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};
uint item_count() {
    uint count = parameters[UPSWEEP_P_LENGTH];
    return has_flag(UPSWEEP_F_LENGTH) ? min(count, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]) : count;
}
