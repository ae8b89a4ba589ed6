// Every call that gives one result for each segment or run, of one sequence on a device, compared with what
// it is to give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "support/host_runs.hpp"
#include "support/segment_check.hpp"

namespace upsweep::test {

template <class T>
std::vector<std::uint32_t> words_of_all(const std::vector<T>& values) {
    std::vector<std::uint32_t> words(values.size() * sizeof(T) / 4);
    if (!words.empty()) std::memcpy(words.data(), values.data(), 4 * words.size());
    return words;
}

// The first results, as many as there is room for.
inline void expect_front(const std::vector<std::uint32_t>& got, std::vector<std::uint32_t> expected,
                         std::size_t results, std::size_t words) {
    expected.resize(std::min(expected.size(), results * words));
    ASSERT_GE(got.size(), expected.size());
    const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
    EXPECT_TRUE(wrong.first == expected.end()) << "word " << wrong.first - expected.begin() << ": got "
                                               << *wrong.second << ", expected " << *wrong.first;
}

// run(host_runs, run_results&) returns the number of segments. `known` is what the stages know of Op on T.
template <class T, class Op, class Run>
void check_every_call(const Run& run, std::size_t n, double mean_length, const shader::operation& known,
                      const std::optional<T>& initial, const Op& op = {}) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", segments of about " + std::to_string(mean_length));
    const segmentation cut(n, mean_length, n + 9);
    const auto raw = sequence<T, Op>(n, 61);
    const std::vector<T> x(std::begin(raw), std::end(raw));
    const std::vector<T> scanned = expected_results<T>(x, cut.heads, false, false, op, initial);
    std::vector<T> totals, by_offset;
    std::vector<std::uint64_t> keys(n), first_keys;
    std::vector<std::uint32_t> begins, lengths;
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = (i == 0 ? 7 : keys[i - 1]) ^ (std::uint64_t{cut.heads[i]} << 35);
        if (i == 0 || cut.heads[i] != 0) {
            first_keys.push_back(keys[i]);
            begins.push_back(static_cast<std::uint32_t>(i));
            lengths.push_back(0);
        }
        ++lengths.back();
        if (i + 1 == n || cut.heads[i + 1] != 0) totals.push_back(scanned[i]);
    }
    const std::size_t count = totals.size(), less = count - count / 3;
    run_results got;

    host_runs asked{.values = shader::run_values::totals, .op = known};
    if (initial) asked.initial = shader::words_of(*initial);
    asked.segments = carried(by_head_flags(cut.heads));
    asked.in = words_of_all(x);
    asked.in_words = known.element_words;
    asked.size = n;
    asked.room = less;
    EXPECT_EQ(run(asked, got), count);
    expect_front(got.out, words_of_all(totals), less, known.element_words);
    asked.segments = carried(by_keys(keys));
    asked.room = count + 2;
    asked.has_keys = true;
    asked.keys_room = less;
    EXPECT_EQ(run(asked, got), count);
    expect_front(got.out, words_of_all(totals), count, known.element_words);
    expect_front(got.keys_out, words_of_all(first_keys), less, 2);
    if (initial || has_identity<Op, T>) {
        T empty{};
        if (initial)
            empty = *initial;
        else if constexpr (has_identity<Op, T>)
            empty = identity_of<T>(op);
        for (std::size_t k = 0, next = 0; k + 1 < cut.offsets.size(); ++k)
            by_offset.push_back(cut.offsets[k] == cut.offsets[k + 1] ? empty : totals[next++]);
        asked.segments = carried(by_offsets(cut.offsets));
        asked.has_keys = false;
        asked.keys_room = 0;
        asked.room = by_offset.size();
        EXPECT_EQ(run(asked, got), by_offset.size());
        expect_front(got.out, words_of_all(by_offset), by_offset.size(), known.element_words);
    }

    asked = {.values = shader::run_values::first};
    asked.segments = carried(by_keys(keys));
    asked.size = n;
    asked.in.resize(n);
    for (std::size_t i = 0; i < n; ++i) asked.in[i] = static_cast<std::uint32_t>(i);
    asked.room = less;
    asked.has_keys = true;
    asked.keys_room = count + 1;
    EXPECT_EQ(run(asked, got), count);
    expect_front(got.out, begins, less, 1);
    expect_front(got.keys_out, words_of_all(first_keys), count, 2);
    asked.values = shader::run_values::lengths;
    asked.in.clear();
    for (const std::size_t room : {less, count, count + 3}) {
        asked.room = room;
        EXPECT_EQ(run(asked, got), count);
        expect_front(got.out, lengths, room, 1);
    }
    asked.values = shader::run_values::none;
    asked.room = 0;
    asked.keys_room = less;
    EXPECT_EQ(run(asked, got), count);
    expect_front(got.keys_out, words_of_all(first_keys), less, 2);
}

}  // namespace upsweep::test
