// From radiance to the screen: bloom, a darker edge, a film-like curve, sRGB, and noise below one level against bands.
#include "finite.glsl"
layout(location = 0) uniform float exposure;
layout(location = 1) uniform float bloom_share;
layout(binding = 0) uniform sampler2D scene;
layout(binding = 1) uniform sampler2D bloom;
in vec2 uv;
layout(location = 0) out vec4 color;

// Narkowicz, "ACES filmic tone mapping curve", 2015.
vec3 film(vec3 x) { return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0); }

vec3 encode(vec3 linear) {
    return mix(12.92 * linear, 1.055 * pow(max(linear, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
}

void main() {
    vec3 light = finite(textureLod(scene, uv, 0.0).rgb) + bloom_share * finite(textureLod(bloom, uv, 0.0).rgb);
    vec2 off = uv - 0.5;
    light *= exposure * (1.0 - 0.8 * dot(off, off));
    // Very bright light loses its hue.
    float peak = max(light.r, max(light.g, light.b));
    light = mix(light, vec3(peak), 0.12 * smoothstep(1.0, 8.0, peak));
    uvec2 p = uvec2(gl_FragCoord.xy);
    uint h = (p.x * 1664525u + p.y * 22695477u) ^ (p.x << 7u);
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    float noise = float((h ^ (h >> 12u)) & 0xffffu) / 65536.0 - 0.5;
    color = vec4(encode(film(light)) + noise / 255.0, 1.0);
}
