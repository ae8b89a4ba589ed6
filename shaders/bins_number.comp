// Extraction of more than 256 bins, first step: the number of each item's bin, by which the items are sorted then. That
// of an item without one has every bit set, in any number of digits behind all others.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;
#include "bin_items.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer number_block {
    uint numbers[];
};
layout(std430, binding = UPSWEEP_LENGTH) readonly buffer length_block {
    uint lengths[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint tile = parameters[UPSWEEP_P_FIRST_GROUP] + group_index();
    uint count = parameters[UPSWEEP_P_LENGTH];
    if (has_flag(UPSWEEP_F_LENGTH)) count = min(count, lengths[parameters[UPSWEEP_P_LENGTH_INDEX]]);
    for (uint i = gl_LocalInvocationIndex; i < uint(UPSWEEP_TILE_ELEMENTS); i += uint(UPSWEEP_GROUP_SIZE)) {
        uint item = tile * uint(UPSWEEP_TILE_ELEMENTS) + i;
        if (item < count)
            numbers[parameters[UPSWEEP_P_OUTPUT_FIRST] + item] = bin_of(source_of(item));
    }
}
