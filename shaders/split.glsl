// A stable split: items go to bins, those of a bin behind one another in their order. What an item is, which bin it
// goes to and what moving it means is said by the stage that includes this (sort_keys.glsl is the example):
//
//     split_source                         a macro: the type of what an item's bin is found from
//     split_source source_of(uint item)    loads it, for many items before the first is used
//     uint bin_of(split_source source)     below parameters[UPSWEEP_P_BINS], or UPSWEEP_NO_BIN: the item is left out
//
// and, for split_move.glsl, of what is moved
//
//     uint split_words()                                       how many words an item has; the same for all
//     uint word_of(uint item, split_source source, uint word)  one of them
//     void store_word(uint place, uint word, uint value)       called once for each word of each item that has a bin
//
// Three steps, and no work group waits for another: split_count.glsl counts the items of each bin in each tile, the
// counts are scanned, split_move.glsl moves. The counts of one bin stand side by side, bin after bin, so that the
// exclusive scan of all of them is where the first item of each bin of each tile goes; where bin b begins is the number
// at b * tiles.

#define UPSWEEP_SPLIT_ITEMS UPSWEEP_TILE_ELEMENTS
#define UPSWEEP_ROUNDS (UPSWEEP_SPLIT_ITEMS / UPSWEEP_GROUP_SIZE)  // items of an invocation

uint split_tile() { return parameters[UPSWEEP_P_FIRST_GROUP] + group_index(); }
uint count_slot(uint bin, uint tile) { return bin * parameters[UPSWEEP_P_TILES] + tile; }
