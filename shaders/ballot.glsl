// The votes of a tile of items: one bit an item, 32 to a word, in the order of the items.

#define UPSWEEP_TILE_ITEMS UPSWEEP_TILE_ELEMENTS
#define UPSWEEP_VOTE_WORDS (UPSWEEP_TILE_ITEMS / 32)

shared uint votes[UPSWEEP_VOTE_WORDS];

layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};
uint item_count() {
    uint count = parameters[UPSWEEP_P_LENGTH];
    return has_flag(UPSWEEP_F_LENGTH) ? min(count, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]) : count;
}
