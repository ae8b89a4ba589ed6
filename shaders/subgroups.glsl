// A scan across the lanes of a subgroup, of whatever size, for exact operators: values pass from lane to lane without
// shared memory.
#include "lanes.glsl"

// The fold of the lanes up to and including this one (Hillis and Steele, Data parallel algorithms, 1986).
element subgroup_scan(element value) {
    uint lanes = subgroup_lanes();
    for (uint distance = 1u; distance < lanes; distance *= 2u) {
        element before = subgroupShuffleUp(value, distance);
        if (gl_SubgroupInvocationID >= distance) value = join(before, value);
    }
    return value;
}
