// Scans of the integer types under every operator that takes integers.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// Supers and several threads for one type of every width; the others differ only in their kernels.
template <class Op>
void sweep_integers() {
    {
        SCOPED_TRACE("signed");
        sweep<std::int8_t, Op>(std::int8_t{-101});
        sweep<std::int16_t, Op>(std::int16_t{-30001}, {}, false);
        sweep<std::int32_t, Op>(-2000000011);
        sweep<std::int64_t, Op>(std::int64_t{-9000000000000000043}, {}, false);
    }
    {
        SCOPED_TRACE("unsigned");
        sweep<std::uint8_t, Op>(std::uint8_t{201}, {}, false);
        sweep<std::uint16_t, Op>(std::uint16_t{60013});
        sweep<std::uint32_t, Op>(4000000007u, {}, false);
        sweep<std::uint64_t, Op>(std::uint64_t{18000000000000000003u});
    }
}

TEST(integer_scan, plus_wraps_around) { sweep_integers<plus>(); }
TEST(integer_scan, multiplies_wraps_around) { sweep_integers<multiplies>(); }
TEST(integer_scan, minimum) { sweep_integers<minimum>(); }
TEST(integer_scan, maximum) { sweep_integers<maximum>(); }
TEST(integer_scan, bit_and) { sweep_integers<bit_and>(); }
TEST(integer_scan, bit_or) { sweep_integers<bit_or>(); }
TEST(integer_scan, bit_xor) { sweep_integers<bit_xor>(); }

}  // namespace
}  // namespace upsweep::test
