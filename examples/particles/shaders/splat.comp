// A particle as four pixels, each with a share of its light, added up in integers, so that no order matters: for GPUs
// with many more compute units than units that draw points.
#include "light.glsl"

layout(local_size_x = 256) in;
layout(location = 7) uniform ivec2 size;        // of the picture
layout(location = 8) uniform uint count_word;
layout(binding = 0) uniform sampler2D depth;

struct particle_words {
    ivec4 position_age;
    ivec4 velocity_look;
};
layout(std430, binding = 0) readonly buffer particle_block {
    particle_words particles[];
};
layout(std430, binding = 1) readonly buffer live_block {
    uint live[];
};
layout(std430, binding = 2) buffer sum_block {
    uint sums[];  // red, green, blue of each pixel, in 2^-16
};

void add(ivec2 pixel, float depth_here, vec3 color) {
    if (any(lessThan(pixel, ivec2(0))) || any(greaterThanEqual(pixel, size))) return;
    if (depth_here > texelFetch(depth, pixel, 0).r) return;
    uvec3 amount = uvec3(min(color, vec3(1000.0)) * 65536.0 + 0.5);
    int at = 3 * (pixel.y * size.x + pixel.x);
    for (int channel = 0; channel < 3; ++channel) {
        if (amount[channel] != 0u) atomicAdd(sums[at + channel], amount[channel]);
    }
}

void main() {
    uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
    if (index >= live[count_word]) return;
    particle_words one = particles[index];
    light seen = light_of(one.position_age.xyz, one.position_age.w, uint(one.velocity_look.w));
    if (seen.color == vec3(0.0) || seen.clip.w <= 0.1) return;
    vec3 place = seen.clip.xyz / seen.clip.w;
    if (abs(place.z) > 1.0) return;
    // What a point of that size adds up to: a disc of (1 - r^2)^2 has pi/12 of its square.
    vec3 total = seen.color * (seen.size < 1.0 ? seen.size * seen.size : max(1.0, 0.2618 * seen.size * seen.size));
    vec2 at = (0.5 * place.xy + 0.5) * vec2(size) - 0.5;
    if (any(lessThan(at, vec2(-1.0))) || any(greaterThan(at, vec2(size)))) return;
    ivec2 corner = ivec2(floor(at));
    vec2 share = at - vec2(corner);
    float depth_here = 0.5 * place.z + 0.5;
    add(corner, depth_here, total * (1.0 - share.x) * (1.0 - share.y));
    add(corner + ivec2(1, 0), depth_here, total * share.x * (1.0 - share.y));
    add(corner + ivec2(0, 1), depth_here, total * (1.0 - share.x) * share.y);
    add(corner + ivec2(1, 1), depth_here, total * share.x * share.y);
}
