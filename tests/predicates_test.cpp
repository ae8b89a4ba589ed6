// Comparisons of elements with a value of another type, against long double, in which every number of up to
// 64 bits has its place: the predicates themselves, as the CPU's vectors and as a device take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/choices.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/cuda/comparisons.hpp"
#include "upsweep/partition.hpp"
#include "upsweep/predicates.hpp"

namespace upsweep::test {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "long double is to be the oracle");

template <class T>
long double exactly(T x) {
    if constexpr (is_half<T>)
        return static_cast<float>(x);
    else
        return x;
}

// Numbers around every place where some type ends, and halves between them; as far as T has them.
template <class T>
std::vector<T> values() {
    std::vector<T> made;
    const auto add = [&](long double x) {
        if constexpr (std::integral<T>) {
            if (x < std::numeric_limits<T>::lowest() || x > std::numeric_limits<T>::max()) return;
        }
        made.push_back(static_cast<T>(x));
    };
    for (const int exponent : {0, 1, 7, 8, 11, 15, 16, 24, 25, 31, 32, 53, 54, 63, 64, 100, 127, 128}) {
        for (const long double away : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L}) {
            add(std::ldexp(1.0L, exponent) + away);
            add(-std::ldexp(1.0L, exponent) + away);
        }
    }
    for (const long double x : {5.0L, 2.5L, 5.9L, 0.1L}) add(x);
    if constexpr (!std::integral<T>)
        for (const float x : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()})
            made.push_back(T(x));
    return made;
}

// check(predicate, the same of long doubles), for each of the six with a value. The latter are functions, so
// that what is checked is compiled once for all six.
template <class T, class Check>
void for_each_comparison(T value, const Check& check) {
    check(less_than(value), [](long double x, long double v) { return x < v; });
    check(at_most(value), [](long double x, long double v) { return x <= v; });
    check(equal_to(value), [](long double x, long double v) { return x == v; });
    check(not_equal_to(value), [](long double x, long double v) { return x != v; });
    check(at_least(value), [](long double x, long double v) { return x >= v; });
    check(greater_than(value), [](long double x, long double v) { return x > v; });
}

template <class Element, class Value>
void check_pair() {
    const auto numbers = values<Element>();
    const auto copies = std::make_unique<Element[]>(numbers.size());  // a vector of bool is no array
    std::copy(numbers.begin(), numbers.end(), copies.get());
    const std::span<const Element> all(copies.get(), numbers.size());
    cpu::executor ex(1);
    for (const Value value : values<Value>()) {
        for_each_comparison(value, [&](const auto& keep, bool (*compare)(long double, long double)) {
            std::vector<std::size_t> expected;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const bool holds = compare(exactly(all[i]), exactly(value));
                if (holds) expected.push_back(i);
                ASSERT_EQ(keep(all[i]), holds)
                    << exactly(all[i]) << " and " << exactly(value) << " by " << static_cast<int>(keep.how);
                cuda::detail::with_device_predicate<Element>(keep, [&](const auto& predicate) {
                    ASSERT_EQ(predicate(all[i]), holds)
                        << exactly(all[i]) << " and " << exactly(value) << " on a device";
                });
            }
            std::vector<std::size_t> found(all.size());
            found.resize(compact_indices_if(ex, all, found, keep));
            ASSERT_EQ(found, expected) << exactly(value) << " by " << static_cast<int>(keep.how);
        });
    }
}

template <class Element>
class predicates : public testing::Test {};
using element_types =
    testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(predicates, element_types);

TYPED_TEST(predicates, of_integers) {
    check_pair<TypeParam, std::int8_t>();
    check_pair<TypeParam, std::uint8_t>();
    check_pair<TypeParam, std::int32_t>();
    check_pair<TypeParam, std::uint32_t>();
    check_pair<TypeParam, std::int64_t>();
    check_pair<TypeParam, std::uint64_t>();
}
TYPED_TEST(predicates, of_reals) {
    check_pair<TypeParam, float16>();
    check_pair<TypeParam, bfloat16>();
    check_pair<TypeParam, float>();
    check_pair<TypeParam, double>();
}

// Both ways, by vectors and one by one, at every level.
TEST(predicates_of_other_types, at_every_level) {
    const std::vector<double> reals = {0.5, 0.25, -0.5, 2.5, 5.9};
    const std::vector<std::int64_t> integers = {1, (std::int64_t{1} << 32) + 1, -3};
    for_each_backend(coverage::levels, [&](const auto& backend) {
        std::vector<double> out(5);
        EXPECT_EQ(compact_if(*backend.executor, reals, out, greater_than(0)), 4u);
        EXPECT_EQ(partition_if(*backend.executor, reals, out, at_most(5)), 4u);
        std::vector<std::int64_t> whole(3);
        EXPECT_EQ(compact_if(*backend.executor, integers, whole, less_than(5)), 2u);
        EXPECT_EQ(compact_if(*backend.executor, integers, whole, less_than(5u)), 2u);
        EXPECT_EQ(compact_if(*backend.executor, integers, whole, less_than(0.5)), 1u);
    });
}

TEST(predicates_of_other_types, of_what_are_no_numbers) {
    const std::vector<std::string> words = {"plum", "apple", "quince"};
    std::vector<std::string> out(3);
    cpu::executor ex(1);
    EXPECT_EQ(compact_if(ex, words, out, less_than("plum")), 1u);
    EXPECT_EQ(out.front(), "apple");
}

}  // namespace
}  // namespace upsweep::test
