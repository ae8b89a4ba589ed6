// The product of 2 x 2 matrices modulo 2^32, row by row, the earlier one on the left: matrix_product of
// tests/support/monoids.hpp. Neither an identity nor anything else is said about it.
uvec4 combine(uvec4 a, uvec4 b) {
    return uvec4(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w, a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);
}
