// What only the CPU's sort does: it takes samples, keeps what is in order, moves elements that own memory and
// passes exceptions on; and what it refuses.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/choices.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/sorted.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::test {
namespace {

// Where a sample looks, one every n / 512, are other keys than nearly all are.
TEST(cpu_sort, most_keys_are_not_as_a_sample_says) {
    constexpr std::size_t samples = 512;
    for (const std::size_t n : {samples * 100, samples * 700 + 37}) {
        for (const bool is_above : {false, true}) {
            std::vector<std::uint32_t> x(n);
            random_bits random(n);
            for (std::size_t i = 0; i < n; ++i) {
                const bool is_seen = i % (n / samples) == 0;
                const std::uint64_t key = is_seen ? 0x40000000U + random.below(0x40000000U)
                                                  : (is_above ? 0xfffe0000U : 0U) + random.below(0x20000U);
                x[i] = static_cast<std::uint32_t>(key);
            }
            // Keys alone and with values, which are divided in different ways.
            std::vector<std::uint32_t> expected = x, out(n), values(n);
            std::sort(expected.begin(), expected.end());
            for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
                sort(*backend.executor, x, out);
                EXPECT_EQ(out, expected) << n;
                sort_by_key(*backend.executor, x, x, out, values);
                EXPECT_EQ(values, expected) << n;
            });
        }
    }
}

// What is in order but for one place, wherever that is, a border between threads too.
TEST(cpu_sort, one_place_out_of_order) {
    const std::size_t n = 100'000;
    for (const std::size_t place : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{1023},
                                    std::size_t{1024}, std::size_t{16'384}, std::size_t{32'769}, n - 1}) {
        std::vector<std::uint32_t> x = indices_of<std::uint32_t>(n);
        std::vector<std::uint32_t> out(n);
        const std::vector<std::uint32_t> expected = x;
        std::swap(x[place - 1], x[place]);
        for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
            sort(*backend.executor, x, out);
            EXPECT_EQ(out, expected) << place;
        });
    }
}

// The same of floating-point keys with values, which nothing is loaded of before they are looked at: zeros of
// both signs and NaNs of different bits are in order as they are.
template <class Key>
void check_nearly_in_order(bool descending) {
    const std::size_t n = repetitions(30'000, 9'000);
    const std::vector<Key> any = keys_of<Key>("special", n, 5);
    const std::vector<Key> in_order = taken(any, sorted_indices(any, descending));
    const std::vector<std::uint32_t> values = indices_of<std::uint32_t>(n);
    std::vector<Key> keys(n), out(n);
    std::vector<std::uint32_t> places(n);
    const auto is_same = [](const std::vector<Key>& a, const std::vector<Key>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(Key)) == 0;
    };
    for (const std::size_t place : {std::size_t{0}, std::size_t{700}, std::size_t{1'024}, n - 1}) {
        std::vector<Key> x = in_order;
        std::swap(x[place], x[place == 0 ? 0 : n / 3]);
        const std::vector<std::size_t> order = sorted_indices(x, descending);
        const std::vector<Key> expected = taken(x, order);
        const std::vector<std::uint32_t> expected_places = converted<std::uint32_t>(order);
        for_each_backend(coverage::all, [&](const cpu_backend& backend) {
            SCOPED_TRACE(place);
            const sort_options options{.descending = descending};
            sort(*backend.executor, x, out, options);
            EXPECT_TRUE(is_same(out, expected));
            sort_by_key(*backend.executor, x, values, keys, places, options);
            EXPECT_TRUE(is_same(keys, expected));
            EXPECT_EQ(places, expected_places);
            keys = x;
            places = values;
            sort_by_key(*backend.executor, keys, places, keys, places, options);
            EXPECT_TRUE(is_same(keys, expected));
            EXPECT_EQ(places, expected_places);
        });
    }
}
TEST(cpu_sort, special_keys_nearly_in_order) {
    check_nearly_in_order<float>(false);
    check_nearly_in_order<double>(true);
    check_nearly_in_order<float16>(false);
}

TEST(cpu_sort, elements_that_own_memory) {
    const std::size_t n = repetitions(20'000, 9'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::to_string(i * 7919 % n) + " of many strings";
    std::vector<double> keys(n);
    const auto key = [](const std::string& s) { return static_cast<double>(s[0]); };
    std::transform(x.begin(), x.end(), keys.begin(), key);
    const std::vector<std::string> expected = taken(x, sorted_indices(keys, false));
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        cpu::executor& ex = *backend.executor;
        std::vector<std::string> out(n), in_place = x, values = x;
        sort_by(ex, x, out, key);
        EXPECT_EQ(out, expected);
        sort_by(ex, in_place, in_place, key);
        EXPECT_EQ(in_place, expected);
        std::vector<double> sorted_keys(n);
        sort_by_key(ex, keys, values, sorted_keys, values);
        EXPECT_EQ(values, expected);
        EXPECT_TRUE(std::is_sorted(sorted_keys.begin(), sorted_keys.end()));
        const auto throws = [&](const std::string& s) {
            if (s[0] == '5') throw std::runtime_error("five");
            return 0;
        };
        EXPECT_THROW(sort_by(ex, x, out, throws), std::runtime_error);
    });
}

// Any keys: the result is in order and a permutation, equal ones keep their order both ways, and descending
// is ascending with the runs of equal keys in reverse.
RC_GTEST_PROP(cpu_sort, of_anything, (const std::vector<std::int32_t>& some, std::uint32_t range)) {
    std::vector<std::int32_t> x;
    for (const std::int32_t value : some)
        for (int k = 0; k < 40; ++k)
            x.push_back(range == 0 ? value : (value ^ k) % static_cast<int>(range % 99 + 1));
    std::vector<std::uint16_t> up(x.size()), down(x.size());
    cpu::executor one(1);
    sort_indices(one, x, up);
    sort_indices(one, x, down, {.descending = true});
    std::vector<bool> seen(x.size());
    for (const std::uint16_t i : up) seen[i] = true;
    RC_ASSERT(std::find(seen.begin(), seen.end(), false) == seen.end());
    for (std::size_t i = 1; i < up.size(); ++i) {
        RC_ASSERT(x[up[i - 1]] < x[up[i]] || (x[up[i - 1]] == x[up[i]] && up[i - 1] < up[i]));
    }
    std::vector<std::uint16_t> turned = up;
    std::stable_sort(turned.begin(), turned.end(), [&](auto a, auto b) { return x[a] > x[b]; });
    RC_ASSERT(turned == down);
}

TEST(cpu_sort, refuses) {
    cpu::executor one(1);
    std::vector<float> x{3, 1, 2}, out(3, 9);
    std::vector<int> values{1, 2, 3}, values_out(3, 9), more(3);
    expect_refused("out: expected 3 elements, as many as in, but it has 2",
                   [&] { sort(one, x, std::span(out).first(2)); });
    expect_refused("out: overlaps in; it must be the same array or disjoint",
                   [&] { sort(one, std::span(x).first(2), std::span(x).last(2)); });
    expect_refused("out: expected 3 elements", [&] { sort_indices(one, x, std::span(values).first(2)); });
    expect_refused("out: overlaps in", [&] { sort_indices(one, values, values); });
    const std::vector<float> many(200);
    std::vector<std::int8_t> indices(200);
    expect_refused("out: index 199 does not fit", [&] { sort_indices(one, many, indices); });
    expect_refused("values: expected 3 elements, as many as keys, but it has 2",
                   [&] { sort_by_key(one, x, std::span(values).first(2), out, values_out); });
    expect_refused("keys_out: expected 3",
                   [&] { sort_by_key(one, x, values, std::span(out).first(1), values_out); });
    expect_refused("values_out: expected 3",
                   [&] { sort_by_key(one, x, values, out, std::span(values_out).first(1)); });
    expect_refused("keys_out: overlaps values;",
                   [&] { sort_by_key(one, values_out, values, values, values_out); });
    expect_refused("values_out: overlaps keys;", [&] { sort_by_key(one, values, values_out, more, values); });
    expect_refused("values_out: overlaps keys_out", [&] { sort_by_key(one, x, x, out, out); });
    expect_refused("out: overlaps in", [&] {
        sort_by(one, std::span(x).first(2), std::span(x).last(2), [](float f) { return f; });
    });
    EXPECT_EQ(out, (std::vector<float>(3, 9)));
    EXPECT_EQ(values_out, (std::vector<int>(3, 9)));
}

}  // namespace
}  // namespace upsweep::test
