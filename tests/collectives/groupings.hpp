// The groupings that docs/collectives.md promises, written from that page: plain functions of a vector, the
// oracles of the collectives' tests. An absent left operand is an empty optional.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::test {

template <class T, class Op>
T joined(const std::optional<T>& left, const T& right, Op op) {
    return left ? T(op(*left, right)) : right;
}

// H of Hillis and Steele for every element.
template <class T, class Op>
std::vector<T> hillis_steele_levels(std::span<const T> x, Op op) {
    std::vector<T> level(x.begin(), x.end());
    for (std::size_t distance = 1; distance < x.size(); distance *= 2) {
        const std::vector<T> before = level;
        for (std::size_t i = distance; i < x.size(); ++i) level[i] = op(before[i - distance], before[i]);
    }
    return level;
}

// The balanced fold of elements [first, first + width), cut off at the end: halves of a power of two.
template <class T, class Op>
T balanced_fold(std::span<const T> x, std::size_t first, std::size_t width, Op op) {
    if (width == 1) return x[first];
    const std::size_t half = width / 2;
    if (first + half >= x.size()) return balanced_fold(x, first, half, op);
    return op(balanced_fold(x, first, half, op), balanced_fold(x, first + half, half, op));
}
template <class T, class Op>
T balanced_fold(std::span<const T> x, Op op) {
    return balanced_fold(x, 0, std::bit_ceil(x.size()), op);
}

// What a scan gives each thread: empty where an exclusive scan has nothing to give.
template <class T>
struct scanned {
    std::vector<std::optional<T>> inclusive;
    std::vector<std::optional<T>> exclusive;
    T total;
};

template <class T, class Op>
scanned<T> hillis_steele_grouping(std::span<const T> x, const std::optional<T>& initial, Op op) {
    const std::vector<T> level = hillis_steele_levels(x, op);
    scanned<T> result{{}, {initial}, joined(initial, level.back(), op)};
    for (const T& value : level) {
        result.inclusive.push_back(joined(initial, value, op));
        result.exclusive.push_back(result.inclusive.back());
    }
    result.exclusive.pop_back();
    return result;
}

template <class T, class Op>
scanned<T> blelloch_grouping(std::span<const T> x, const std::optional<T>& initial, Op op) {
    scanned<T> result{{}, {}, joined(initial, balanced_fold(x, op), op)};
    for (std::size_t i = 0; i < x.size(); ++i) {
        // The parts of i, from its highest bit down.
        std::optional<T> before = initial;
        std::size_t first = 0;
        for (std::size_t width = std::bit_ceil(x.size()); width > 0; width /= 2) {
            if ((i & width) == 0) continue;
            before = joined(before, balanced_fold(x, first, width, op), op);
            first += width;
        }
        result.exclusive.push_back(before);
        result.inclusive.push_back(joined(before, x[i], op));
    }
    return result;
}

template <class T, class Op>
scanned<T> warp_scans_grouping(std::span<const T> x, std::size_t warp_width, const std::optional<T>& initial,
                               Op op) {
    std::vector<std::vector<T>> warps;
    std::vector<T> totals;
    for (std::size_t first = 0; first < x.size(); first += warp_width) {
        warps.push_back(hillis_steele_levels(x.subspan(first, std::min(warp_width, x.size() - first)), op));
        totals.push_back(warps.back().back());
    }
    const std::vector<T> prefix = hillis_steele_levels(std::span<const T>(totals), op);
    scanned<T> result{{}, {}, joined(initial, prefix.back(), op)};
    for (std::size_t w = 0; w < warps.size(); ++w) {
        const std::optional<T> before =
            w == 0 ? initial : std::optional<T>(joined(initial, prefix[w - 1], op));
        for (std::size_t lane = 0; lane < warps[w].size(); ++lane) {
            result.exclusive.push_back(lane == 0 ? before
                                                 : std::optional<T>(joined(before, warps[w][lane - 1], op)));
            result.inclusive.push_back(joined(before, warps[w][lane], op));
        }
    }
    return result;
}

}  // namespace upsweep::test
