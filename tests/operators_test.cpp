// The laws of every operator of operators.def, on every type it takes: identity, associativity where it is
// exact, commutativity where it is declared; what results are, bit for bit; and that the reference knows the
// traits.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/bits.hpp"
#include "support/random.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> samples(std::uint64_t seed) {
    random_bits random(seed);
    std::vector<T> made;
    if constexpr (std::same_as<T, bool>) {
        return {false, true};
    } else if constexpr (std::integral<T>) {
        using limits = std::numeric_limits<T>;
        made = {T(0),
                T(1),
                T(2),
                static_cast<T>(~T(0)),
                limits::max(),
                limits::min(),
                static_cast<T>(limits::max() - 1),
                static_cast<T>(limits::max() / 2 + 1)};
        for (int i = 0; i < 12; ++i) made.push_back(static_cast<T>(random()));
    } else if constexpr (std::floating_point<T>) {
        using limits = std::numeric_limits<T>;
        made = {T(0),
                -T(0),
                T(1),
                T(-1),
                limits::infinity(),
                -limits::infinity(),
                limits::quiet_NaN(),
                -limits::quiet_NaN(),
                limits::denorm_min(),
                -limits::denorm_min(),
                limits::max(),
                limits::lowest(),
                limits::min(),
                T(1) + limits::epsilon()};
        for (int i = 0; i < 6; ++i) made.push_back(static_cast<T>(random.between(-9, 9)));
    } else if constexpr (is_complex<T>) {
        using part = typename T::value_type;
        for (const part re : samples<part>(seed + 1))
            made.push_back({re, samples<part>(seed)[random.below(20)]});
    } else if constexpr (requires(T x) { x.index; }) {
        for (const auto v : samples<decltype(T::value)>(seed))
            made.push_back({v, static_cast<std::int64_t>(random.below(4))});
    } else {
        for (const auto a : samples<decltype(T::a)>(seed))
            made.push_back({a, samples<decltype(T::a)>(seed + 2)[random.below(18)]});
    }
    return made;
}

template <class Op, class T>
void check_laws(const char* name) {
    SCOPED_TRACE(std::string(name) + " on a type of " + std::to_string(sizeof(T)) + " bytes");
    constexpr Op op;
    static_assert(combines<Op, T> && has_identity<Op, T>);
    const T e = identity_of<T>(op);
    const std::vector<T> values = samples<T>(21);
    for (const T& a : values) {
        // By the textbook product, 1 times a complex number with an infinite part has a NaN part; so has the
        // identity composed with an infinite map.
        if constexpr (is_exact<Op, T> ||
                      !(is_complex<T> ? std::same_as<Op, multiplies> : std::same_as<Op, affine>)) {
            EXPECT_TRUE(same_bits(op(e, a), a))
                << describe(e) << ", " << describe(a) << " -> " << describe(op(e, a));
            EXPECT_TRUE(same_bits(op(a, e), a))
                << describe(a) << ", " << describe(e) << " -> " << describe(op(a, e));
        }
        for (const T& b : values) {
            if constexpr (is_commutative<Op>) {
                EXPECT_TRUE(same_bits(op(a, b), op(b, a))) << describe(a) << ", " << describe(b);
            }
            if constexpr (is_exact<Op, T>) {
                for (const T& c : values) {
                    EXPECT_TRUE(same_bits(op(op(a, b), c), op(a, op(b, c))))
                        << describe(a) << ", " << describe(b) << ", " << describe(c);
                }
            }
        }
        if (::testing::Test::HasFailure()) return;
    }
}

template <class Op>
void check_all_types(const char* name) {
    const auto on = [&]<class... T>(std::type_identity<T>...) {
        (
            [&] {
                if constexpr (combines<Op, T>) check_laws<Op, T>(name);
            }(),
            ...);
    };
    on(std::type_identity<bool>(), std::type_identity<std::int8_t>(), std::type_identity<std::uint8_t>(),
       std::type_identity<std::int16_t>(), std::type_identity<std::uint16_t>(),
       std::type_identity<std::int32_t>(), std::type_identity<std::uint32_t>(),
       std::type_identity<std::int64_t>(), std::type_identity<std::uint64_t>(), std::type_identity<float>(),
       std::type_identity<double>(), std::type_identity<std::complex<float>>(),
       std::type_identity<std::complex<double>>());
}

#define UPSWEEP_OPERATOR(name, primitive, identity, domain, meaning) \
    TEST(operators, laws_of_##name) { check_all_types<name>(#name); }
#define UPSWEEP_STRUCT_OPERATOR(name, element, primitive, identity, is_commutative, meaning) \
    TEST(operators, laws_of_##name) {                                                        \
        check_laws<name, element<std::int8_t>>(#name);                                       \
        check_laws<name, element<std::int64_t>>(#name);                                      \
        check_laws<name, element<std::uint32_t>>(#name);                                     \
        check_laws<name, element<float>>(#name);                                             \
        check_laws<name, element<double>>(#name);                                            \
        EXPECT_EQ(name::commutative, is_commutative);                                        \
    }
#include "upsweep/operators.def"

// Which pairs exist is part of the contract: an operator that lost a type would lose its laws with it.
TEST(operators, types_of_every_operator) {
    static_assert(!combines<plus, bool> && !combines<multiplies, bool> && !combines<minimum, bool>);
    static_assert(combines<bit_and, bool> && combines<bit_or, bool> && combines<bit_xor, bool>);
    static_assert(combines<logical_and, bool> && combines<logical_or, bool> &&
                  !combines<logical_or, std::int32_t>);
    static_assert(combines<plus, std::complex<float>> && combines<multiplies, std::complex<double>>);
    static_assert(!combines<minimum, std::complex<float>> && !combines<bit_and, float>);
    static_assert(combines<plus, std::int8_t> && combines<maximum, std::uint64_t> &&
                  combines<bit_xor, std::int16_t>);
    static_assert(combines<affine, affine_map<float>> && !combines<affine, float> &&
                  !combines<argmin, affine_map<float>>);
    static_assert(combines<argmin, indexed<double>> && combines<argmax, indexed<std::int64_t>>);
}

TEST(operators, which_are_exact) {
    static_assert(is_exact<plus, std::int32_t> && is_exact<multiplies, std::uint8_t> &&
                  is_exact<bit_and, std::int64_t>);
    static_assert(is_exact<minimum, float> && is_exact<maximum, double> && is_exact<logical_and, bool>);
    static_assert(!is_exact<plus, float> && !is_exact<multiplies, double> &&
                  !is_exact<plus, std::complex<float>>);
    static_assert(is_exact<affine, affine_map<std::int32_t>> && !is_exact<affine, affine_map<float>>);
    static_assert(is_exact<argmin, indexed<float>> && is_exact<argmax, indexed<std::int16_t>>);
}

// An operator of the caller's own says so for all types, for some, or not at all.
struct exact_always {
    static constexpr bool exact = true;
};
struct exact_for_integers {
    template <class T>
    static constexpr bool exact = std::integral<T>;
};
struct silent {};
TEST(operators, which_say_that_they_are_exact) {
    static_assert(is_exact<exact_always, float>);
    static_assert(is_exact<exact_for_integers, int> && !is_exact<exact_for_integers, float>);
    static_assert(!is_exact<silent, int>);
}

TEST(operators, integers_wrap_around) {
    EXPECT_EQ(plus()(std::int8_t{127}, std::int8_t{1}), -128);
    EXPECT_EQ(plus()(std::numeric_limits<std::int64_t>::max(), std::int64_t{1}),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(multiplies()(std::uint16_t{65535}, std::uint16_t{65535}), 1);  // 65535^2 overflows int
    EXPECT_EQ(multiplies()(std::int16_t{-32768}, std::int16_t{-1}), -32768);
    EXPECT_EQ(multiplies()(std::int32_t{1} << 16, std::int32_t{1} << 16), 0);
    static_assert(multiplies()(std::int32_t{65536}, std::int32_t{65535}) == -65536);
}

TEST(operators, minimum_and_maximum_are_ieee_2019) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(same_bits(minimum()(0.0f, -0.0f), -0.0f) && same_bits(minimum()(-0.0f, 0.0f), -0.0f));
    EXPECT_TRUE(same_bits(maximum()(0.0f, -0.0f), 0.0f) && same_bits(maximum()(-0.0f, 0.0f), 0.0f));
    EXPECT_TRUE(std::isnan(minimum()(nan, 1.0f)) && std::isnan(minimum()(1.0f, nan)));
    EXPECT_TRUE(std::isnan(maximum()(nan, std::numeric_limits<float>::infinity())));
    EXPECT_EQ(minimum()(1.0f, 2.0f), 1.0f);
    EXPECT_EQ(maximum()(1.0f, 2.0f), 2.0f);
}

TEST(operators, identities) {
    EXPECT_TRUE(same_bits(plus::identity<float>(), -0.0f));
    EXPECT_TRUE(same_bits(plus::identity<std::complex<double>>(), std::complex<double>(-0.0, -0.0)));
    EXPECT_EQ(plus::identity<int>(), 0);
    EXPECT_EQ(minimum::identity<float>(), std::numeric_limits<float>::infinity());
    EXPECT_EQ(maximum::identity<std::int8_t>(), -128);
    EXPECT_EQ(bit_and::identity<std::uint8_t>(), 255);
    EXPECT_EQ(logical_and::identity<bool>(), true);
    EXPECT_TRUE(same_bits(affine::identity<affine_map<float>>(), affine_map<float>{1.0f, -0.0f}));
}

TEST(operators, affine_composes_from_left_to_right) {
    // 2 x + 3, then 5 x + 7: 10 x + 22
    EXPECT_EQ(affine()(affine_map<int>{2, 3}, affine_map<int>{5, 7}), (affine_map<int>{10, 22}));
    // Each product and sum is rounded by itself: a fused one would give 2^-46 here.
    const float x = 1.0f + 0x1p-23f;
    const affine_map<float> made =
        affine()(affine_map<float>{1.0f, x}, affine_map<float>{x, -(1.0f + 0x1p-22f)});
    EXPECT_EQ(made.b, 0.0f);
}

// Finite maps keep their bits under the identity on either side, zeros included.
TEST(operators, identity_of_affine) {
    const affine_map<double> e = affine::identity<affine_map<double>>();
    for (const double b : {0.0, -0.0, 3.5, -1e300}) {
        const affine_map<double> map{0.75, b};
        EXPECT_TRUE(same_bits(affine()(map, e), map)) << b;
        EXPECT_TRUE(same_bits(affine()(e, map), map)) << b;
    }
}

TEST(operators, with_identity_keeps_both) {
    const auto longest = with_identity([](int a, int b) { return a < b ? b : a; }, -1);
    EXPECT_EQ(longest(3, 4), 4);
    EXPECT_EQ(identity_of<int>(longest), -1);
    static_assert(!is_commutative<decltype(longest)> &&
                  !is_exact<std::remove_const_t<decltype(longest)>, int>);
}

}  // namespace
}  // namespace upsweep::test
