// What every stage sees of its host: the parameter block and the number of its work group.
#include "constants.glsl"
#include "levels.def"

#ifndef UPSWEEP_GROUP_SIZE
#define UPSWEEP_GROUP_SIZE 256
#endif
#define UPSWEEP_TILE_RUNS (UPSWEEP_ROW_RUNS * UPSWEEP_TILE_ROWS)
#define UPSWEEP_TILE_ELEMENTS (UPSWEEP_RUN_ELEMENTS * UPSWEEP_TILE_RUNS)
#define UPSWEEP_RUNS (UPSWEEP_TILE_RUNS / UPSWEEP_GROUP_SIZE)  // of an invocation, a work group's size apart
#define UPSWEEP_ITEMS (UPSWEEP_RUNS * UPSWEEP_RUN_ELEMENTS)    // of an invocation

#ifdef VULKAN
layout(push_constant) uniform parameter_block {
    uint parameters[UPSWEEP_PARAMETERS];
};
#else
layout(location = 0) uniform uint parameters[UPSWEEP_PARAMETERS];
#endif

bool has_flag(uint flag) { return (parameters[UPSWEEP_P_FLAGS] & flag) != 0u; }

// A dispatch is two-dimensional where it has more groups than one dimension may have.
uint group_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// All invocations of the work group meet, and see what each wrote to shared memory. Vulkan's barrier() is both.
#ifdef VULKAN
#define synchronize() barrier()
#else
#define synchronize() memoryBarrierShared(); barrier()
#endif
