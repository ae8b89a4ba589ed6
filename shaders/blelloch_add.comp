// The scanned sums added back: each element of a block is combined with what is before the block.
#include "interface.glsl"
#ifdef VULKAN
layout(local_size_x_id = UPSWEEP_C_BLELLOCH_SIZE) in;
#else
layout(local_size_x = UPSWEEP_BLELLOCH_SIZE) in;
#endif
#include "operators.glsl"
#include "operands.glsl"
#include "sequence.glsl"

layout(std430, binding = UPSWEEP_OUTPUT) buffer output_block {
    stored output_elements[];
};
layout(std430, binding = UPSWEEP_WORKSPACE) readonly buffer sums_block {
    stored sums[];
};

void main() {
    if (group_index() >= parameters[UPSWEEP_P_GROUPS]) return;
    uint size = gl_WorkGroupSize.x;
    uint base = group_index() * 2u * size;
    uint length = sequence_length();
    uint first = output_first(0u);
    element before = from_words(sums[parameters[UPSWEEP_P_FIRST_GROUP] + group_index()]);
    for (uint i = gl_LocalInvocationIndex; i < 2u * size; i += size) {
        if (base + i >= length) continue;
        uint place = place_of(first, base + i, output_stride());
        output_elements[place] = to_words(join(before, from_words(output_elements[place])));
    }
}
