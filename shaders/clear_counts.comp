// Zero for every count, in front of count_bins, whose work groups add to them. A work group clears a tile of 4096.
#include "interface.glsl"
layout(local_size_x = UPSWEEP_GROUP_SIZE) in;

layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer count_block {
    uint counts[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint base = (parameters[UPSWEEP_P_FIRST_GROUP] + group_index()) * uint(UPSWEEP_TILE_ELEMENTS);
    uint count = min(parameters[UPSWEEP_P_LENGTH] - base, uint(UPSWEEP_TILE_ELEMENTS));
    for (uint i = gl_LocalInvocationIndex; i < count; i += uint(UPSWEEP_GROUP_SIZE))
        counts[parameters[UPSWEEP_P_OUTPUT_FIRST] + base + i] = 0u;
}
