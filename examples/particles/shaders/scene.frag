// What does not glow by itself: night sky, pool, stone and spheres, traced a ray a pixel, with their depth.
#include "finite.glsl"
#include "ripples.glsl"

layout(location = 0) uniform mat4 view_projection;
layout(location = 1) uniform vec3 eye;
layout(location = 2) uniform mat3 rays;  // columns: right and up at the picture's edge, forward
layout(location = 3) uniform float time;
layout(location = 4) uniform float glow;  // of the fountain on its surroundings, 0 to 1
layout(location = 5) uniform vec4 spheres[3];  // center, radius

in vec2 uv;
layout(location = 0) out vec4 radiance;

const float pool_radius = 9.0;

vec3 sky(vec3 d) {
    float height = max(d.y, 0.0);
    return mix(vec3(0.011, 0.009, 0.024), vec3(0.0012, 0.0018, 0.006), pow(height, 0.45));
}

// Light of the fountain seen from `from` in direction `d`, for reflections: soft balls of light on the axis.
vec3 fountain_glow(vec3 from, vec3 d) {
    vec3 sum = vec3(0.0);
    const vec4 lights[3] = vec4[](vec4(0.0, 1.0, 0.0, 2.6), vec4(0.0, 3.2, 0.0, 2.0), vec4(0.0, 5.0, 0.0, 1.6));
    const vec3 colors[3] = vec3[](vec3(1.0, 0.45, 0.14), vec3(0.5, 0.5, 0.6), vec3(0.25, 0.5, 1.0));
    for (int i = 0; i < 3; ++i) {
        vec3 to = lights[i].xyz - from;
        float along = max(dot(to, d), 0.0);
        float miss = length(to - d * along) / lights[i].w;
        sum += colors[i] * exp(-2.0 * miss * miss);
    }
    return sum * glow;
}

vec3 shade_floor(vec3 at, vec3 d) {
    float r = length(at.xz);
    if (r < pool_radius) {
        vec2 slope = ripple_slope(at.xz, time);
        vec3 n = normalize(vec3(-slope.x, 1.0, -slope.y));
        vec3 mirrored = reflect(d, n);
        mirrored.y = abs(mirrored.y);
        float fresnel = 0.03 + 0.97 * pow(1.0 - clamp(dot(-d, n), 0.0, 1.0), 5.0);
        vec3 depths = vec3(0.002, 0.006, 0.012) + glow * vec3(0.010, 0.016, 0.030) * exp(-0.10 * r * r);
        return depths * (1.0 - fresnel) + fresnel * (sky(mirrored) + 0.25 * fountain_glow(at, mirrored));
    }
    // Stone: rings of slabs that fade into the dark.
    float ring = r - pool_radius;
    float slab = fract(ring * 0.9);
    float turn = atan(at.z, at.x) * (3.0 * floor(ring * 0.9) + 27.0) / 6.2831853 + 0.5 * floor(ring * 0.9);
    float joint = smoothstep(0.0, 0.03, slab) * smoothstep(0.0, 0.02, abs(fract(turn) - 0.5) / 0.5);
    float edge = ring < 0.35 ? 1.9 : 1.0;
    float lit = glow * 0.040 * edge / (1.0 + 0.06 * ring * ring * ring);
    return vec3(0.70, 0.56, 0.66) * (lit * mix(0.55, 1.0, joint) + 0.0015);
}

vec3 shade_sphere(vec3 at, vec3 d, vec3 n) {
    float facing = clamp(dot(-d, n), 0.0, 1.0);
    float fresnel = 0.05 + 0.95 * pow(1.0 - facing, 4.0);
    vec3 mirrored = reflect(d, n);
    vec3 seen = mirrored.y > 0.0 ? sky(mirrored) : vec3(0.004, 0.006, 0.010);
    return fresnel * (3.0 * seen + 1.6 * fountain_glow(at, mirrored)) + 0.004 * glow * vec3(0.5, 0.6, 1.0);
}

void main() {
    vec3 d = normalize(rays * vec3(uv * 2.0 - 1.0, 1.0));
    float nearest = 1e9;
    vec3 color = sky(d);
    if (d.y < 0.0) {
        nearest = -eye.y / d.y;
        float fade = exp(-0.0009 * nearest * nearest);
        color = mix(sky(vec3(d.x, 0.0, d.z)), shade_floor(eye + d * nearest, d), fade);
    }
    for (int i = 0; i < 3; ++i) {
        vec3 to = spheres[i].xyz - eye;
        float along = dot(to, d);
        float hit = along * along - dot(to, to) + spheres[i].w * spheres[i].w;
        if (hit < 0.0) continue;
        float reach = along - sqrt(hit);
        if (reach < 0.0 || reach > nearest) continue;
        nearest = reach;
        vec3 at = eye + d * reach;
        color = shade_sphere(at, d, (at - spheres[i].xyz) / spheres[i].w);
    }
    vec4 clip = view_projection * vec4(eye + d * min(nearest, 900.0), 1.0);
    gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
    radiance = vec4(finite(color), 1.0);
}
