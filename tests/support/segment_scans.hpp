// Segmented scans through gl_scanner or vulkan_scanner, compared with what they are to give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/guarded.hpp"
#include "support/host_segments.hpp"
#include "support/segment_check.hpp"

namespace upsweep::test {

// Described by head flags, offsets or keys in turn.
template <class T, class Op, class Scanner>
void check_segments(Scanner& scanner, std::size_t n, double mean_length, unsigned mode, const T& initial,
                    const Op& op = {}) {
    const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0, in_place = (mode & 8) != 0;
    const bool with_initial = (mode & 4) != 0 || (exclusive && !has_identity<Op, T>);
    SCOPED_TRACE("n = " + std::to_string(n) + ", segments of about " + std::to_string(mean_length) +
                 ", mode " + std::to_string(mode));
    const segmentation cut(n, mean_length, n + mode);
    const auto raw = sequence<T, Op>(n, 61);
    const std::vector<T> x(std::begin(raw), std::end(raw));
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 1; i < n; ++i) keys[i] = keys[i - 1] ^ (std::uint64_t{cut.heads[i]} << 35);
    const std::optional<T> start = with_initial ? std::optional<T>(initial) : std::nullopt;
    const std::vector<T> expected = expected_results<T>(x, cut.heads, exclusive, reverse, op, start);
    const host_segments described = mode % 3 == 0   ? carried(by_head_flags(cut.heads))
                                    : mode % 3 == 1 ? carried(by_offsets(cut.offsets))
                                                    : carried(by_keys(keys));
    guarded<T> memory(n, mode % 5), out(n, mode % 7);
    std::copy(x.begin(), x.end(), memory.data());
    const std::span<T> target = in_place ? memory.span() : out.span();
    scanner.template scan_segments<T>(described, memory.span(), target, exclusive, op, {start, reverse});
    const std::size_t wrong = first_difference(target.data(), expected.data(), n);
    ASSERT_EQ(wrong, n) << "got " << describe(target[wrong]) << ", expected " << describe(expected[wrong]);
}

}  // namespace upsweep::test
