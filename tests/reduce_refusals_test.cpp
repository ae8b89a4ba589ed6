// Totals on the CPU: elements that own memory, operators that throw, what can be called, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "support/monoids.hpp"
#include "support/refused.hpp"
#include "support/strided_layout.hpp"
#include "support/sweep.hpp"
#include "upsweep/axis_reduce.hpp"
#include "upsweep/reduce.hpp"

namespace upsweep::test {
namespace {

// The grouping, letter for letter; and copies of what owns memory balance on every thread.
TEST(reduce_refusals, strings) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < 300; ++i) values.emplace_back(1, static_cast<char>('a' + i % 26));
    const auto expected = prefixes<std::string>(std::span<const std::string>(values), parenthesise{});
    const auto join =
        with_identity([](const std::string& a, const std::string& b) { return a + b; }, std::string());
    std::vector<std::string> many(20000);
    std::string joined;
    for (std::size_t i = 0; i < many.size(); i += 61) {
        many[i] = std::string(1, static_cast<char>('a' + i / 61 % 26));
        joined += many[i];
    }
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const std::size_t n : {1u, 4u, 5u, 128u, 130u, 300u})
            EXPECT_EQ(reduce(*backend.executor, std::span(values).first(n), parenthesise{}), expected[n]);
        EXPECT_EQ(reduce(*backend.executor, many, join), joined);
        EXPECT_EQ(reduce(*backend.executor, many, join, {.initial = ">"}), ">" + joined);
        EXPECT_EQ(reduce(*backend.executor, std::vector<std::string>(), join), "");
        EXPECT_EQ(transform_reduce(*backend.executor, many, plus{}, &std::string::size), joined.size());
    });
}

TEST(reduce_refusals, strings_along_an_axis) {
    cpu::executor ex(2);
    const std::vector<std::string> x{"a", "b", "c", "d", "e", "f"};
    const strided_view<const std::string> in(x.data(), {2, 3});
    std::vector<std::string> rows(2), columns(3);
    reduce(ex, in, strided_view<std::string>(rows.data(), {2}), 1, parenthesise{});
    EXPECT_EQ(rows, (std::vector<std::string>{"((a+b)+c)", "((d+e)+f)"}));
    reduce(ex, in, strided_view<std::string>(columns.data(), {3}), 0, parenthesise{}, {.initial = "0"});
    EXPECT_EQ(columns, (std::vector<std::string>{"(0+(a+d))", "(0+(b+e))", "(0+(c+f))"}));
}

// Shared ownership: a value lost or released twice would show under AddressSanitizer, one kept alive here.
TEST(reduce_refusals, releases_every_copy) {
    using shared = std::shared_ptr<const std::uint64_t>;
    std::vector<shared> values;
    for (std::uint64_t i = 0; i < 30000; ++i) values.push_back(std::make_shared<std::uint64_t>(i));
    const auto later = [](const shared&, const shared& b) { return b; };
    for_each_backend(coverage::threads, [&](const auto& backend) {
        EXPECT_EQ(reduce(*backend.executor, values, later), values.back());
        for (const shared& value : values) ASSERT_EQ(value.use_count(), 1);
    });
}

// Results that convert to the accumulator's type are converted before they are operands.
TEST(reduce_refusals, results_that_convert) {
    const auto add = [](const std::uint8_t& a, const std::uint8_t& b) { return a + b; };
    std::vector<std::uint8_t> values(150000);
    std::uint8_t expected = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        expected = static_cast<std::uint8_t>(expected + (values[i] = static_cast<std::uint8_t>(i * 7)));
    for_each_backend(coverage::threads, [&](const auto& backend) {
        EXPECT_EQ(reduce(*backend.executor, values, add), expected);
    });
}

TEST(reduce_refusals, what_the_operator_throws_passes_through) {
    const std::size_t n = 400'000;
    std::vector<int> x(n, 1), totals(2);
    const auto add = [](int a, int b) {
        if (a < 0 || b < 0) throw std::range_error("negative");
        return a + b;
    };
    const auto checked = [](int a) { return a < 0 ? throw std::range_error("negative") : a; };
    const strided_view<const int> in(x.data(), {2, 200'000});
    const strided_view<int> out(totals.data(), {2});
    for_each_backend(coverage::threads, [&](const auto& backend) {
        for (const std::size_t at : {n / 2, n - 1}) {
            x[at] = -1;
            EXPECT_THROW(reduce(*backend.executor, x, add), std::range_error);
            EXPECT_THROW(transform_reduce(*backend.executor, x, plus{}, checked), std::range_error);
            EXPECT_THROW(reduce(*backend.executor, in, out, 1, add), std::range_error);
            x[at] = 1;
        }
        EXPECT_EQ(reduce(*backend.executor, x, add), 400'000);
        reduce(*backend.executor, in, out, 1, add);
        EXPECT_EQ(totals, (std::vector{200'000, 200'000}));
    });
}

TEST(reduce_refusals, misuse) {
    cpu::executor ex(2);
    std::vector<float> x(60, 1.0f);
    guarded<float> out(60);
    const strided_view<const float> in(x.data(), {5, 12});
    const strided_view<float> columns(out.data(), {12}), rows(out.data(), {5});
    const auto first = [](float a, float) { return a; };
    expect_refused("options.initial: ", [&] { reduce(ex, std::vector<float>(), first); });
    expect_refused("options.initial: ",
                   [&] { transform_reduce(ex, std::vector<float>(), first, [](float a) { return a; }); });
    EXPECT_EQ(reduce(ex, std::vector<float>(), first, {.initial = 2.0f}), 2);
    expect_refused("options.initial: ", [&] {
        reduce(ex, strided_view<const float>(x.data(), {0, 12}), columns, 0, first);
    });
    expect_refused("axis: ", [&] { reduce(ex, in, columns, 2); });
    expect_refused("axis: ", [&] { reduce(ex, in, columns, -3); });
    expect_refused("in: ", [&] {
        const strided_view<const float> scalar(x.data(), extents{});
        reduce(ex, scalar, strided_view<float>(out.data(), extents{}), 0);
    });
    expect_refused("out: its shape", [&] { reduce(ex, in, rows, 0); });
    expect_refused("out: its shape", [&] { reduce(ex, in, columns, 1); });
    expect_refused("out: its shape", [&] { reduce(ex, in, strided_view<float>(out.data(), {5, 12}), 0); });
    expect_refused("out: its shape", [&] { reduce(ex, in, strided_view<float>(out.data(), {1, 12}), 0); });
    expect_refused("out: stride 0", [&] { reduce(ex, in, strided_view<float>(out.data(), {12}, {0}), 0); });
    EXPECT_TRUE(out.untouched());
    const std::vector<float> before = x;
    expect_refused("out: overlaps in", [&] { reduce(ex, in, strided_view<float>(x.data(), {12}), 0); });
    expect_refused("out: overlaps in", [&] { reduce(ex, in, strided_view<float>(x.data() + 59, {5}), 1); });
    expect_refused("out: overlaps in", [&] {
        reduce(ex, strided_view<const float>(x.data() + 11, {4}, {-2}),
               strided_view<float>(x.data() + 6, extents{}), 0);
    });
    EXPECT_EQ(x, before);
    EXPECT_NO_THROW(reduce(ex, strided_view<const float>(x.data(), {4, 12}),
                           strided_view<float>(x.data() + 48, {12}), 0));
}

}  // namespace
}  // namespace upsweep::test
