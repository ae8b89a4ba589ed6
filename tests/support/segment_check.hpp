// What a scan of segments is to give: the scan of the pairs (head, value) that docs/numerics.md defines it
// by.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/random.hpp"
#include "support/sweep.hpp"
#include "upsweep/core/reference.hpp"
#include "upsweep/segmented_scan.hpp"

namespace upsweep::test {

// (h1, v1) (+) (h2, v2) = (h1 or h2, h2 ? v2 : v1 (+) v2)
template <class Acc>
struct pair_of {
    bool head;
    Acc value;
};
template <class Op>
struct paired {
    Op op;
    template <class Acc>
    pair_of<Acc> operator()(const pair_of<Acc>& a, const pair_of<Acc>& b) const {
        return {a.head || b.head, b.head ? b.value : static_cast<Acc>(op(a.value, b.value))};
    }
};

// Expected results in scan order; heads[i] tells whether a segment starts at i in that order.
template <class Acc, class In, class Op>
std::vector<Acc> expected_segments(const std::vector<In>& x, const std::vector<std::uint8_t>& heads,
                                   bool exclusive, const Op& op, const std::optional<Acc>& initial) {
    core::odometer<pair_of<Acc>, paired<Op>> odometer({op});
    std::optional<Acc> before = initial;
    if constexpr (has_identity<Op, Acc>) {
        if (!before) before = identity_of<Acc>(op);
    }
    std::vector<Acc> out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Acc value = cpu::convert<Acc>(x[i]);
        if (heads[i] != 0 && initial) value = op(*initial, value);
        const auto left = odometer.value();
        odometer.take({heads[i] != 0, value});
        if (!exclusive)
            out.push_back(odometer.value()->value);
        else
            out.push_back(heads[i] != 0 ? *before : left->value);
    }
    return out;
}

// Where segments start, and the same as offsets: every head with a chance of `empty` more empty segments
// before it.
struct segmentation {
    std::vector<std::uint8_t> heads;
    std::vector<std::int64_t> offsets{0};

    segmentation(std::size_t n, double mean_length, std::uint64_t seed) : heads(n) {
        random_bits random(seed);
        for (std::size_t i = 0; i < n; ++i) {
            heads[i] = i == 0 || random.unit() * mean_length < 1;
            while (heads[i] != 0 && random.unit() < 0.1) offsets.push_back(static_cast<std::int64_t>(i));
            if (heads[i] != 0 && i != 0) offsets.push_back(static_cast<std::int64_t>(i));
        }
        offsets.push_back(static_cast<std::int64_t>(n));
        if (random.below(2) == 0) offsets.push_back(static_cast<std::int64_t>(n));
    }
};

// The same of a sequence that is scanned from its end, or not, in the order of its elements.
template <class Acc, class In, class Op>
std::vector<Acc> expected_results(const std::vector<In>& x, const std::vector<std::uint8_t>& heads,
                                  bool exclusive, bool reverse, const Op& op,
                                  const std::optional<Acc>& initial) {
    if (!reverse) return expected_segments<Acc>(x, heads, exclusive, op, initial);
    const std::size_t n = x.size();
    const std::vector<In> turned_x(x.rbegin(), x.rend());
    std::vector<std::uint8_t> tails(n);
    for (std::size_t i = 0; i < n; ++i) tails[i] = i == 0 || heads[n - i] != 0;
    std::vector<Acc> expected = expected_segments<Acc>(turned_x, tails, exclusive, turned<Op>{op}, initial);
    std::ranges::reverse(expected);
    return expected;
}

}  // namespace upsweep::test
