// A soft disc.
flat in vec3 radiance;
layout(location = 0) out vec4 sum;

void main() {
    vec2 d = 2.0 * gl_PointCoord - 1.0;
    float falloff = max(1.0 - dot(d, d), 0.0);
    sum = vec4(radiance * falloff * falloff, 0.0);
}
