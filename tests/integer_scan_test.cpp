// Scans of the integer types under every operator that takes integers.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

// Some: those that are tested even where not every pair is.
template <class Op, class... Some>
struct integers {
    template <class T>
    static void check(T initial, bool with_supers = true) {
        if constexpr (tests_every_pair || (std::is_same_v<T, Some> || ...))
            sweep<T, Op>(initial, {}, with_supers);
    }
    // Supers and several threads for one type of every width; the others differ only in their kernels.
    static void check_all() {
        {
            SCOPED_TRACE("signed");
            check(std::int8_t{-101});
            check(std::int16_t{-30001}, false);
            check(std::int32_t{-2000000011});
            check(std::int64_t{-9000000000000000043}, false);
        }
        {
            SCOPED_TRACE("unsigned");
            check(std::uint8_t{201}, false);
            check(std::uint16_t{60013});
            check(std::uint32_t{4000000007u}, false);
            check(std::uint64_t{18000000000000000003u});
        }
    }
};

TEST(integer_scan, plus_wraps_around) {
    integers<plus, std::int8_t, std::uint16_t, std::int32_t, std::int64_t>::check_all();
}
TEST(integer_scan, multiplies_wraps_around) {
    integers<multiplies, std::uint8_t, std::uint32_t>::check_all();
}
TEST(integer_scan, minimum) { integers<minimum, std::int8_t, std::int64_t>::check_all(); }
TEST(integer_scan, maximum) { integers<maximum, std::int16_t, std::uint32_t>::check_all(); }
TEST(integer_scan, bit_and) { integers<bit_and, std::uint32_t>::check_all(); }
TEST(integer_scan, bit_or) { integers<bit_or, std::int32_t>::check_all(); }
TEST(integer_scan, bit_xor) { integers<bit_xor, std::uint64_t>::check_all(); }

}  // namespace
}  // namespace upsweep::test
