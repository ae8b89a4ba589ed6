// Scans under operators of the user's own: not commutative, without an identity, lambdas, types with a heap
// behind them; and the grouping itself, made visible.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

TEST(generic_scan, bicyclic_monoid) { sweep<brackets, bicyclic>({2, 1}); }
TEST(generic_scan, matrices_without_an_identity) { sweep<matrix, matrix_product>({{2, 1, 1, 1}}); }
TEST(generic_scan, words) { sweep<word, concatenate>(word::letter('!'), {}, !sanitized); }

// Under an operator that is not associative at all, equal results mean equal grouping.
TEST(generic_scan, groups_exactly_as_the_tree) { sweep<std::uint64_t, fingerprint>(17u); }

// Left zero and right zero: the first, and the last, element of everything.
void sweep_lambdas() {
    const auto first = [] UPSWEEP_HOST_DEVICE(std::int32_t a, std::int32_t) { return a; };
    const auto last = [] UPSWEEP_HOST_DEVICE(std::int32_t, std::int32_t b) { return b; };
    sweep<std::int32_t, decltype(first)>(-5, first, false);
    sweep<std::int32_t, decltype(last)>(-5, last, false);
}
TEST(generic_scan, lambdas) { sweep_lambdas(); }

struct saturating_add {
    UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const {
        return static_cast<std::uint8_t>(a + b > 255 ? 255 : a + b);
    }
};
TEST(generic_scan, with_identity) {
    const auto saturating = with_identity(saturating_add{}, std::uint8_t{0});
    static_assert(has_identity<decltype(saturating), std::uint8_t>);
    sweep<std::uint8_t, decltype(saturating)>(std::uint8_t{3}, saturating, false);
    for_each_backend([&](const auto& backend) {
        std::vector<std::uint8_t> out(4, 9);
        exclusive_scan(*backend.executor, std::vector<std::uint8_t>{100, 100, 100, 1}, out, saturating);
        EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 100, 200, 255}));
    });
}

// An operator of <functional> over numbers is the library's own: it has an identity, and its bits.
template <class T, class Op, class Standard>
void check_standard() {
    const auto values = sequence<T, Op>(40000, 5);
    const auto expected = prefixes<T>(span_of(values), Op{});
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<T> out(values.size());
        T total{};
        exclusive_scan(*backend.executor, span_of(values), out, Standard{}, {.total = &total});
        EXPECT_EQ(first_difference(out.data(), std::begin(expected), out.size()), out.size());
        EXPECT_TRUE(same_bits(total, expected[values.size()]));
    });
}
TEST(generic_scan, operators_of_the_standard_library) {
    check_standard<float, plus, std::plus<>>();
    check_standard<double, multiplies, std::multiplies<>>();
    check_standard<std::uint8_t, plus, std::plus<std::uint8_t>>();
    check_standard<std::int64_t, bit_xor, std::bit_xor<>>();
}

#if !defined(UPSWEEP_TEST_CUDA) && !defined(UPSWEEP_TEST_MPI)  // whose elements are copied as bytes
// A type without default meaning of its bytes: copies and destruction must balance, on every thread.
TEST(generic_scan, strings) {
    const auto join =
        with_identity([](const std::string& a, const std::string& b) { return a + b; }, std::string());
    // Mostly empty words, so that 20,000 of them stay short while any lost letter shows.
    const std::size_t n = repetitions(20000, 9000);
    std::vector<std::string> values(n);
    for (std::size_t i = 0; i < n; i += 61) values[i] = std::string(1, static_cast<char>('a' + i / 61 % 26));
    const auto expected = prefixes<std::string>(std::span<const std::string>(values), join);
    const std::vector<std::string> reversed(values.rbegin(), values.rend());
    const auto backwards = prefixes<std::string>(std::span<const std::string>(reversed),
                                                 turned<std::remove_const_t<decltype(join)>>{join});
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<std::string> out(n, "poison");
        std::string total = "poison";
        inclusive_scan(*backend.executor, values, out, join, {.total = &total});
        EXPECT_TRUE(std::equal(out.begin(), out.end(), std::begin(expected) + 1));
        EXPECT_EQ(total, expected[n]);
        std::ranges::fill(out, "poison");
        exclusive_scan(*backend.executor, values, out, join, {.initial = ">"});
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], ">" + expected[i]) << i;
        std::ranges::fill(out, "poison");
        inclusive_scan(*backend.executor, values, out, join, {.reverse = true});
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], backwards[n - i]) << i;
        out = values;
        inclusive_scan(*backend.executor, out, out, join);
        EXPECT_TRUE(std::equal(out.begin(), out.end(), std::begin(expected) + 1));
    });
}

// Results that convert to the accumulator's type, as those of bytes do in C++: each is converted before it is
// an operand, so that a sum in double of floats is rounded as often as the tree has nodes.
template <class T, class Op>
void sweep_converted(const Op& op) {
    const std::size_t n = 2 * core::super_size + 5000;
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(300.0f / static_cast<float>(i % 1000 + 3));
    const auto expected = prefixes<T>(std::span<const T>(values), op);
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<T> out(n);
        inclusive_scan(*backend.executor, values, out, op);
        EXPECT_TRUE(std::equal(out.begin(), out.end(), std::begin(expected) + 1));

        std::vector<T> in_blocks(n);
        scan_carry<T> carry;
        for (std::size_t first = 0, count; first < n; first += count) {
            count = std::min<std::size_t>(n - first, 1 + first * 3);
            inclusive_scan(*backend.executor, std::span(values).subspan(first, count),
                           std::span(in_blocks).subspan(first, count), op, {.carry = &carry});
        }
        EXPECT_EQ(in_blocks, out);
    });
}
TEST(generic_scan, results_that_convert) {
    sweep_converted<std::uint8_t>([](const std::uint8_t& a, const std::uint8_t& b) { return a + b; });
    sweep_converted<std::int16_t>([](auto a, auto b) { return a / 2 + b; });
    sweep_converted<float>([](auto a, auto b) { return static_cast<double>(a) + static_cast<double>(b); });
}

// A type that keeps its address to itself.
struct secluded {
    std::uint32_t value;
    const secluded* operator&() const = delete;
};
TEST(generic_scan, types_with_an_address_operator) {
    const std::vector<secluded> values(20000, {3});
    const auto join = [](const secluded& a, const secluded& b) { return secluded{a.value + b.value}; };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<secluded> out(values.size());
        inclusive_scan(*backend.executor, values, out, join);
        for (std::uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].value, 3 * (i + 1)) << i;
    });
}

// A type that is aligned to more than a cache line, which the engine's own alignment must not weaken.
struct alignas(256) lined {
    std::uint32_t value;
};
TEST(generic_scan, types_of_large_alignment) {
    const std::vector<lined> values(20000, {3});
    const auto join = [](const lined& a, const lined& b) { return lined{a.value + b.value}; };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        std::vector<lined> out(values.size());
        inclusive_scan(*backend.executor, values, out, join);
        for (std::uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].value, 3 * (i + 1)) << i;
    });
}

// What NUMERICS.md writes is what the engine does, letter for letter.
TEST(generic_scan, parentheses_of_the_engine_are_those_of_the_reference) {
    for (const std::size_t n : {1u, 3u, 4u, 5u, 9u, 130u, 300u}) {
        std::vector<std::string> values;
        for (std::size_t i = 0; i < n; ++i) values.emplace_back(1, static_cast<char>('a' + i % 26));
        const auto expected = prefixes<std::string>(std::span<const std::string>(values), parenthesise{});
        for_each_backend(coverage::threads, [&](const auto& backend) {
            std::vector<std::string> out(n);
            inclusive_scan(*backend.executor, values, out, parenthesise{});
            EXPECT_TRUE(std::equal(out.begin(), out.end(), std::begin(expected) + 1));
        });
    }
}

// Shared ownership: a value lost or released twice would show under AddressSanitizer, one kept alive here.
TEST(generic_scan, releases_every_copy) {
    using shared = std::shared_ptr<const std::uint64_t>;
    std::vector<shared> values, out(30000);
    for (std::uint64_t i = 0; i < out.size(); ++i) values.push_back(std::make_shared<std::uint64_t>(i));
    const auto later = [](const shared&, const shared& b) { return b; };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        inclusive_scan(*backend.executor, values, out, later);
        for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], values[i]) << i;
            ASSERT_EQ(out[i].use_count(), 2) << i;
        }
    });
}
#endif

}  // namespace
}  // namespace upsweep::test
