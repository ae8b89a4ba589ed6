// Counts items of an indirect dispatch: one invocation an item, in rows of work groups where x is not enough.
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer argument_block {
    uint arguments[];
};
layout(std430, binding = 1) buffer counter_block {
    uint counter;
};
void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group * 32u + gl_LocalInvocationIndex < arguments[7]) atomicAdd(counter, 1u);
}
