// The product of quaternions (x, y, z, w), the earlier one on the left: rounds and does not commute.
// tests/vulkan_operator_test.cpp has the same in C++, operation by operation.
#define element vec4
vec4 from_words(uvec4 words) { return uintBitsToFloat(words); }
uvec4 to_words(vec4 value) { return floatBitsToUint(value); }

vec4 combine(vec4 a, vec4 b) {
    rounded vec4 product;
    product.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    product.y = a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z;
    product.z = a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x;
    product.w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    return product;
}
vec4 identity() { return vec4(0.0, 0.0, 0.0, 1.0); }
