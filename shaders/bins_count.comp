// Extraction of at most 256 bins, first step: how many items of a tile belong to each bin.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "split.glsl"
#include "bin_items.glsl"
#include "split_count.glsl"
