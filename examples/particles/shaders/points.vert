// A particle as a point that glows.
#include "light.glsl"

layout(location = 0) in ivec4 position_age;
layout(location = 1) in ivec4 velocity_look;

flat out vec3 radiance;

void main() {
    light seen = light_of(position_age.xyz, position_age.w, uint(velocity_look.w));
    // A point is never smaller than one pixel; a smaller one is dimmer instead.
    float shown = clamp(seen.size, 1.0, 64.0);
    float dimmed = min(seen.size / shown, 1.0);
    gl_PointSize = shown;
    radiance = seen.color * dimmed * dimmed;
    gl_Position = seen.color == vec3(0.0) ? vec4(2.0, 2.0, 2.0, 1.0) : seen.clip;
}
