// Repetitions asked of a device, in words, and what it is to give: the same for OpenGL and Vulkan.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace upsweep::test {

struct host_repeat {
    std::vector<std::uint32_t> counts;  // offsets, if they are asked for
    bool by_offsets = false;
    std::uint32_t record_words = 0;  // 0: indices
    std::size_t room = 0;
    std::optional<std::uint32_t> length{};  // in a buffer

    [[nodiscard]] std::size_t size() const { return counts.size() - (by_offsets ? 1 : 0); }
    [[nodiscard]] std::size_t words() const { return std::max(1u, record_words); }
    // Other words for each element.
    [[nodiscard]] std::vector<std::uint32_t> in() const {
        std::vector<std::uint32_t> made(size() * record_words);
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::uint32_t>(i) * 2654435761u;
        return made;
    }
};
struct repeat_results {
    std::vector<std::uint32_t> out;
    std::vector<std::uint32_t> arguments;
    std::uint32_t poison = 0;  // where nothing has been written
    std::uint32_t widest = 0;  // groups of a dispatch, x
};

inline void check_results(const host_repeat& asked, const repeat_results& got) {
    const std::size_t elements = std::min<std::size_t>(asked.size(), asked.length.value_or(0xffffffffu));
    const std::vector<std::uint32_t> in = asked.in();
    const std::size_t words = asked.words();
    std::vector<std::uint32_t> expected;
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < elements; ++i) {
        const std::uint32_t times =
            asked.by_offsets ? asked.counts[i + 1] - asked.counts[i] : asked.counts[i];
        for (std::uint32_t t = 0; t < times && found + t < asked.room; ++t) {
            for (std::size_t w = 0; w < words; ++w)
                expected.push_back(asked.record_words == 0 ? static_cast<std::uint32_t>(i)
                                                           : in[i * words + w]);
        }
        found += times;
    }
    const std::size_t written = expected.size();
    expected.resize(asked.room * words, got.poison);
    ASSERT_EQ(got.out.size(), expected.size());
    const auto wrong = std::mismatch(expected.begin(), expected.end(), got.out.begin());
    EXPECT_TRUE(wrong.first == expected.end())
        << "word " << wrong.first - expected.begin() << " of " << written << ": got " << *wrong.second
        << ", expected " << *wrong.first;
    const auto kept = static_cast<std::uint32_t>(std::min<std::size_t>(found, asked.room));
    const std::uint32_t groups = (kept + 255) / 256;
    const std::uint32_t rows = std::max(1u, (groups + got.widest - 1) / got.widest);
    EXPECT_EQ(got.arguments, (std::vector<std::uint32_t>{kept, 1, 0, 0, std::min(groups, got.widest), rows, 1,
                                                         kept, found, found - kept, 0, 0}));
}

// run(host_repeat, repeat_results&) has a device do it.
template <class Run>
void check_repeat(const Run& run, const host_repeat& asked) {
    SCOPED_TRACE(std::to_string(asked.size()) + " elements of " + std::to_string(asked.record_words) +
                 " words, room for " + std::to_string(asked.room) + (asked.by_offsets ? ", offsets" : ""));
    repeat_results got;
    run(asked, got);
    check_results(asked, got);
}
// By counts and by offsets, with and without room for all.
template <class Run>
void check_counts(const Run& run, const std::vector<std::uint32_t>& counts, std::uint32_t record_words) {
    std::vector<std::uint32_t> offsets{0};
    for (const std::uint32_t count : counts) offsets.push_back(offsets.back() + count);
    const std::size_t total = offsets.back();
    check_repeat(run, {.counts = counts, .record_words = record_words, .room = total});
    check_repeat(run,
                 {.counts = offsets, .by_offsets = true, .record_words = record_words, .room = total + 7});
    if (total == 0) return;
    check_repeat(run, {.counts = counts, .record_words = record_words, .room = total - 1});
}

// n counts below `most`, of which one in `every` is not 0.
inline std::vector<std::uint32_t> random_counts(std::size_t n, std::uint32_t most, std::uint64_t every) {
    random_bits random(n + most + every);
    std::vector<std::uint32_t> made(n);
    for (std::uint32_t& count : made)
        count = random.below(every) == 0 ? static_cast<std::uint32_t>(random.below(most)) : 0;
    return made;
}
// All 0 but for one.
inline std::vector<std::uint32_t> one_count(std::size_t n, std::size_t at, std::uint32_t count) {
    std::vector<std::uint32_t> made(n);
    made[at] = count;
    return made;
}

// Few elements and many, and results around a work group's 2048.
template <class Run>
void check_sizes(const Run& run) {
    for (const std::size_t n : {0u, 1u, 2u, 127u, 128u, 129u, 255u, 1000u, 4096u, 4097u, 16385u}) {
        check_counts(run, random_counts(n, 4, 1), n % 3);
        check_counts(run, random_counts(n, 9, 5), 1);
        check_counts(run, std::vector<std::uint32_t>(n, 1), 0);
        check_counts(run, std::vector<std::uint32_t>(n, 0), 1);
        if (::testing::Test::HasFailure()) return;
    }
    for (const std::uint32_t total : {31u, 32u, 33u, 2047u, 2048u, 2049u, 4096u, 10000u}) {
        for (const std::size_t at : {0u, 3u, 6u}) check_counts(run, one_count(7, at, total), 1);
        check_counts(run, one_count(300, 150, total), 0);
        check_counts(run, {total, 0, 0, 1, 0, total, 2}, 2);
        if (::testing::Test::HasFailure()) return;
    }
}

// Vectors of four words where everything is aligned to them, words elsewhere.
template <class Run>
void check_widths(const Run& run) {
    for (const std::uint32_t words : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 12u}) {
        for (int turn = 0; turn < 3; ++turn) check_counts(run, random_counts(700, 20, 3), words);
    }
}

// Elements without results between those that have some: up to more than a work group looks through.
template <class Run>
void check_gaps(const Run& run) {
    for (const std::uint64_t every : {2u, 8u, 17u, 64u})
        check_counts(run, random_counts(100003, 2 + 60 / static_cast<std::uint32_t>(every), every), 1);
    for (const std::size_t at : {0u, 1u, 70000u, 100000u}) check_counts(run, one_count(100001, at, 5000), 0);
}

template <class Run>
void check_room(const Run& run) {
    const std::vector<std::uint32_t> counts = random_counts(5000, 5, 1);
    for (const std::size_t room : {0u, 1u, 2047u, 2048u, 2049u, 6000u, 30000u})
        check_repeat(run, {.counts = counts, .record_words = 1, .room = room});
    check_repeat(run, {.counts = {4000000000u, 5, 290000000u}, .room = 3000});
}

template <class Run>
void check_length(const Run& run) {
    for (const std::uint32_t length : {0u, 1u, 2000u, 4096u, 4999u, 5000u, 0xffffffffu}) {
        check_repeat(
            run, {.counts = random_counts(5000, 4, 2), .record_words = 2, .room = 5000, .length = length});
    }
}

// Offsets that are none, and a sum of counts that wraps around: what is written is within the results, and
// are numbers of elements.
template <class Run>
void check_what_is_not_promised(const Run& run) {
    random_bits random(4);
    host_repeat asked{.counts = std::vector<std::uint32_t>(70000), .by_offsets = true, .room = 9000};
    for (const std::uint64_t most : {std::uint64_t{3000}, std::uint64_t{1} << 32}) {
        for (std::uint32_t& offset : asked.counts) offset = static_cast<std::uint32_t>(random.below(most));
        asked.counts.back() = 8000;
        for (const bool by_offsets : {true, false}) {
            asked.by_offsets = by_offsets;
            repeat_results got;
            run(asked, got);
            for (const std::uint32_t number : got.out)
                ASSERT_TRUE(number < asked.counts.size() || number == got.poison) << number;
        }
    }
}

}  // namespace upsweep::test
