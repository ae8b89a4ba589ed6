// What the CPU's functions can be given to call: pointers to members, functions, and what cannot be copied.
#include <gtest/gtest.h>

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/refused.hpp"
#include "upsweep/axis_scan.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/core/known_operator.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/segmented_scan.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/unique.hpp"
#include "upsweep/views.hpp"

namespace upsweep::test {
namespace {

struct reading {
    float value;
    bool valid;
    std::uint8_t station;

    float twice() const { return 2 * value; }
    bool is_as_high_as(const reading& other) const { return value == other.value; }
    friend bool operator==(const reading&, const reading&) = default;
};
float value_of(const reading& r) { return r.value; }
bool is_valid(const reading& r) { return r.valid; }

// Trivially copyable, as far as it can be copied, which it cannot.
struct uncopied {
    uncopied() = default;
    uncopied(uncopied&&) = default;
    bool operator()(const reading& r) const { return r.valid; }
    bool operator()(const reading& a, const reading& b) const { return a.value == b.value; }
};

const std::vector<reading> readings = {{1, true, 3}, {1, false, 1}, {2, true, 2}};

TEST(callables, choose) {
    cpu::executor ex(2);
    const std::vector<reading> expected = {readings[0], readings[2], readings[1]};
    const auto check = [&](const auto& keep) {
        std::vector<reading> out(3);
        EXPECT_EQ(compact_if(ex, readings, out, keep), 2u);
        EXPECT_EQ(out[1], readings[2]);
        EXPECT_EQ(partition_if(ex, readings, out, keep), 2u);
        EXPECT_EQ(out, expected);
        std::vector<int> at(3);
        EXPECT_EQ(compact_indices_if(ex, readings, at, keep), 2u);
        EXPECT_EQ(at[1], 2);
        EXPECT_EQ(partition_indices_if(ex, readings, at, keep), 2u);
        EXPECT_EQ(at, (std::vector{0, 2, 1}));
    };
    check(&reading::valid);
    check(is_valid);
    check(&is_valid);
    check(uncopied());
    check([yes = std::make_unique<bool>(true)](const reading& r) { return r.valid == *yes; });
}

TEST(callables, transform) {
    cpu::executor ex(2);
    const auto check = [&](const auto& f, const std::vector<float>& expected) {
        std::vector<float> out(3);
        transform_inclusive_scan(ex, readings, out, plus{}, f);
        EXPECT_EQ(out, expected);
        transform_inclusive_scan(
            ex, readings, out, [](float a, float b) { return a + b; }, f);
        EXPECT_EQ(out, expected);
        transform_exclusive_scan(ex, readings, out, plus{}, f);
        EXPECT_EQ(out, (std::vector<float>{0, expected[0], expected[1]}));
    };
    check(&reading::value, {1, 2, 4});
    check(&reading::twice, {2, 4, 8});
    check(value_of, {1, 2, 4});
}

TEST(callables, compare) {
    cpu::executor ex(2);
    const auto check = [&](const auto& equal) {
        std::vector<reading> out(3), of(3);
        std::vector<int> ones(3, 1), sums(3), lengths(3);
        EXPECT_EQ(unique(ex, readings, out, equal), 2u);
        EXPECT_EQ(out[1], readings[2]);
        EXPECT_EQ(unique_by_key(ex, readings, ones, of, sums, equal), 2u);
        EXPECT_EQ(run_length_encode(ex, readings, of, lengths, equal), 2u);
        EXPECT_EQ(lengths, (std::vector{2, 1, 0}));
        EXPECT_EQ(reduce_by_key(ex, readings, ones, of, sums, plus{}, {}, equal), 2u);
        EXPECT_EQ(sums[0], 2);
        EXPECT_EQ(of[1], readings[2]);
    };
    check(&reading::is_as_high_as);
    check(uncopied());
    check([yes = std::make_unique<bool>(true)](const reading& a, const reading& b) {
        return (a.value == b.value) == *yes;
    });
    std::vector<int> sums(3);
    inclusive_segmented_scan(ex, by_keys(readings, uncopied()), std::vector<int>(3, 1), sums);
    EXPECT_EQ(sums, (std::vector{1, 2, 1}));
}

TEST(callables, keys_and_bins) {
    cpu::executor ex(2);
    std::vector<reading> out(3);
    sort_by(ex, readings, out, &reading::station);
    EXPECT_EQ(out, (std::vector<reading>{readings[1], readings[2], readings[0]}));
    std::vector<std::uint64_t> counts(4);
    histogram_by(ex, readings, counts, &reading::station);
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 1, 1, 1}));
}

// What operators say of themselves, as values or, as local classes must, by functions.
struct says_yes {
    static constexpr bool exact = true, commutative = true;
};
struct says_no {
    static constexpr bool exact = false, commutative = false;
};
struct says_of_integers {
    template <class T>
    static constexpr bool exact = std::integral<T>;
};
struct answers_of_integers {
    template <class T>
    static constexpr bool exact() {
        return std::integral<T>;
    }
};
static_assert(is_exact<says_yes, float> && is_commutative<says_yes>);
static_assert(!is_exact<says_no, int> && !is_commutative<says_no>);
static_assert(is_exact<says_of_integers, int> && !is_exact<says_of_integers, float>);
static_assert(is_exact<answers_of_integers, int> && !is_exact<answers_of_integers, float>);

TEST(callables, operators_of_local_classes) {
    struct answers_yes {
        static constexpr bool exact() { return true; }
        static constexpr bool commutative() { return true; }
    };
    struct answers_no {
        static constexpr bool exact() { return false; }
        static constexpr bool commutative() { return false; }
    };
    EXPECT_TRUE((is_exact<answers_yes, float>));
    EXPECT_TRUE(is_commutative<answers_yes>);
    EXPECT_FALSE((is_exact<answers_no, float>));
    EXPECT_FALSE(is_commutative<answers_no>);
}

static_assert(std::same_as<core::known_operator_t<std::plus<>, float>, plus>);
static_assert(std::same_as<core::known_operator_t<std::plus<int>, int>, plus>);
static_assert(std::same_as<core::known_operator_t<std::multiplies<>, std::uint8_t>, multiplies>);
static_assert(std::same_as<core::known_operator_t<std::bit_and<>, int>, bit_and>);
static_assert(std::same_as<core::known_operator_t<std::bit_or<>, int>, bit_or>);
static_assert(std::same_as<core::known_operator_t<std::bit_xor<>, int>, bit_xor>);
template <class Op, class T>
constexpr bool stays_itself = std::same_as<core::known_operator_t<Op, T>, Op>;
static_assert(stays_itself<std::plus<>, bool> && stays_itself<std::bit_and<>, bool>);
static_assert(stays_itself<std::plus<double>, float>);  // adds in double
static_assert(stays_itself<std::multiplies<>, std::complex<float>>);
static_assert(stays_itself<std::plus<>, std::string> && stays_itself<says_yes, int>);

// What has an identity needs no initial value.
TEST(callables, operators_of_the_standard_library) {
    cpu::executor ex(2);
    const std::vector<int> x{3, 5, 7, 2}, offsets{0, 2, 2, 4}, keys{1, 1, 4, 4};
    std::vector<int> out(4), totals(3);
    transform_exclusive_scan(ex, x, out, std::plus<>(), [](int v) { return 10 * v; });
    EXPECT_EQ(out, (std::vector{0, 30, 80, 150}));
    exclusive_segmented_scan(ex, by_keys(keys), x, out, std::multiplies<>());
    EXPECT_EQ(out, (std::vector{1, 3, 1, 7}));
    EXPECT_EQ(segmented_reduce(ex, by_offsets(offsets), x, totals, std::plus<>()), 3u);
    EXPECT_EQ(totals, (std::vector{8, 0, 9}));
    EXPECT_EQ(reduce_by_key(ex, keys, x, out, totals, std::bit_or<>()), 2u);
    EXPECT_EQ(totals, (std::vector{7, 7, 9}));
    exclusive_scan(ex, strided_view(x.data(), {2, 2}), strided_view(out.data(), {2, 2}), 0, std::plus<>());
    EXPECT_EQ(out, (std::vector{0, 0, 3, 5}));

    const std::vector<std::complex<float>> turns(4);
    std::vector<std::complex<float>> turned(4);
    expect_refused("options.initial: ", [&] { exclusive_scan(ex, turns, turned, std::multiplies<>()); });
}

}  // namespace
}  // namespace upsweep::test
