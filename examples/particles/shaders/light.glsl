// A particle as a source of light on the screen: itself, or its image in the water.
#include "ripples.glsl"
#include "palette.glsl"

layout(location = 0) uniform mat4 view_projection;
layout(location = 1) uniform vec3 eye;
layout(location = 2) uniform float time;
layout(location = 3) uniform int mirrored;
layout(location = 4) uniform float radius;     // of a particle, metres
layout(location = 5) uniform float focal;      // pixels a metre at a distance of one metre
layout(location = 6) uniform float intensity;

struct light {
    vec4 clip;
    vec3 color;   // of the middle of its disc; black if it is not seen
    float size;   // of the disc, pixels
};

light light_of(ivec3 position, int age, uint look) {
    const float pool_radius = 9.0;
    vec3 place = vec3(position) / 1048576.0;
    vec3 color = particle_color(look & 15u, float(age), float((look >> 8u) & 4095u));
    float twinkle = 0.55 + 0.9 * float(look >> 20u) / 4095.0;
    if ((look & 16u) != 0u) twinkle *= 0.6;
    float strength = intensity * twinkle;

    light made;
    if (mirrored == 0) {
        made.clip = view_projection * vec4(place, 1.0);
    } else {
        // The ray to the mirror image meets the water here; the slope there bends it.
        vec3 image = vec3(place.x, -place.y, place.z);
        vec3 water = mix(eye, image, eye.y / (eye.y + place.y));
        vec2 slope = ripple_slope(water.xz, time);
        image.xz += 2.0 * place.y * slope;
        image.y *= 1.0 + 1.5 * slope.y;
        water = mix(eye, image, eye.y / (eye.y - image.y));
        made.clip = view_projection * vec4(image, 1.0);
        vec4 at_water = view_projection * vec4(water, 1.0);
        made.clip.z = (at_water.z / at_water.w - 1e-5) * made.clip.w;
        float facing = clamp(eye.y / length(eye - water), 0.0, 1.0);
        float fresnel = 0.16 + 0.84 * pow(1.0 - facing, 4.0);
        strength *= length(water.xz) < pool_radius ? fresnel : 0.0;
    }
    made.size = 2.0 * radius * focal / max(made.clip.w, 0.1);
    made.color = color * strength;
    return made;
}
