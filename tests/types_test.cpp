// float16 and bfloat16: every bit pattern one way, every rounding boundary the other way, on every SIMD
// level; and the other copies of the staging layer.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/guarded.hpp"
#include "support/random.hpp"
#include "upsweep/cpu/kernels.hpp"
#include "upsweep/cpu/staging.hpp"
#include "upsweep/types.hpp"

namespace upsweep::test {
namespace {

// A binary interchange format of 16 bits, described by its widths alone and evaluated in double arithmetic.
struct format {
    int fraction_bits;
    int lowest_exponent;  // of normal numbers
    std::uint16_t infinity;

    [[nodiscard]] double value(std::uint16_t bits) const {
        const std::uint32_t magnitude = bits & 0x7fffu;
        const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
        const std::uint32_t fraction = magnitude & ((1u << fraction_bits) - 1);
        const auto exponent = static_cast<int>(magnitude >> fraction_bits);
        if (magnitude > infinity) return std::numeric_limits<double>::quiet_NaN();
        if (magnitude == infinity) return sign * std::numeric_limits<double>::infinity();
        if (exponent == 0) return sign * std::ldexp(fraction, lowest_exponent - fraction_bits);
        return sign *
               std::ldexp(fraction + (1u << fraction_bits), exponent - 1 + lowest_exponent - fraction_bits);
    }
    // The nearest pattern, ties to even; past half a step above the largest, infinity.
    [[nodiscard]] std::uint16_t nearest(double x) const {
        const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
        const double magnitude = std::fabs(x);
        std::uint16_t low = 0, high = infinity;  // value(low) <= magnitude
        while (high - low > 1) {
            const auto middle = static_cast<std::uint16_t>((low + high) / 2);
            (value(middle) <= magnitude ? low : high) = middle;
        }
        if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
        // The step above the largest finite value is as large as the one below it.
        const double above =
            high == infinity ? 2 * value(low) - value(static_cast<std::uint16_t>(low - 1)) : value(high);
        const double from_low = magnitude - value(low);
        const double from_high = above - magnitude;
        const bool up = from_high < from_low || (from_high == from_low && low % 2 == 1);
        return static_cast<std::uint16_t>(sign | (up ? high : low));
    }
};
constexpr format binary16{10, -14, 0x7c00};
constexpr format brain16{7, -126, 0x7f80};

template <class T>
constexpr format format_of = std::is_same_v<T, bfloat16> ? brain16 : binary16;

// Every representable value, every midpoint between neighbours and the floats next to it, both signs, all
// kinds of NaN, and random bit patterns.
template <class T>
std::vector<float> rounding_inputs() {
    std::vector<float> inputs;
    for (std::uint32_t bits = 0; bits <= format_of<T>.infinity; ++bits) {
        const auto here = static_cast<float>(format_of<T>.value(static_cast<std::uint16_t>(bits)));
        const double next = format_of<T>.value(static_cast<std::uint16_t>(bits + 1));
        const auto middle = std::isfinite(next) ? static_cast<float>((here + next) / 2) : here;
        for (const float x :
             {here, middle, std::nextafterf(middle, 0.0f), std::nextafterf(middle, INFINITY)}) {
            inputs.push_back(x);
            inputs.push_back(-x);
        }
    }
    const double largest = format_of<T>.value(static_cast<std::uint16_t>(format_of<T>.infinity - 1));
    const double below = format_of<T>.value(static_cast<std::uint16_t>(format_of<T>.infinity - 2));
    const auto limit = static_cast<float>(largest + (largest - below) / 2);  // from here on infinity
    for (const float x : {limit, std::nextafterf(limit, 0.0f), std::nextafterf(limit, INFINITY),
                          std::numeric_limits<float>::max()}) {
        inputs.push_back(x);
        inputs.push_back(-x);
    }
    for (const std::uint32_t nan :
         {0x7fc00000u, 0x7f800001u, 0x7fffffffu, 0x7f802000u, 0x7f801fffu, 0x7f80ffffu}) {
        inputs.push_back(std::bit_cast<float>(nan));
        inputs.push_back(std::bit_cast<float>(nan | 0x80000000u));
    }
    random_bits random(8);
    for (int i = 0; i < 100000; ++i)
        inputs.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    return inputs;
}

template <class T>
void check_every_pattern() {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const float widened = T::from_bits(pattern);
        ASSERT_TRUE(same_bits(widened, static_cast<float>(format_of<T>.value(pattern)))) << std::hex << bits;
        if (std::isnan(widened)) {
            const T back = widened;
            ASSERT_TRUE(std::isnan(static_cast<float>(back))) << std::hex << bits;
        } else {
            ASSERT_EQ(T(widened).bits, pattern) << std::hex << bits;
        }
    }
}
TEST(types, float16_widens_every_pattern) { check_every_pattern<float16>(); }
TEST(types, bfloat16_widens_every_pattern) { check_every_pattern<bfloat16>(); }

template <class T>
void check_rounding() {
    for (const float x : rounding_inputs<T>()) {
        const T rounded = x;
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(static_cast<float>(rounded)))
                << std::hex << std::bit_cast<std::uint32_t>(x);
            ASSERT_EQ(std::signbit(static_cast<float>(rounded)), std::signbit(x));
        } else {
            ASSERT_EQ(rounded.bits, format_of<T>.nearest(x)) << describe(x);
        }
    }
}
TEST(types, float16_rounds_to_nearest_even) { check_rounding<float16>(); }
TEST(types, bfloat16_rounds_to_nearest_even) { check_rounding<bfloat16>(); }

// Numbers so close to a midpoint that the nearest float is the midpoint itself: above it, on it and below.
template <class T>
void check_rounding_once() {
    const auto check = [](double x) {
        ASSERT_EQ(T(x).bits, format_of<T>.nearest(x)) << std::hexfloat << x;
        ASSERT_EQ(T(-x).bits, format_of<T>.nearest(-x)) << std::hexfloat << x;
        ASSERT_EQ(T(static_cast<long double>(x)).bits, T(x).bits) << std::hexfloat << x;
        ASSERT_EQ(cpu::convert<T>(x).bits, T(x).bits) << std::hexfloat << x;
    };
    std::size_t differing = 0;
    for (std::uint32_t bits = 0; bits + 1 < format_of<T>.infinity; ++bits) {
        const double here = format_of<T>.value(static_cast<std::uint16_t>(bits));
        const double next = format_of<T>.value(static_cast<std::uint16_t>(bits + 1));
        const double middle = (here + next) / 2;
        for (const double x : {here, middle, middle * (1 + 0x1p-40), middle * (1 - 0x1p-40),
                               std::nextafter(middle, 0.0), std::nextafter(middle, INFINITY)}) {
            check(x);
            differing += T(static_cast<float>(x)).bits != T(x).bits;
        }
        if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(differing, format_of<T>.infinity);  // two of the six near each midpoint
    for (const double x : {0x1p-1074, 0x1p-151, 0x1p-150, 0x1.8p-25, 0x1p+127, 0x1.fffffffp+127, 0x1p+128,
                           0x1p+1023, std::numeric_limits<double>::infinity()})
        check(x);
    for (const double nan :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()})
        EXPECT_TRUE(std::isnan(static_cast<float>(T(nan))));
}
TEST(types, float16_rounds_a_double_once) { check_rounding_once<float16>(); }
TEST(types, bfloat16_rounds_a_double_once) { check_rounding_once<bfloat16>(); }

// Integers: every one of 16 bits, and 64 bits of which 53, what a double holds, do not tell which way to
// round.
template <class T>
void check_rounding_of_integers() {
    for (int x = -40000; x <= 70000; ++x) {
        ASSERT_EQ(T(x).bits, format_of<T>.nearest(x)) << x;
        ASSERT_EQ(T(static_cast<std::int64_t>(x)).bits, T(x).bits) << x;
        const auto positive = static_cast<std::uint64_t>(std::abs(x));
        ASSERT_EQ(T(positive).bits, T(std::abs(x)).bits) << x;
    }
    EXPECT_EQ(T(true).bits, T(1.0f).bits);
    for (int exponent = 12; exponent < 63; ++exponent) {
        // Half a last bit above a power of 2, and one more or less.
        const std::int64_t middle =
            (std::int64_t{1} << exponent) + (std::int64_t{1} << (exponent - 1 - format_of<T>.fraction_bits));
        const double here = std::ldexp(1.0, exponent);
        const double next = here + std::ldexp(1.0, exponent - format_of<T>.fraction_bits);
        const std::uint16_t low = format_of<T>.nearest(here), high = format_of<T>.nearest(next);
        EXPECT_EQ(T(middle).bits, low) << exponent;
        EXPECT_EQ(T(middle - 1).bits, low) << exponent;
        EXPECT_EQ(T(middle + 1).bits, high) << exponent;
        EXPECT_EQ(T(-middle - 1).bits, high | 0x8000) << exponent;
        EXPECT_EQ(T(static_cast<std::uint64_t>(middle) + 1).bits, high) << exponent;
    }
    const double top = 0x1p+64;
    EXPECT_EQ(T(std::numeric_limits<std::uint64_t>::max()).bits, format_of<T>.nearest(top));
    EXPECT_EQ(T(std::numeric_limits<std::int64_t>::min()).bits, format_of<T>.nearest(-top / 2));
}
TEST(types, float16_rounds_an_integer_once) { check_rounding_of_integers<float16>(); }
TEST(types, bfloat16_rounds_an_integer_once) { check_rounding_of_integers<bfloat16>(); }

#if defined(UPSWEEP_HAS_FLOAT16)
TEST(types, float16_is_the_compilers_own) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto own = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
        ASSERT_TRUE(same_bits(static_cast<float>(own),
                              static_cast<float>(float16::from_bits(static_cast<std::uint16_t>(bits)))))
            << bits;
    }
    for (const float x : rounding_inputs<float16>()) {
        ASSERT_TRUE(same_bits(std::bit_cast<float16>(static_cast<_Float16>(x)), float16(x))) << describe(x);
        const double beside = std::nextafter(static_cast<double>(x), 0.0);
        ASSERT_TRUE(same_bits(std::bit_cast<float16>(static_cast<_Float16>(beside)), float16(beside)))
            << describe(x);
        ASSERT_TRUE(same_bits(std::bit_cast<float16>(cpu::convert<_Float16>(beside)), float16(beside)))
            << describe(x);
    }
}
#endif

// What std::numeric_limits says of a format, against the formula of its values.
template <class T>
void check_limits(const format& of) {
    using limits = std::numeric_limits<T>;
    static_assert(limits::is_specialized && limits::has_infinity && limits::has_quiet_NaN);
    EXPECT_EQ(limits::digits, of.fraction_bits + 1);
    EXPECT_EQ(limits::min_exponent, of.lowest_exponent + 1);
    EXPECT_EQ(double(limits::max()), of.value(static_cast<std::uint16_t>(of.infinity - 1)));
    EXPECT_EQ(double(limits::lowest()), -double(limits::max()));
    EXPECT_EQ(double(limits::min()), std::ldexp(1.0, of.lowest_exponent));
    EXPECT_EQ(double(limits::denorm_min()), of.value(1));
    EXPECT_EQ(double(limits::epsilon()), std::ldexp(1.0, -of.fraction_bits));
    EXPECT_EQ(limits::infinity().bits, of.infinity);
    EXPECT_TRUE(std::isnan(float(limits::quiet_NaN())) && std::isnan(float(limits::signaling_NaN())));
    const double largest = limits::max(), smallest = limits::min();
    EXPECT_EQ(std::ilogb(largest) + 1, limits::max_exponent);
    EXPECT_EQ(static_cast<int>(std::floor(std::log10(largest))), limits::max_exponent10);
    EXPECT_EQ(static_cast<int>(std::ceil(std::log10(smallest))), limits::min_exponent10);
    EXPECT_EQ(static_cast<int>(std::floor(of.fraction_bits * std::log10(2.0))), limits::digits10);
    EXPECT_EQ(static_cast<int>(std::ceil(limits::digits * std::log10(2.0) + 1)), limits::max_digits10);
}
TEST(types, limits) {
    check_limits<float16>(format_of<float16>);
    check_limits<bfloat16>(format_of<bfloat16>);
    static_assert(std::numeric_limits<const float16>::max() == 65504.0f);
}

TEST(types, conversions_are_constant_expressions) {
    static_assert(float16(1.0f).bits == 0x3c00 && static_cast<float>(float16::from_bits(0xc000)) == -2.0f);
    static_assert(bfloat16(1.0f).bits == 0x3f80 && static_cast<float>(bfloat16::from_bits(0xc000)) == -2.0f);
    static_assert(float16(65519.0f).bits == 0x7bff && float16(65520.0f).bits == 0x7c00);
    static_assert(float16(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01 &&
                  bfloat16(1 + 0x1p-8 + 0x1p-40).bits == 0x3f81);
    static_assert(float16(65519.999999).bits == 0x7bff && float16(-1e300).bits == 0xfc00);
    static_assert(bfloat16((std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1).bits == 0x5d81);
    static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);
}

// The vector conversions give the scalar ones' bits. Of NaN payloads nothing is promised.
template <class T>
void check_kernels(void (*cpu::memory_kernels::*widen)(float*, const void*, std::size_t),
                   void (*cpu::memory_kernels::*narrow)(void*, const float*, std::size_t)) {
    std::vector<T> patterns;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
        patterns.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    const std::vector<float> inputs = rounding_inputs<T>();
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(std::string(cpu::name(level)));
        const cpu::memory_kernels& kernels = cpu::memory_kernels_for(level);
        guarded<float> wide(patterns.size(), 1);
        (kernels.*widen)(wide.data(), patterns.data(), patterns.size());
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            ASSERT_TRUE(same_bits(wide.data()[i], static_cast<float>(patterns[i]))) << std::hex << i;
        }
        EXPECT_TRUE(wide.sentinels_intact());
        guarded<T> rounded(inputs.size(), 3);
        (kernels.*narrow)(rounded.data(), inputs.data(), inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            ASSERT_TRUE(same_bits(rounded.data()[i], T(inputs[i]))) << describe(inputs[i]);
        }
        EXPECT_TRUE(rounded.sentinels_intact());
        // Every count, every misalignment of both sides.
        for (std::size_t n = 0; n <= 70; ++n) {
            for (std::size_t offset = 0; offset < 8; ++offset) {
                guarded<T> source(n, offset);
                for (std::size_t i = 0; i < n; ++i)
                    source.data()[i] = T::from_bits(static_cast<std::uint16_t>(701 * i + offset));
                wide.reset(n, (3 * offset + 1) % 8);
                (kernels.*widen)(wide.data(), source.data(), n);
                rounded.reset(n, (5 * offset + 2) % 8);
                (kernels.*narrow)(rounded.data(), wide.data(), n);
                ASSERT_EQ(first_difference(rounded.data(), source.data(), n), n) << n << ' ' << offset;
                ASSERT_TRUE(wide.sentinels_intact() && rounded.sentinels_intact()) << n << ' ' << offset;
            }
        }
    }
}
TEST(types, float16_kernels) {
    check_kernels<float16>(&cpu::memory_kernels::float_from_float16,
                           &cpu::memory_kernels::float16_from_float);
}
TEST(types, bfloat16_kernels) {
    check_kernels<bfloat16>(&cpu::memory_kernels::float_from_bfloat16,
                            &cpu::memory_kernels::bfloat16_from_float);
}

template <class T>
void check_reverse(void (*reverse)(void*, const void*, std::size_t)) {
    for (std::size_t n = 0; n <= 200; ++n) {
        guarded<T> from(n, n % 8), to(n, (3 * n + 1) % 8);
        for (std::size_t i = 0; i < n; ++i) from.data()[i] = static_cast<T>(i * 0x9e3779b97f4a7c15u >> 7);
        reverse(to.data(), from.data(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(to.data()[i], from.data()[n - 1 - i]) << n << ' ' << i;
        ASSERT_TRUE(to.sentinels_intact());
    }
}
TEST(types, reversing_kernels) {
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(std::string(cpu::name(level)));
        const cpu::memory_kernels& kernels = cpu::memory_kernels_for(level);
        check_reverse<std::uint8_t>(kernels.reverse[0]);
        check_reverse<std::uint16_t>(kernels.reverse[1]);
        check_reverse<std::uint32_t>(kernels.reverse[2]);
        check_reverse<std::uint64_t>(kernels.reverse[3]);
    }
}

TEST(types, streaming_kernels) {
    for (const cpu::simd_level level : cpu::supported_simd_levels()) {
        SCOPED_TRACE(std::string(cpu::name(level)));
        for (std::size_t n = 0; n <= 700; n = n < 300 ? n + 1 : n + 37) {
            guarded<std::uint8_t> from(n, n % 8), to(n, 5 * n % 64);
            for (std::size_t i = 0; i < n; ++i) from.data()[i] = static_cast<std::uint8_t>(i * 7 + n);
            cpu::memory_kernels_for(level).stream(to.data(), from.data(), n,
                                                  n % 2 == 0 ? from.data() : nullptr);
            cpu::memory_kernels_for(level).fence();
            ASSERT_EQ(first_difference(to.data(), from.data(), n), n) << n;
            ASSERT_TRUE(to.sentinels_intact()) << n;
        }
    }
}

}  // namespace
}  // namespace upsweep::test
