// A copy in vectors of 16 bytes.
#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer source_block {
    uvec4 source[];
};
layout(std430, binding = 1) writeonly buffer target_block {
    uvec4 target[];
};
void main() {
    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
    if (i < uint(source.length())) target[i] = source[i];
}
