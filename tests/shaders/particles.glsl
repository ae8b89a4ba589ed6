// Items with memory of their own: a particle is two vectors in two buffers, and lives while its age is below a limit that
// the host gives.
#ifdef UPSWEEP_STAGE_VOTE
layout(std430, set = 1, binding = 0) readonly buffer position_block {
    vec4 positions[];
};
bool keep(uint item) { return positions[item].w < uintBitsToFloat(parameters[UPSWEEP_P_USER]); }
#else
layout(std430, set = 1, binding = 0) readonly buffer position_block {
    vec4 positions[];
};
layout(std430, set = 1, binding = 1) readonly buffer velocity_block {
    vec4 velocities[];
};
layout(std430, set = 1, binding = 2) writeonly buffer packed_block {
    vec4 packed_particles[];
};
void move(uint item, uint place) {
    packed_particles[2u * place] = positions[item];
    packed_particles[2u * place + 1u] = velocities[item];
}
#endif
