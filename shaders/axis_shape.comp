// The outer dimensions of an array with more of them than the parameters of a stage have room for, from the parameters of
// this one to the words behind the workspace. Nothing is uploaded for a scan.
#include "interface.glsl"
layout(local_size_x = 64) in;

layout(std430, binding = UPSWEEP_LENGTH) writeonly buffer shape_block {
    uint shape_words[];
};

void main() {
    uint i = gl_LocalInvocationIndex;
    if (group_index() >= parameters[UPSWEEP_P_GROUPS] || i >= parameters[UPSWEEP_P_LENGTH]) return;
    shape_words[parameters[UPSWEEP_P_SHAPE_FIRST] + i] = parameters[uint(UPSWEEP_P_SHAPE) + i];
}
