// Keys alone, sorted by one thread: divided by a pivot (key_partition-inl.hpp) until few are left, which a
// network sorts (key_networks-inl.hpp). Equal keys have equal bits, so that nothing needs to be stable. All
// that follows the first division is done in the result, without scratch.
//
// The pivot is the median of a sample. Where that was a bad one, the next is the middle between the least
// and the greatest key: so every other partition halves the range of keys or takes a sixteenth of them away,
// and no input takes more than O(n * bits of a key) work.
//
// Source: Hoare, "Quicksort", 1962.

#if defined(UPSWEEP_KEY_SORT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_KEY_SORT_INL_HPP
#undef UPSWEEP_KEY_SORT_INL_HPP
#else
#define UPSWEEP_KEY_SORT_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/cpu/key_networks-inl.hpp"
#include "src/cpu/key_partition-inl.hpp"
#include "src/cpu/sort_order.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class Word>
class key_sort {
    using pieces = key_pieces<Word>;
    using ranked = typename pieces::ranked;

  public:
    // Whether partitions pay until a network takes what is left. Not where vectors have few lanes and take
    // three instructions for the lesser of two.
    static constexpr bool is_fast = sizeof(Word) < 8 || HWY_TARGET == HWY_AVX3;
    static constexpr std::size_t most = is_fast ? std::numeric_limits<std::size_t>::max() : pieces::most;

    // out = the n keys at `from` in order, n <= most; `from` may be out.
    static HWY_ATTR void sort(const Word* from, Word* out, std::size_t n, const integer_order<Word>& order) {
        const Word flip = static_cast<Word>(order.flip ^ top_bit<Word>);
        if (n <= pieces::most) return pieces::sort(from, n, out, n, flip, flip);
        if constexpr (is_fast) {
            const key_sort sorter(out + n, flip);
            const split by = sorter.divide(from, out, n, false);
            if (!by.is_done) sorter.sort_both(out, n, by);
        }
    }

    // split_by, where partitions pay to divide what no near cache holds: not by vectors of two lanes.
    static constexpr auto split_kernel() {
        if constexpr (lanes<Word> >= 4)
            return &split_by;
        else
            return nullptr;
    }
    // to = the n keys at `from`, of which counts[k] are not less than pivots[k - 1] and less than pivots[k],
    // those of one part behind those of another; pivots are 2^levels - 1 in order. `to` may be `from`.
    static HWY_ATTR void split_by(const Word* from, Word* to, std::size_t n, const integer_order<Word>& order,
                                  const Word* pivots, int levels, std::uint32_t* counts) {
        const Word flip = static_cast<Word>(order.flip ^ top_bit<Word>);
        const std::size_t half = std::size_t{1} << (levels - 1);
        const auto pivot = static_cast<ranked>(static_cast<Word>(pivots[half - 1] ^ flip));
        const std::size_t less = partition(from, to, n, pivot, flip);
        if (levels == 1) {
            counts[0] = static_cast<std::uint32_t>(less);
            counts[1] = static_cast<std::uint32_t>(n - less);
            return;
        }
        split_by(to, to, less, order, pivots, levels - 1, counts);
        split_by(to + less, to + less, n - less, order, pivots + half, levels - 1, counts + half);
    }

  private:
    struct split {
        std::size_t less;
        bool is_done;  // all keys are equal, and stored
        [[nodiscard]] bool is_bad(std::size_t n) const { return std::min(less, n - less) < n / 16; }
    };

    key_sort(const Word* end, Word flip) : end_(end), flip_(flip) {}

    // Both sides of n keys that have been divided.
    HWY_ATTR void sort_both(Word* keys, std::size_t n, split by) const {
        for (;;) {
            const bool is_bad = by.is_bad(n);
            Word* const back = keys + by.less;
            const std::size_t others = n - by.less;
            if (by.less < others) {
                sort_one(keys, by.less);
                keys = back;
                n = others;
            } else {
                sort_one(back, others);
                n = by.less;
            }
            if (n <= pieces::most) return sort_few(keys, n);
            by = divide(keys, keys, n, is_bad);
            if (by.is_done) return;
        }
    }
    HWY_ATTR void sort_one(Word* keys, std::size_t n) const {
        if (n <= pieces::most) return sort_few(keys, n);
        const split by = divide(keys, keys, n, false);
        if (!by.is_done) sort_both(keys, n, by);
    }
    HWY_ATTR void sort_few(Word* keys, std::size_t n) const {
        if (n != 0) pieces::sort(keys, static_cast<std::size_t>(end_ - keys), keys, n, flip_, flip_);
    }

    // Divides the keys at `from` to `to`, which may be `from`.
    HWY_ATTR split divide(const Word* from, Word* to, std::size_t n, bool by_middle) const {
        ranked pivot = 0;
        if (by_middle || !median_of_sample(from, n, flip_, pivot)) {
            const key_bounds<ranked> all = bounds(from, n, flip_);
            if (all.lo == all.hi) {
                std::fill_n(to, n, static_cast<Word>(static_cast<Word>(all.lo) ^ flip_));
                return {0, true};
            }
            const auto width = static_cast<Word>(static_cast<Word>(all.hi) - static_cast<Word>(all.lo));
            pivot = static_cast<ranked>(static_cast<Word>(static_cast<Word>(all.lo) + width / 2 + 1));
        }
        return {partition(from, to, n, pivot, flip_), false};
    }
    static HWY_ATTR HWY_NOINLINE std::size_t partition(const Word* from, Word* to, std::size_t n,
                                                       ranked pivot, Word flip) {
        return key_partition<Word>(pivot, flip)(from, to, n);
    }

    // Returns whether there are two different keys in the sample; pivot is not the least of them.
    static HWY_ATTR bool median_of_sample(const Word* from, std::size_t n, Word flip, ranked& pivot) {
        constexpr std::size_t most_sampled = 64;
        const std::size_t size = n < 2048 ? 16 : most_sampled;
        Word sample[most_sampled];
        const std::size_t stride = n / size;
        for (std::size_t i = 0; i < size; ++i) sample[i] = from[i * stride + stride / 2];
        pieces::sort(sample, most_sampled, sample, size, flip, 0);
        if (sample[0] == sample[size - 1]) return false;
        pivot = static_cast<ranked>(sample[size / 2]);
        if (sample[size / 2] == sample[0]) ++pivot;
        return true;
    }
    static HWY_ATTR key_bounds<ranked> bounds(const Word* from, std::size_t n, Word flip) {
        const full<Word> d;
        const full<ranked> order;
        constexpr std::size_t step = lanes<Word>;
        const auto load = [&](std::size_t i) HWY_ATTR {
            return hn::BitCast(order, hn::Xor(hn::LoadU(d, from + i), hn::Set(d, flip)));
        };
        auto lo = load(n - step), hi = lo;
        for (std::size_t i = 0; i + step < n; i += step) {
            const auto v = load(i);
            lo = hn::Min(lo, v);
            hi = hn::Max(hi, v);
        }
        HWY_ALIGN ranked least[step], most[step];
        hn::Store(lo, order, least);
        hn::Store(hi, order, most);
        return {*std::min_element(least, least + step), *std::max_element(most, most + step)};
    }

    const Word* end_;  // of what may be read
    Word flip_;        // of the keys as they are stored
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
