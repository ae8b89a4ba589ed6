// What only the CPU's segmented sort does: it takes any comparison for keys of segments, moves elements that
// own memory and passes exceptions on; and what it refuses.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/build.hpp"
#include "support/near_each_other.hpp"
#include "support/random.hpp"
#include "support/refused.hpp"
#include "support/sorted.hpp"
#include "upsweep/segmented_sort.hpp"

namespace upsweep::test {
namespace {

TEST(cpu_segmented_sort, keys_of_segments_are_compared_with_the_neighbour) {
    const std::vector<int> keys{1, 2, 3, 7, 8, 3}, x{5, 4, 3, 2, 1, 0};
    for_each_backend(coverage::levels, [&](const cpu_backend& backend) {
        std::vector<int> out(6);
        segmented_sort(*backend.executor, by_keys(keys, near_each_other{}), x, out);
        EXPECT_EQ(out, (std::vector{3, 4, 5, 1, 2, 0}));
    });
}

TEST(cpu_segmented_sort, elements_that_own_memory) {
    const std::size_t n = repetitions(20'000, 9'000);
    std::vector<std::string> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::to_string(i * 7919 % n) + " of many strings";
    std::vector<std::int64_t> offsets{0};
    random_bits random(1);
    while (offsets.back() != static_cast<std::int64_t>(n))
        offsets.push_back(std::min(static_cast<std::int64_t>(n),
                                   offsets.back() + static_cast<std::int64_t>(random.below(99))));
    std::vector<double> keys(n);
    const auto key = [](const std::string& s) { return static_cast<double>(s[0]); };
    std::transform(x.begin(), x.end(), keys.begin(), key);
    const std::vector<std::string> expected = taken(x, sorted_indices(keys, offsets, false));
    const by_offsets segments(offsets);
    for_each_backend(coverage::threads, [&](const cpu_backend& backend) {
        cpu::executor& ex = *backend.executor;
        std::vector<std::string> out(n), in_place = x, values = x;
        segmented_sort_by(ex, segments, x, out, key);
        EXPECT_EQ(out, expected);
        segmented_sort_by(ex, segments, in_place, in_place, key);
        EXPECT_EQ(in_place, expected);
        std::vector<double> sorted_keys(n);
        segmented_sort_by_key(ex, segments, keys, values, sorted_keys, values);
        EXPECT_EQ(values, expected);
        EXPECT_EQ(sorted_keys, taken(keys, sorted_indices(keys, offsets, false)));
        const auto throws = [&](const std::string& s) {
            if (s[0] == '5') throw std::runtime_error("five");
            return 0;
        };
        EXPECT_THROW(segmented_sort_by(ex, segments, x, out, throws), std::runtime_error);
        const auto compares = [&](double a, double b) {
            if (a == '5') throw std::runtime_error("five");
            return a == b;
        };
        EXPECT_THROW(segmented_sort(ex, by_keys(keys, compares), sorted_keys, sorted_keys),
                     std::runtime_error);
    });
}

// Any elements in any segments: a sort of pairs of the segment's number and the element.
RC_GTEST_PROP(cpu_segmented_sort, of_anything,
              (const std::vector<std::int16_t>& some, std::uint32_t mean_length)) {
    std::vector<std::int16_t> x;
    std::vector<std::uint32_t> numbers;
    random_bits random(mean_length);
    for (const std::int16_t value : some) {
        for (int k = 0; k < 40; ++k) {
            const bool head = random.below(mean_length % 99 + 1) == 0;
            numbers.push_back((numbers.empty() ? 0 : numbers.back()) + (head ? 1 : 0));
            x.push_back(static_cast<std::int16_t>((value ^ k) % 77));
        }
    }
    const std::size_t n = x.size();
    std::vector<std::uint32_t> expected = indices_of<std::uint32_t>(n), found(n);
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
        return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : x[a] < x[b];
    });
    cpu::executor one(1);
    segmented_sort_indices(one, by_keys(numbers), x, found);
    RC_ASSERT(found == expected);
}

TEST(cpu_segmented_sort, refuses) {
    cpu::executor one(1);
    std::vector<float> x{3, 1, 2}, out(3, 9);
    std::vector<int> values{1, 2, 3}, values_out(3, 9), numbers{0, 1, 3}, keys{1, 1, 2};
    const std::vector<std::uint8_t> flags{1, 0, 1};
    const by_offsets<int> segments(numbers);
    expect_refused("segments: the last offset must be the number of elements, 2, but it is 3",
                   [&] { segmented_sort(one, segments, std::span(x).first(2), std::span(out).first(2)); });
    expect_refused("segments: offsets must begin with 0",
                   [&] { segmented_sort_indices(one, by_offsets(values), x, values_out); });
    expect_refused("segments: offsets must not decrease", [&] {
        segmented_sort_by_key(one, by_offsets(std::array{0, 2, 1, 3}), x, values, out, values_out);
    });
    expect_refused("segments: expected 2 head flags, one an element, but there are 3", [&] {
        segmented_sort(one, by_head_flags(flags), std::span(x).first(2), std::span(out).first(2));
    });
    expect_refused("segments: expected 2 keys, one an element, but there are 3", [&] {
        segmented_sort_by(one, by_keys(keys), std::span(x).first(2), std::span(out).first(2),
                          [](float f) { return f; });
    });
    expect_refused("out: expected 3 elements, as many as in, but it has 2",
                   [&] { segmented_sort(one, segments, x, std::span(out).first(2)); });
    expect_refused("out: overlaps in; it must be the same array or disjoint", [&] {
        segmented_sort(one, by_keys(std::span(keys).first(2)), std::span(x).first(2), std::span(x).last(2));
    });
    expect_refused("out: overlaps segments; it must be disjoint from it",
                   [&] { segmented_sort(one, segments, numbers, numbers); });
    expect_refused("out: overlaps segments", [&] { segmented_sort(one, by_keys(keys), keys, keys); });
    expect_refused("out: overlaps segments", [&] { segmented_sort_indices(one, by_keys(keys), x, keys); });
    expect_refused("out: overlaps in", [&] { segmented_sort_indices(one, segments, values, values); });
    expect_refused("keys_out: overlaps segments",
                   [&] { segmented_sort_by_key(one, by_keys(keys), values, x, keys, out); });
    expect_refused("values_out: overlaps segments",
                   [&] { segmented_sort_by_key(one, by_keys(keys), x, values, out, keys); });
    expect_refused("values: expected 3 elements, as many as keys, but it has 2", [&] {
        segmented_sort_by_key(one, segments, x, std::span(values).first(2), out, values_out);
    });
    expect_refused("out: overlaps segments",
                   [&] { segmented_sort_by(one, by_keys(keys), keys, keys, [](int k) { return k; }); });
    EXPECT_EQ(out, (std::vector<float>(3, 9)));
    EXPECT_EQ(values_out, (std::vector<int>(3, 9)));
    EXPECT_EQ(keys, (std::vector{1, 1, 2}));
    EXPECT_EQ(numbers, (std::vector{0, 1, 3}));
}

}  // namespace
}  // namespace upsweep::test
