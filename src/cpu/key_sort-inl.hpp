// Keys alone, sorted by one thread in its caches: partition by a pivot until few are left, which a network
// sorts (key_networks-inl.hpp). Equal keys have equal bits, so that nothing needs to be stable. Keys go to
// and fro between the result and as much scratch.
//
// A partition reads a vector, compares it with the pivot and packs those that are less in front of the
// others; both ends of the result grow towards each other.
//
// The pivot is the median of a sample. Where that was a bad one, the next is the middle between the least
// and the greatest key: so every other partition halves the range of keys or takes a sixteenth of them away,
// and no input takes more than O(n * bits of a key) work.
//
// Source: Hoare, "Quicksort", 1962; with vectors that are packed: Gueron and Krasnov, "Fast quicksort
// implementation using AVX instructions", 2016, and Bramas, "A novel hybrid quicksort algorithm vectorized
// using AVX-512 on Intel Skylake", 2017.

#if defined(UPSWEEP_KEY_SORT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_KEY_SORT_INL_HPP
#undef UPSWEEP_KEY_SORT_INL_HPP
#else
#define UPSWEEP_KEY_SORT_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "src/cpu/compress_group-inl.hpp"
#include "src/cpu/key_networks-inl.hpp"
#include "src/cpu/sort_order.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class Word>
class key_sort {
    using pieces = key_pieces<Word>;
    using ranked = typename pieces::ranked;
    using group = compress_group<Word>;
    using tag = typename group::tag;
    using signed_tag = hn::RebindToSigned<tag>;
    static constexpr std::size_t step = group::size;

  public:
    // Whether partitions pay until a network takes what is left. Not where vectors have few lanes and take
    // three instructions for the lesser of two.
    static constexpr bool is_fast = sizeof(Word) < 8 || HWY_TARGET == HWY_AVX3;
    static constexpr std::size_t most = is_fast ? std::numeric_limits<std::size_t>::max() : pieces::most;

    // out = the n keys at `from` in order, n <= most. There is room for n keys at `spare`; `from` may be
    // either of the two.
    static HWY_ATTR void sort(const Word* from, Word* spare, Word* out, std::size_t n,
                              const integer_order<Word>& order) {
        const Word flip = static_cast<Word>(order.flip ^ top_bit<Word>);
        if (n <= pieces::most) return pieces::sort(from, n, out, n, flip, flip);
        if constexpr (is_fast) {
            const key_sort sorter(spare + n, out + n, flip);
            const bool is_spare = from == spare;
            const part keys{is_spare ? out : spare, is_spare ? spare : out, out, n};
            const split by = sorter.divide(from, keys, false);
            if (!by.is_done) sorter.sort_both(keys, by);
        }
    }

    // split_by, where partitions pay to divide what no near cache holds: not by vectors of two lanes.
    static constexpr auto split_kernel() {
        if constexpr (step >= 4)
            return &split_by;
        else
            return nullptr;
    }
    // Divides the n keys at `from`, of which counts[k] are not less than pivots[k - 1] and less than
    // pivots[k]; pivots are 2^levels - 1 in order. Those of one part follow those of another: at `to` if
    // `levels` is odd, else at `other`, which may be `from`.
    static HWY_ATTR void split_by(const Word* from, Word* to, Word* other, std::size_t n,
                                  const integer_order<Word>& order, const Word* pivots, int levels,
                                  std::uint32_t* counts) {
        const Word flip = static_cast<Word>(order.flip ^ top_bit<Word>);
        const std::size_t half = std::size_t{1} << (levels - 1);
        const auto pivot = static_cast<ranked>(static_cast<Word>(pivots[half - 1] ^ flip));
        const std::size_t less = partition(from, to, n, pivot, flip);
        if (levels == 1) {
            counts[0] = static_cast<std::uint32_t>(less);
            counts[1] = static_cast<std::uint32_t>(n - less);
            return;
        }
        split_by(to, other, to, less, order, pivots, levels - 1, counts);
        split_by(to + less, other + less, to + less, n - less, order, pivots + half, levels - 1,
                 counts + half);
    }

  private:
    // n keys that are divided from one of two buffers to the other, one of which is `out`.
    struct part {
        Word* to;
        Word* other;
        Word* out;
        std::size_t n;

        [[nodiscard]] part behind(std::size_t first) const {
            return {to + first, other + first, out + first, n - first};
        }
        [[nodiscard]] part in_front(std::size_t count) const { return {to, other, out, count}; }
        // Divided back.
        [[nodiscard]] part turned() const { return {other, to, out, n}; }
    };
    struct split {
        std::size_t less;
        bool is_done;  // all keys are equal, and stored
        [[nodiscard]] bool is_bad(std::size_t n) const { return std::min(less, n - less) < n / 16; }
    };

    key_sort(const Word* spare_end, const Word* out_end, Word flip)
        : spare_end_(spare_end), out_end_(out_end), flip_(flip) {}

    // Both sides of a part that has been divided, whose keys are at `to`.
    HWY_ATTR void sort_both(part keys, split by) const {
        for (;;) {
            const bool is_bad = by.is_bad(keys.n);
            const part front = keys.in_front(by.less), back = keys.behind(by.less);
            const bool front_is_less = front.n < back.n;
            sort_one(front_is_less ? front : back);
            keys = front_is_less ? back : front;
            if (keys.n <= pieces::most) return sort_few(keys);
            const Word* const from = keys.to;
            keys = keys.turned();
            by = divide(from, keys, is_bad);
            if (by.is_done) return;
        }
    }
    HWY_ATTR void sort_one(const part& keys) const {
        if (keys.n <= pieces::most) return sort_few(keys);
        const part turned = keys.turned();
        const split by = divide(keys.to, turned, false);
        if (!by.is_done) sort_both(turned, by);
    }
    HWY_ATTR void sort_few(const part& keys) const {
        if (keys.n == 0) return;
        const Word* const end = keys.to == keys.out ? out_end_ : spare_end_;
        pieces::sort(keys.to, static_cast<std::size_t>(end - keys.to), keys.out, keys.n, flip_, flip_);
    }

    // Divides the keys at `from` to keys.to.
    HWY_ATTR split divide(const Word* from, const part& keys, bool by_middle) const {
        ranked pivot = 0;
        if (by_middle || !median_of_sample(from, keys.n, flip_, pivot)) {
            const key_bounds<ranked> all = bounds(from, keys.n, flip_);
            if (all.lo == all.hi) {
                std::fill_n(keys.out, keys.n, static_cast<Word>(static_cast<Word>(all.lo) ^ flip_));
                return {0, true};
            }
            const auto width = static_cast<Word>(static_cast<Word>(all.hi) - static_cast<Word>(all.lo));
            pivot = static_cast<ranked>(static_cast<Word>(static_cast<Word>(all.lo) + width / 2 + 1));
        }
        return {partition(from, keys.to, keys.n, pivot, flip_), false};
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
        const tag d;
        const signed_tag order;
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

    // to = first the keys that are less than the pivot, whose number is returned, then the others.
    static HWY_ATTR std::size_t partition(const Word* from, Word* to, std::size_t n, ranked pivot,
                                          Word turn) {
        const tag d;
        const auto flip = hn::Set(d, turn);
        const auto by = hn::Set(signed_tag(), pivot);
        // Between the two there is room for the keys that are left.
        std::size_t front = 0, back = n, i = 0;
        for (; back - front >= 2 * step; i += step) {
            __builtin_prefetch(from + i + asked_ahead);
            const auto keys = hn::LoadU(d, from + i);
            const std::uint64_t less = less_bits(hn::Xor(keys, flip), by);
            const auto count = static_cast<std::size_t>(__builtin_popcountll(less));
            store_split(keys, less, count, to + front, to + back);
            front += count;
            back -= step - count;
        }
        if (n < step) return partition_few(from, to, n, pivot, turn);
        // The last ones by way of a buffer, as vectors would reach beyond the room.
        HWY_ALIGN Word lower[3 * step], upper[3 * step];
        std::size_t lowers = 0, uppers = 0;
        for (; i < n; i += step) {
            const std::size_t at = std::min(i, n - step);
            const std::uint64_t fresh = all_bits << (i - at) & all_bits;
            const auto keys = hn::LoadU(d, from + at);
            const std::uint64_t less = less_bits(hn::Xor(keys, flip), by) & fresh, others = ~less & fresh;
            hn::StoreU(group::packed(keys, less), d, lower + lowers);
            hn::StoreU(group::packed(keys, others), d, upper + uppers);
            lowers += static_cast<std::size_t>(__builtin_popcountll(less));
            uppers += static_cast<std::size_t>(__builtin_popcountll(others));
        }
        std::memcpy(to + front, lower, lowers * sizeof(Word));
        std::memcpy(to + front + lowers, upper, uppers * sizeof(Word));
        return front + lowers;
    }
    // How far in front input is asked for: what it is divided from may come from memory.
    static constexpr std::size_t asked_ahead = 1024 / sizeof(Word);
    // The same of less than a vector.
    static std::size_t partition_few(const Word* from, Word* to, std::size_t n, ranked pivot, Word flip) {
        Word others[step];
        std::size_t front = 0, behind = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Word key = from[i];
            if (static_cast<ranked>(static_cast<Word>(key ^ flip)) < pivot)
                to[front++] = key;
            else
                others[behind++] = key;
        }
        std::memcpy(to + front, others, behind * sizeof(Word));
        return front;
    }
    static constexpr std::uint64_t all_bits = ~std::uint64_t{0} >> (64 - step);

    static HWY_INLINE std::uint64_t less_bits(hn::Vec<tag> keys, hn::Vec<signed_tag> pivot) {
        const signed_tag order;
        std::uint8_t bits[(step + 7) / 8];
        hn::StoreMaskBits(order, hn::Lt(hn::BitCast(order, keys), pivot), bits);
        if constexpr (step <= 8) {
            return bits[0];
        } else {
            std::uint16_t both;
            std::memcpy(&both, bits, sizeof both);
            return both;
        }
    }
    // The first `count` lanes of those that are packed from `front` on, the others up to `back`.
    static HWY_INLINE void store_split(hn::Vec<tag> keys, std::uint64_t less,
                                       [[maybe_unused]] std::size_t count, Word* front, Word* back) {
        const tag d;
        const auto packed = group::packed(keys, less);
        hn::StoreU(packed, d, front);
#if HWY_TARGET == HWY_AVX3
        hn::BlendedStore(group::packed(keys, ~less & all_bits), hn::FirstN(d, step - count), d,
                         back - (step - count));
#else
        hn::StoreU(packed, d, back - step);
#endif
    }

    const Word* spare_end_;  // of what may be read
    const Word* out_end_;
    Word flip_;  // of the keys as they are stored
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
