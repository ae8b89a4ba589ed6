// Motion, and the vote: moves every particle by one step, and says of each whether it lives on.
#define FUNCTION
#include "physics.glsl"

layout(local_size_x = 256) in;
layout(location = 0) uniform uint step;

layout(std430, binding = 0) buffer particle_block {
    particle particles[];
};
layout(std430, binding = 1) writeonly buffer vote_block {
    uint votes[];
};
layout(std430, binding = 2) readonly buffer work_block {
    uint work[4];
};

void main() {
    uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
    if (index >= work[3]) return;
    particle moved = advance(particles[index], step);
    particles[index] = moved;
    votes[index] = is_alive(moved) ? 1u : 0u;
}
