// Sorting by one thread in its near caches.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "src/cpu/sort_order.hpp"

namespace upsweep::cpu {

// Records between two bounds, divided by (key - lo) >> shift.
template <class Word>
struct division {
    // As many parts as 2^bits at most.
    division(const key_bounds<Word>& bounds, int bits) : lo(bounds.lo) {
        const auto width = static_cast<Word>(bounds.hi - bounds.lo);
        shift = std::max(static_cast<int>(std::bit_width(width)) - bits, 0);
        parts = static_cast<std::size_t>(width >> shift) + 1;
    }
    [[nodiscard]] std::size_t part_of(Word key) const {
        return static_cast<std::size_t>(static_cast<Word>(key - lo) >> shift);
    }
    // Whether keys of a part are equal.
    [[nodiscard]] bool is_complete() const { return shift == 0; }

    Word lo;
    int shift;
    std::size_t parts;
};

// Bits by which n records are divided so that 8 to 16 are left in each part, `most` at most. Where two
// divisions are needed, they are of like sizes.
inline int division_bits(std::size_t n, int most) {
    const int wanted = std::max(static_cast<int>(std::bit_width(n / 8)) - 1, 1);
    if (wanted <= most) return wanted;
    return std::min(most, (wanted + 1) / 2);
}

template <class Record, class Order>
class local_sorter {
    using word = typename Order::word;

  public:
    // Counters of a division fill half of a near cache.
    static constexpr int most_bits = 11;

    local_sorter(const Order& order, simd_level level)
        : order_(order), kernels_(sort_kernels_for<Record, Order>(level)) {}
    local_sorter(const local_sorter&) = delete;
    local_sorter& operator=(const local_sorter&) = delete;

    // out = the records at `from` in order, n < 2^32; `from` may be out. There is room for 2 n records at
    // `scratch`, which is none of the two. Records are ranked from there to `out`: in place, what has been
    // stored one by one would be loaded as a vector next, which waits.
    void sort(const Record* from, Record* scratch, Record* out, std::size_t n) {
        if (n <= kernels_.most_sorted) return kernels_.sort(from, out, n, order_);
        sort(from, scratch, scratch + n, out, n, counters_.data());
    }

  private:
    // A part is at most half of what it is part of, unless it goes on with that one's counters; so are its
    // counters, for division_bits() grows with the logarithm of n, but where it is cut in halves: twice the
    // half is enough, and some for the smallest.
    static constexpr std::size_t most_counters = (std::size_t{2} << most_bits) * 2;

    // `spare` is free; `other` too, or has the records.
    void sort(const Record* from, Record* spare, Record* other, Record* out, std::size_t n,
              std::uint32_t* counters) {
        while (n > most_ranked) {
            const key_bounds<word> bounds = kernels_.bounds(from, n, order_);
            if (bounds.lo == bounds.hi) return copy(from, out, n);
            const division<word> by(bounds, division_bits(n, most_bits));
            Record* const to = by.is_complete() && from != out ? out : spare;
            divide(from, to, n, by, counters);
            if (by.is_complete()) return copy(to, out, n);
            const bool ranks_parts = by.shift <= most_rank_shift<word>;
            if (ranks_parts) kernels_.rank_parts(to, out, n, order_, {counters, by.parts, by.lo, by.shift});
            // The largest part goes on here, if it has more than half of all.
            std::size_t large = by.parts;
            std::uint32_t begin = 0;
            for (std::size_t part = 0; part < by.parts; ++part) {
                const std::uint32_t end = counters[part];
                const std::size_t size = end - begin;
                if (size > n / 2 && size > most_ranked)
                    large = part;
                else if (size > most_ranked)
                    sort(to + begin, other + begin, spare + begin, out + begin, size, counters + by.parts);
                else if (size != 0 && !ranks_parts)
                    kernels_.rank(to + begin, n - begin, out + begin, size, order_);
                begin = end;
            }
            if (large == by.parts) return;
            begin = large == 0 ? 0 : counters[large - 1];
            n = counters[large] - begin;
            from = to + begin;
            out += begin;
            std::swap(spare, other);
            spare += begin;
            other += begin;
        }
        kernels_.rank(from, n, out, n, order_);
    }

    // counters[part] = where the part ends.
    void divide(const Record* from, Record* to, std::size_t n, const division<word>& by,
                std::uint32_t* counters) const {
        const Order order = order_;
        std::fill_n(counters, by.parts, 0);
        for (std::size_t i = 0; i < n; ++i) ++counters[by.part_of(order(bits_of(from[i])))];
        std::uint32_t begin = 0;
        for (std::size_t part = 0; part < by.parts; ++part) {
            const std::uint32_t count = counters[part];
            counters[part] = begin;
            begin += count;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Record record = from[i];
            to[counters[by.part_of(order(bits_of(record)))]++] = record;
        }
    }

    static void copy(const Record* from, Record* to, std::size_t n) {
        if (from != to) std::memcpy(to, from, n * sizeof(Record));
    }

    Order order_;
    const sort_kernels<Record, Order>& kernels_;
    std::array<std::uint32_t, most_counters> counters_;
};

}  // namespace upsweep::cpu
