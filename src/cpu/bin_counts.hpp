// Pieces of elements and their bins, and counting of bins by one thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/bins.hpp"
#include "upsweep/cpu/first_failure.hpp"

namespace upsweep::cpu {

inline constexpr std::size_t bin_piece = 2048;  // elements that are classified at once: 8 KiB of bins

// take(first, count, found) of each piece of elements [first, end), in order.
template <class Take>
void for_each_piece(const classifier& by, std::size_t first, std::size_t end, const Take& take) {
    std::uint32_t found[bin_piece];
    for (; first < end; first += bin_piece) {
        const std::size_t count = std::min(bin_piece, end - first);
        by.classify(by, first, count, found);
        take(first, count, found);
    }
}

// Stretches of n elements, for whoever comes first.
class stretches {
  public:
    explicit stretches(std::size_t n) : n_(n) {}

    // take(first, end) of one after the other, until none is left or something has failed.
    template <class Take>
    void for_each(const first_failure& failure, const Take& take) {
        while (!failure.failed()) {
            const std::size_t first = next_.fetch_add(elements, std::memory_order_relaxed);
            if (first >= n_) return;
            take(first, std::min(n_, first + elements));
        }
    }
    [[nodiscard]] bool any_left() const { return next_.load(std::memory_order_relaxed) < n_; }

  private:
    static constexpr std::size_t elements = 16 * bin_piece;
    std::size_t n_;
    std::atomic<std::size_t> next_{0};
};

// In one table of counters. What has no bin, `bins`, is not counted. Four neighbours of one bin, which
// ordered data has where bins are many, are counted at once, for the same reason as below.
inline void add_bins(const std::uint32_t* found, std::size_t count, std::uint32_t bins,
                     std::uint64_t* counts) {
    std::uint64_t none = 0;
    const auto counter = [&](std::uint32_t bin) { return bin < bins ? counts + bin : &none; };
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const std::uint32_t a = found[i], b = found[i + 1], c = found[i + 2], d = found[i + 3];
        if (((a ^ b) | (b ^ c) | (c ^ d)) == 0) {
            *counter(a) += 4;
        } else {
            ++*counter(a);
            ++*counter(b);
            ++*counter(c);
            ++*counter(d);
        }
    }
    for (; i < count; ++i) ++*counter(found[i]);
}

// Counters on the stack, for few bins. Those of neighbouring elements are in different tables, as far as
// there is room for some: a counter that is counted up twice in a row is read where it was just written,
// which takes five cycles.
class stacked_counts {
  public:
    static bool have_room_for(std::uint32_t bins) { return bins < counters; }

    // For about so many elements.
    stacked_counts(std::uint32_t bins, std::size_t elements) : bins_(bins) {
        const std::size_t slots = std::size_t{bins} + 1;  // and one for elements without a bin
        while (ways_ > 1 && (ways_ * slots > counters || ways_ * slots > elements / 4)) ways_ /= 2;
        std::fill_n(count_.data(), ways_ * slots, 0);
        for (std::size_t k = 0; k < most_ways; ++k) tables_[k] = count_.data() + k % ways_ * slots;
    }
    stacked_counts(const stacked_counts&) = delete;
    stacked_counts& operator=(const stacked_counts&) = delete;

    void add(const std::uint32_t* found, std::size_t count) {
        if (ways_ == 1) return add_bins(found, count, bins_, count_.data());
        const auto [a, b, c, d] = tables_;
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            ++a[found[i]];
            ++b[found[i + 1]];
            ++c[found[i + 2]];
            ++d[found[i + 3]];
        }
        for (; i < count; ++i) ++a[found[i]];
    }
    [[nodiscard]] std::uint64_t of(std::size_t bin) const {
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < ways_; ++k) sum += tables_[k][bin];
        return sum;
    }

  private:
    static constexpr std::size_t counters = 4096;  // 32 KiB: a first-level cache
    static constexpr std::size_t most_ways = 4;

    std::uint32_t bins_;
    std::size_t ways_ = most_ways;
    std::array<std::uint64_t*, most_ways> tables_;
    std::array<std::uint64_t, counters> count_;
};

// counts[b] += how many of elements [first, end) belong to bin b.
inline void count_bins(const classifier& by, std::size_t first, std::size_t end, std::uint64_t* counts) {
    if (!stacked_counts::have_room_for(by.bins)) {
        for_each_piece(by, first, end, [&](std::size_t, std::size_t count, const std::uint32_t* found) {
            add_bins(found, count, by.bins, counts);
        });
        return;
    }
    stacked_counts own(by.bins, end - first);
    for_each_piece(by, first, end, [&](std::size_t, std::size_t count, const std::uint32_t* found) {
        own.add(found, count);
    });
    for (std::size_t bin = 0; bin < by.bins; ++bin) counts[bin] += own.of(bin);
}

}  // namespace upsweep::cpu
