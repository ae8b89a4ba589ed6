// Lanes of a work group numbered by subgroup and not by local invocation index, because only the former is tied to what
// subgroup operations exchange. The size is counted, not asked for: drivers exist that run narrower subgroups than they
// announce.

uint subgroup_lanes() { return uint(UPSWEEP_GROUP_SIZE) / gl_NumSubgroups; }
uint lane_index() { return gl_SubgroupID * subgroup_lanes() + gl_SubgroupInvocationID; }
