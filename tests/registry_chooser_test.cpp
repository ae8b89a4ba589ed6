// The registry's chooser: what a number means for every type, which elements it chooses, and that they move
// bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "registry/chooser.hpp"
#include "registry/visit.hpp"
#include "support/build.hpp"
#include "upsweep/error.hpp"

namespace upsweep::test {
namespace {

using core::compares;
using registry::condition;
using registry::dtype;

constexpr comparison comparisons[] = {comparison::less,      comparison::less_equal,    comparison::equal,
                                      comparison::not_equal, comparison::greater_equal, comparison::greater};

const registry::device& processor() {
    static const registry::device device("cpu", 2);
    return device;
}

// For each comparison, in the order above: whether `element` is chosen.
template <class T>
std::string answers(dtype type, T element, const std::string& number) {
    std::string all;
    for (const comparison how : comparisons) {
        const condition one{how, number};
        all += registry::make_chooser(processor(), type, {&one, 1})->chooses(&element) ? '1' : '0';
    }
    return all;
}
constexpr const char* below = "110100";  // of what is less than the number
constexpr const char* same = "011010";
constexpr const char* above = "000111";
constexpr const char* unordered = "000100";

void refuse(dtype type, const std::string& number, const std::string& part,
            comparison how = comparison::less) {
    const condition one{how, number};
    try {
        static_cast<void>(registry::make_chooser(processor(), type, {&one, 1}));
        ADD_FAILURE() << number;
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::invalid_argument);
        EXPECT_NE(std::string(problem.what()).find(part), std::string::npos) << problem.what();
    }
}

// Against long double, whose 64 bits hold these numbers.
template <class T>
void check_integers(dtype type) {
    SCOPED_TRACE(registry::name(type));
    const std::vector<std::string> numbers = {"0",
                                              "-0",
                                              "+1",
                                              "-1",
                                              "007",
                                              "127",
                                              "128",
                                              "-128",
                                              "-129",
                                              "255",
                                              "256",
                                              "300",
                                              "-32768",
                                              "-32769",
                                              "32767",
                                              "32768",
                                              "65535",
                                              "65536",
                                              "2147483647",
                                              "2147483648",
                                              "-2147483648",
                                              "-2147483649",
                                              "4294967295",
                                              "4294967296",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "-9223372036854775808",
                                              "-9223372036854775809",
                                              "18446744073709551615",
                                              "18446744073709551616",
                                              "-18446744073709551616"};
    using limits = std::numeric_limits<T>;
    for (const std::string& number : numbers) {
        long double wanted = 0;
        for (const char digit : number) {
            if (digit >= '0' && digit <= '9') wanted = 10 * wanted + static_cast<long double>(digit - '0');
        }
        if (number.front() == '-') wanted = -wanted;
        for (const T element : {limits::min(), static_cast<T>(limits::min() + 1), T(0), T(1), T(7),
                                static_cast<T>(limits::max() - 1), limits::max()}) {
            const auto exact = static_cast<long double>(element);
            EXPECT_EQ(answers(type, element, number), exact < wanted    ? below
                                                      : exact == wanted ? same
                                                                        : above)
                << +element << " and " << number;
        }
    }
    const std::string long_number(500, '9');
    EXPECT_EQ(answers(type, limits::max(), long_number), below);
    EXPECT_EQ(answers(type, limits::min(), "-" + long_number), above);
    for (const char* wrong :
         {"", "-", "5.5", "5.0", "1e3", "inf", "nan", "x", "5x", " 5", "--5", "+-5", "0x5"})
        refuse(type, wrong, std::string(registry::name(type)) + " is compared with an integer");
}

TEST(registry_chooser, integers_beyond_the_type_compare_as_what_they_are) {
    check_integers<std::int8_t>(dtype::int8);
    check_integers<std::uint8_t>(dtype::uint8);
    check_integers<std::int16_t>(dtype::int16);
    check_integers<std::uint16_t>(dtype::uint16);
    check_integers<std::int32_t>(dtype::int32);
    check_integers<std::uint32_t>(dtype::uint32);
    check_integers<std::int64_t>(dtype::int64);
    check_integers<std::uint64_t>(dtype::uint64);
}

TEST(registry_chooser, truth_values_are_0_and_1) {
    EXPECT_EQ(answers(dtype::bool8, true, "1"), same);
    EXPECT_EQ(answers(dtype::bool8, true, "True"), same);
    EXPECT_EQ(answers(dtype::bool8, true, "false"), above);
    EXPECT_EQ(answers(dtype::bool8, false, "0"), same);
    EXPECT_EQ(answers(dtype::bool8, false, "true"), below);
    EXPECT_EQ(answers(dtype::bool8, true, "300"), below);
    EXPECT_EQ(answers(dtype::bool8, false, "-1"), above);
    refuse(dtype::bool8, "yes", "bool is compared with an integer, true or false");
}

template <class T>
void check_reals(dtype type, T largest, const std::string& beyond, const std::string& tiny) {
    SCOPED_TRACE(registry::name(type));
    const T infinity = static_cast<T>(std::numeric_limits<float>::infinity());
    const T nan = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    const T minus_infinity = static_cast<T>(-std::numeric_limits<float>::infinity());
    EXPECT_EQ(answers(type, T(0.5f), "0.5"), same);
    EXPECT_EQ(answers(type, T(0.5f), "+.5"), same);
    EXPECT_EQ(answers(type, T(0.5f), "5e-1"), same);
    EXPECT_EQ(answers(type, T(0.5f), "-0.5"), above);
    EXPECT_EQ(answers(type, T(0.0f), "-0"), same);
    EXPECT_EQ(answers(type, T(-0.0f), "0"), same);
    EXPECT_EQ(answers(type, infinity, "inf"), same);
    EXPECT_EQ(answers(type, infinity, "Infinity"), same);
    EXPECT_EQ(answers(type, minus_infinity, "-inf"), same);
    EXPECT_EQ(answers(type, largest, "inf"), below);
    for (const char* number : {"0", "inf", "-inf", "nan"}) EXPECT_EQ(answers(type, nan, number), unordered);
    EXPECT_EQ(answers(type, largest, "nan"), unordered);
    // Finite numbers beyond the largest one lie between it and infinity.
    EXPECT_EQ(answers(type, largest, beyond), below);
    EXPECT_EQ(answers(type, infinity, beyond), above);
    EXPECT_EQ(answers(type, minus_infinity, beyond), below);
    EXPECT_EQ(answers(type, nan, beyond), unordered);
    EXPECT_EQ(answers(type, T(-largest), "-" + beyond), above);
    EXPECT_EQ(answers(type, minus_infinity, "-" + beyond), below);
    EXPECT_EQ(answers(type, nan, "-" + beyond), unordered);
    for (const std::string& huge : {std::string("1e99999999999999999999"), "1" + std::string(5000, '0')}) {
        EXPECT_EQ(answers(type, largest, huge), below);
        EXPECT_EQ(answers(type, infinity, huge), above);
    }
    // What rounds to 0 is 0.
    for (const std::string& small :
         {tiny, "-" + tiny, std::string("1e-99999999999999999999"), "0." + std::string(5000, '0') + "1"})
        EXPECT_EQ(answers(type, T(0.0f), small), same) << small;
    for (const char* wrong : {"", "-", "x", "5x", "5 ", "--5", "+-5", "-+5", "nan(1)", "0x5", "1e", "1,5"})
        refuse(type, wrong, std::string(registry::name(type)) + " is compared with a number");
}

TEST(registry_chooser, reals_are_rounded_to_the_type) {
    check_reals<float16>(dtype::float16, float16(65504.0f), "65520", "1e-9");
    check_reals<bfloat16>(dtype::bfloat16, bfloat16::from_bits(0x7f7f), "3.4e38", "1e-45");
    check_reals<float>(dtype::float32, std::numeric_limits<float>::max(), "3.5e38", "1e-46");
    check_reals<double>(dtype::float64, std::numeric_limits<double>::max(), "2e308", "1e-324");
    EXPECT_EQ(answers(dtype::float32, 0.1f, "0.1"), same);
    EXPECT_EQ(answers(dtype::float64, 0.1, "0.1"), same);
    EXPECT_EQ(answers(dtype::float16, float16(0.1f), "0.1"), same);
    EXPECT_EQ(answers(dtype::bfloat16, bfloat16(0.1f), "0.1"), same);
    EXPECT_EQ(answers(dtype::float16, float16(65504.0f), "65519"), same);
    EXPECT_EQ(answers(dtype::float32, 16777216.0f, "16777217"), same);
    EXPECT_EQ(answers(dtype::float64, 16777216.0, "16777217"), below);
    EXPECT_EQ(answers(dtype::float32, 1e-40f, "1e-40"), same);  // subnormal
    EXPECT_EQ(answers(dtype::float64, 5e-324, "5e-324"), same);
}

TEST(registry_chooser, complex_numbers_have_no_order) {
    const std::complex<float> element(1.5f, -2);
    for (const dtype type : {dtype::complex64, dtype::complex128}) {
        for (const comparison how :
             {comparison::less, comparison::less_equal, comparison::greater_equal, comparison::greater})
            refuse(type, "1", " has no order; expected == or !=", how);
        refuse(type, "one", "is not a value of type", comparison::equal);
    }
    const auto chosen = [&](std::vector<condition> conditions) {
        return registry::make_chooser(processor(), dtype::complex64, conditions)->chooses(&element);
    };
    EXPECT_TRUE(chosen({{comparison::equal, "1.5-2j"}}));
    EXPECT_FALSE(chosen({{comparison::not_equal, "1.5-2j"}}));
    EXPECT_FALSE(chosen({{comparison::equal, "1.5+2j"}}));
    EXPECT_TRUE(chosen({{comparison::not_equal, "1.5"}, {comparison::equal, "1.5-2j"}}));
    EXPECT_FALSE(chosen({{comparison::not_equal, "1.5-2j"}, {comparison::equal, "1.5-2j"}}));
}

// Elements of all bits; every chosen one keeps its own, NaNs too.
template <class T>
void check_moves(dtype type, std::size_t n) {
    SCOPED_TRACE(std::string(registry::name(type)) + " " + std::to_string(n));
    std::mt19937 random(static_cast<unsigned>(n) + 1);
    std::vector<unsigned char> bytes(n * sizeof(T) + 1);
    for (unsigned char& byte : bytes)
        byte = static_cast<unsigned char>(std::is_same_v<T, bool> ? random() % 2 : random());
    const auto element = [&](std::size_t i) {
        T x;
        std::memcpy(static_cast<void*>(&x), bytes.data() + i * sizeof(T), sizeof(T));
        return x;
    };
    std::vector<condition> conditions = {{comparison::greater_equal, "0"}, {comparison::not_equal, "1"}};
    if constexpr (is_complex<T>) conditions.front() = {comparison::not_equal, "0"};
    const auto holds = [&](const T& x) {
        if constexpr (is_complex<T>)
            return x != T(0) && x != T(1);
        else if constexpr (is_half<T>)
            return static_cast<float>(x) >= 0 && static_cast<float>(x) != 1;
        else
            return compares(comparison::greater_equal, x, T(0)) && compares(comparison::not_equal, x, T(1));
    };
    std::vector<unsigned char> front;
    std::vector<unsigned char> back;
    std::vector<std::int64_t> front_indices;
    std::vector<std::int64_t> back_indices;
    constexpr std::int64_t first = std::int64_t{1} << 40;
    for (std::size_t i = 0; i < n; ++i) {
        const bool chosen = holds(element(i));
        auto& part = chosen ? front : back;
        part.insert(part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * sizeof(T)),
                    bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * sizeof(T)));
        (chosen ? front_indices : back_indices).push_back(first + static_cast<std::int64_t>(i));
    }
    const std::size_t count = front_indices.size();
    const auto chooser = registry::make_chooser(processor(), type, conditions);
    // Elements are aligned as new aligns them; one more than there is room for tells of writes past the end.
    std::vector<unsigned char> out(n * sizeof(T) + 1, 0xa5);
    ASSERT_EQ(chooser->compact(bytes.data(), out.data(), n), count);
    EXPECT_TRUE(std::equal(front.begin(), front.end(), out.begin()));
    EXPECT_EQ(out.back(), 0xa5);
    ASSERT_EQ(chooser->partition(bytes.data(), out.data(), n), count);
    EXPECT_EQ(out.back(), 0xa5);
    out.pop_back();
    front.insert(front.end(), back.begin(), back.end());
    EXPECT_EQ(out, front);

    std::vector<std::int64_t> indices(n + 1, -1);
    ASSERT_EQ(chooser->compact_indices(bytes.data(), first, indices.data(), n), count);
    EXPECT_TRUE(std::equal(front_indices.begin(), front_indices.end(), indices.begin()));
    EXPECT_EQ(indices.back(), -1);
    ASSERT_EQ(chooser->partition_indices(bytes.data(), first, indices.data(), n), count);
    EXPECT_EQ(indices.back(), -1);
    indices.pop_back();
    front_indices.insert(front_indices.end(), back_indices.begin(), back_indices.end());
    EXPECT_EQ(indices, front_indices);
}

TEST(registry_chooser, elements_of_every_type_move_bit_for_bit) {
    for (int k = 0; k <= static_cast<int>(dtype::complex128); ++k) {
        const auto type = static_cast<dtype>(k);
        registry::visit_type(type, [&]<class T>(std::type_identity<T>) {
            for (const std::size_t n : {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 2048, 2049, 5000})
                check_moves<T>(type, n);
            check_moves<T>(type, sanitized ? 40000 : 300000);
        });
    }
}

TEST(registry_chooser, requests_that_cannot_be) {
    try {
        static_cast<void>(registry::make_chooser(processor(), dtype::int8, {}));
        ADD_FAILURE();
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::invalid_argument);
    }
    std::string told(60, 'x');
    told += "\" is none";  // not in one expression, of which g++ 12 for s390x warns without cause
    refuse(dtype::int8, std::string(1000, 'x'), told);
}

}  // namespace
}  // namespace upsweep::test
