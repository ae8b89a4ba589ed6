// matrix_product of support/monoids.hpp as a text: of four words; it does not commute, and nothing is known
// about it.
#pragma once

namespace upsweep::test {

inline constexpr const char* gl_matrix_product = R"(
uvec4 combine(uvec4 a, uvec4 b) {
    return uvec4(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w, a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);
}
)";

}  // namespace upsweep::test
