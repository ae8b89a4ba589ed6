// Scans of integers in OpenGL 4.3 and OpenGL ES 3.1: every operator on every type, bit for bit.
#include <gtest/gtest.h>

#include <cstdint>

#include "support/gl_sweep.hpp"

namespace upsweep::test {
namespace {

class gl_integer_scan : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_integer_scan);

TEST_P(gl_integer_scan, uint32) {
    gl_sweep<std::uint32_t, plus>(gl(), executor(), 12345);
    gl_sweep<std::uint32_t, maximum>(gl(), executor(), 17);
    if (brief()) return;
    gl_sweep<std::uint32_t, multiplies>(gl(), executor(), 3);
    gl_sweep<std::uint32_t, minimum>(gl(), executor(), 4000000000u);
    gl_sweep<std::uint32_t, bit_and>(gl(), executor(), 0xfffffffeu);
    gl_sweep<std::uint32_t, bit_or>(gl(), executor(), 1);
    gl_sweep<std::uint32_t, bit_xor>(gl(), executor(), 0xdeadbeefu);
}
TEST_P(gl_integer_scan, int32) {
    gl_sweep<std::int32_t, minimum>(gl(), executor(), 1000);
    if (brief()) return;
    gl_sweep<std::int32_t, plus>(gl(), executor(), -5);
    gl_sweep<std::int32_t, maximum>(gl(), executor(), -1000);
}
TEST_P(gl_integer_scan, int64) {
    gl_sweep<std::int64_t, plus>(gl(), executor(), std::int64_t{1} << 40);
    if (brief()) return;
    gl_sweep<std::int64_t, minimum>(gl(), executor(), 5);
    gl_sweep<std::int64_t, maximum>(gl(), executor(), -5);
}
TEST_P(gl_integer_scan, uint64) {
    gl_sweep<std::uint64_t, multiplies>(gl(), executor(), 3);
    if (brief()) return;
    gl_sweep<std::uint64_t, plus>(gl(), executor(), ~std::uint64_t{0});
    gl_sweep<std::uint64_t, maximum>(gl(), executor(), 1);
    gl_sweep<std::uint64_t, bit_xor>(gl(), executor(), 1);
}
}  // namespace
}  // namespace upsweep::test
