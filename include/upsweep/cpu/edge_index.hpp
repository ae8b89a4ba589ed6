// Where among ascending edges a number is, by a table: numbers are mapped to cells by a function that never
// descends, so an edge in a cell before x's is at most x, one in a cell behind it is above x, and only those
// in x's own cell are compared with it.
//
// Cells are equal intervals, or for floating point also equal numbers of neighbouring values, as edges in
// geometric progression want them. Complexity: O(edges) to make; a lookup compares with the `most` edges of
// the fullest cell. Where more than most_compared are in one, as where edges differ in the last bits, there
// is no index, and a binary search has to do.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#include "upsweep/bin_range.hpp"
#include "upsweep/core/arithmetic.hpp"

namespace upsweep::cpu {

template <class T>
class edge_index {
    static constexpr std::size_t block = 64;  // of lookups
    static constexpr bool has_bits = std::same_as<T, float> || std::same_as<T, double>;
    static constexpr bool has_words = has_bits || (core::integer<T> && sizeof(T) <= sizeof(std::uint64_t));
    using word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

  public:
    static constexpr std::size_t most_compared = 4;
    static constexpr std::size_t most_edges = std::size_t{1} << 24;  // whose table would be in no cache

    // For about n lookups: fewer than a table costs get none.
    edge_index(const bin_edges<T>& bins, std::size_t n) : bins_(bins) {
        if constexpr (has_words) {
            if (n / 16 < bins.edges.size() || bins.edges.size() > most_edges) return;
            try {
                make();
            } catch (const std::bad_alloc&) {
                most_ = 0;
            }
        }
    }

    [[nodiscard]] std::uint32_t bins() const { return static_cast<std::uint32_t>(bins_.count()); }
    // found[i] = find_bin(bins, x[i]), or the number of bins for no_bin, for every i < count.
    void find(const T* x, std::size_t count, std::uint32_t* found) const {
        if constexpr (has_words) {
            if (most_ == 1) return look_up<1>(x, count, found);
            if (most_ == 2) return look_up<2>(x, count, found);
            if (most_ != 0) return look_up<most_compared>(x, count, found);
        }
        const std::uint32_t none = bins();
        for (std::size_t i = 0; i < count; ++i) found[i] = std::min(find_bin(bins_, x[i]), none);
    }

  private:
    // Of a number between the outer edges that are finite.
    struct equal_intervals {
        T lo, scale;
        [[nodiscard]] std::uint32_t operator()(T x) const {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>((x - lo) * scale));
        }
    };
    struct equal_words {
        word lo;
        int shift;
        [[nodiscard]] std::uint32_t operator()(T x) const {
            return static_cast<std::uint32_t>((word_of(x) - lo) >> shift);
        }
    };
    // Ascends with x.
    static word word_of(T x) {
        constexpr word sign = word(1) << (std::numeric_limits<word>::digits - 1);
        if constexpr (core::integer<T>) {
            return static_cast<word>(x) + (std::is_signed_v<T> ? sign : 0);
        } else {
            const auto bits = std::bit_cast<word>(x + T(0));  // -0 as 0
            return (bits & sign) != 0 ? ~bits : bits | sign;
        }
    }

    void make() {
        const auto is_finite = [](T edge) { return edge - edge == 0; };
        const auto& edges = bins_.edges;
        const auto low = std::ranges::find_if(edges, is_finite);
        if (low == edges.end()) return;
        lowest_ = *low;
        highest_ = *std::find_if(edges.rbegin(), edges.rend(), is_finite);
        const std::size_t cells = std::bit_ceil(4 * edges.size());
        padded_.assign(edges.begin(), edges.end());
        padded_.resize(edges.size() + most_compared, core::largest<T>());
        if constexpr (has_bits) {
            intervals_ = {lowest_, static_cast<T>(cells - 1) / (highest_ - lowest_)};
            if (is_finite(intervals_.scale) && is_finite(highest_ - lowest_)) most_ = fill(intervals_);
            if (most_ == 1) return;
        }
        const word span = word_of(highest_) - word_of(lowest_);
        // As many bits as number the cells.
        words_ = {word_of(lowest_), std::max(0, static_cast<int>(std::bit_width(span)) -
                                                    static_cast<int>(std::countr_zero(cells)))};
        std::vector<std::uint32_t> other;
        other.swap(first_);
        const std::size_t most = fill(words_);
        by_words_ = most_ == 0 || most < most_;
        if (by_words_)
            most_ = most;
        else
            first_.swap(other);
        if (most_ > most_compared) most_ = 0;
    }

    // first_[c] = how many edges are in cells before c; returns how many are in the fullest.
    template <class Cell>
    std::size_t fill(const Cell& cell_of) {
        const auto cell = [&](T x) { return cell_of(std::clamp(x, lowest_, highest_)); };
        first_.assign(cell(highest_) + std::size_t{2}, 0);
        std::size_t most = 1;
        for (const T edge : bins_.edges) ++first_[cell(edge) + std::size_t{1}];
        for (std::size_t c = 1; c < first_.size(); ++c) {
            most = std::max<std::size_t>(most, first_[c]);
            first_[c] += first_[c - 1];
        }
        return most;
    }

    template <std::size_t Most>
    void look_up(const T* x, std::size_t count, std::uint32_t* found) const {
        if constexpr (has_bits) {
            if (!by_words_) return look_up<Most>(intervals_, x, count, found);
        }
        look_up<Most>(words_, x, count, found);
    }
    // In blocks, of which all but the lookups themselves are done by vectors.
    template <std::size_t Most, class Cell>
    void look_up(const Cell& cell_of, const T* x, std::size_t count, std::uint32_t* found) const {
        std::size_t i = 0;
        for (; i + block <= count; i += block) look_up_block<Most>(cell_of, x + i, found + i);
        if (i == count) return;
        T rest[block] = {};
        std::uint32_t found_rest[block];
        std::copy(x + i, x + count, rest);
        look_up_block<Most>(cell_of, rest, found_rest);
        std::copy_n(found_rest, count - i, found + i);
    }
    template <std::size_t Most, class Cell>
    void look_up_block(const Cell cell_of, const T* x, std::uint32_t* found) const {
        const T* const edges = padded_.data();
        const std::uint32_t* const first = first_.data();
        const T lowest = lowest_, highest = highest_;
        std::uint32_t cells[block];
        for (std::size_t i = 0; i < block; ++i) {
            const T below = x[i] < highest ? x[i] : highest;  // a NaN: highest
            cells[i] = cell_of(below > lowest ? below : lowest);
        }
        std::int32_t at_most[block];  // edges that are not above the number
        for (std::size_t i = 0; i < block; ++i) {
            const std::uint32_t before = first[cells[i]];
            std::uint32_t sum = before;
            for (std::size_t k = 0; k < Most; ++k) sum += edges[before + k] <= x[i] ? 1 : 0;
            at_most[i] = static_cast<std::int32_t>(sum);
        }
        const auto none = static_cast<std::int32_t>(bins());
        const T least = edges[0], last = edges[bins()];
        for (std::size_t i = 0; i < block; ++i) {
            const std::int32_t bin = (at_most[i] < none ? at_most[i] : none) - 1;
            const bool is_inside = (x[i] >= least) & (x[i] <= last);
            found[i] = static_cast<std::uint32_t>(is_inside ? bin : none);
        }
    }

    bin_edges<T> bins_;
    std::size_t most_ = 0;  // 0: no index
    bool by_words_ = false;
    T lowest_{}, highest_{};  // edges that are finite
    equal_intervals intervals_{};
    equal_words words_{};
    std::vector<T> padded_;
    std::vector<std::uint32_t> first_;
};

}  // namespace upsweep::cpu
