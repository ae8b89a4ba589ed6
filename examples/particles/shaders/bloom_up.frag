// Twice the size, through a tent of 9 samples; added to the level above.
layout(location = 0) uniform vec2 texel;  // of the source
layout(location = 1) uniform float weight;
layout(binding = 0) uniform sampler2D source;
in vec2 uv;
layout(location = 0) out vec4 color;

vec3 at(float x, float y) { return textureLod(source, uv + vec2(x, y) * texel, 0.0).rgb; }

void main() {
    vec3 sum = 4.0 * at(0.0, 0.0) + 2.0 * (at(-1.0, 0.0) + at(1.0, 0.0) + at(0.0, -1.0) + at(0.0, 1.0)) +
               at(-1.0, -1.0) + at(1.0, -1.0) + at(-1.0, 1.0) + at(1.0, 1.0);
    color = vec4(sum * (weight / 16.0), 1.0);
}
