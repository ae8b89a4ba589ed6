// Births: appends the particles of this step behind the living ones, as many as there is room for, and writes how many
// there are now, with the work groups that the next dispatch needs for them.
#define FUNCTION
#include "physics.glsl"

layout(local_size_x = 256) in;
layout(location = 0) uniform uint seed;
layout(location = 1) uniform uint step;
layout(location = 2) uniform uint capacity;
layout(location = 3) uniform uint ends[emitter_count];  // of each emitter's particles among those of this step
layout(location = 7) uniform uint count_word;           // where the count is in live[]

layout(std430, binding = 0) writeonly buffer particle_block {
    particle particles[];
};
layout(std430, binding = 1) readonly buffer live_block {
    uint live[];
};
layout(std430, binding = 2) writeonly buffer work_block {
    uint work[4];  // x, y, z of a dispatch, particles
};

void main() {
    uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
    uint living = live[count_word];
    uint born = min(ends[emitter_count - 1u], capacity - living);
    if (index == 0u) {
        uint groups = (living + born + 255u) / 256u;
        uint rows = (groups + 32767u) / 32768u;
        work[0] = rows > 1u ? 32768u : groups;
        work[1] = rows;
        work[2] = 1u;
        work[3] = living + born;
    }
    if (index >= born) return;
    uint emitter = 0u;
    while (index >= ends[emitter]) ++emitter;
    particles[living + index] = emit(seed, step, index, emitter);
}
