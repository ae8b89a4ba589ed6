// A pass of a sort, first step: how many keys of a tile have each digit.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "split.glsl"
#include "sort_keys.glsl"
#include "split_count.glsl"
