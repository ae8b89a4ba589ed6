// The sums of splat.comp as light.
layout(location = 0) uniform int width;
layout(std430, binding = 2) readonly buffer sum_block {
    uint sums[];
};
layout(location = 0) out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int at = 3 * (pixel.y * width + pixel.x);
    color = vec4(vec3(sums[at], sums[at + 1], sums[at + 2]) / 65536.0, 0.0);
}
