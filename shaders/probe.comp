// combine, pair by pair, as a driver computes it: out[i] = combine(in[2 i], in[2 i + 1]). Hosts compare the bits with
// the CPU's and so find drivers that flush subnormal numbers or fuse a product and a sum.
#include "interface.glsl"
layout(local_size_x = 64) in;
#include "operators.glsl"

layout(std430, binding = UPSWEEP_INPUT) readonly buffer input_block {
    stored pairs[];
};
layout(std430, binding = UPSWEEP_OUTPUT) writeonly buffer output_block {
    stored results[];
};

void main() {
    uint i = group_index() * 64u + gl_LocalInvocationIndex;
    if (i >= parameters[UPSWEEP_P_LENGTH]) return;
    element combined = combine(from_words(pairs[2u * i]), from_words(pairs[2u * i + 1u]));
    results[i] = to_words(combined);
}
