// Short sequences that lie one after the other, one a vector lane: those of an axis scan.

#if defined(UPSWEEP_STRIP_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_STRIP_KERNELS_INL_HPP
#undef UPSWEEP_STRIP_KERNELS_INL_HPP
#else
#define UPSWEEP_STRIP_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/codecs-inl.hpp"
#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/portable_kernels.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Sequences one after the other, turned in registers so that each is a lane: `columns` elements of as many
// sequences as a vector has lanes. Cost per element with 8 lanes: about 0.5 shuffles besides the operations.
template <class T>
struct strips {
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t k = block_lanes<T>;
    static constexpr std::size_t columns = k < core::run_size ? core::run_size : k;

    // scan(v, count) turns the first `count` of the columns v into their results, for all columns of one
    // strip in order; begin() comes before every strip. Returns how many sequences are done.
    template <class Begin, class Scan>
    static HWY_INLINE std::size_t each(const strip_block<T>& block, const Begin& begin, const Scan& scan) {
        constexpr auto few_pitch = static_cast<std::ptrdiff_t>(columns);
        HWY_ALIGN T few[width * columns];
        const std::size_t whole = block.length - block.length % columns;
        const std::size_t rest = block.length - whole;
        const auto length = static_cast<std::ptrdiff_t>(block.length);
        const bool packed = block.x_pitch == length && block.y_pitch == length && block.length <= most_packed;
        const T* x = block.x;
        T* y = block.y;
        std::size_t sequence = 0;
        for (; sequence + width <= block.count; sequence += width) {
            V v[columns];
            begin();
            for (std::size_t column = 0; column < whole; column += columns) {
                load(x + column, block.x_pitch, v);
                scan(v, columns);
                store(v, y + column, block.y_pitch);
            }
            if (rest != 0 && whole != 0) {
                scan_last(x + block.length - columns, block.x_pitch, y + block.length - columns,
                          block.y_pitch, rest, v, scan);
            } else if (rest != 0 && packed) {
                load_packed(x, rest, v);
                scan(v, rest);
                store_packed(v, rest, y);
            } else if (rest != 0) {
                copy(x, block.x_pitch, few, few_pitch, rest);
                load(few, few_pitch, v);
                scan(v, rest);
                store(v, few, few_pitch);
                copy(few, few_pitch, y, block.y_pitch, rest);
            }
            x += static_cast<std::ptrdiff_t>(width) * block.x_pitch;
            y += static_cast<std::ptrdiff_t>(width) * block.y_pitch;
        }
        return sequence;
    }
    // The same for last results alone: fold(v, count) takes the first `count` of the columns v, and value()
    // is what those since begin() come to.
    template <class Begin, class Fold, class Value>
    static HWY_INLINE std::size_t each_total(const strip_block<T>& block, const Begin& begin,
                                             const Fold& fold, const Value& value) {
        constexpr auto few_pitch = static_cast<std::ptrdiff_t>(columns);
        HWY_ALIGN T few[width * columns];
        const std::size_t whole = block.length - block.length % columns;
        const std::size_t rest = block.length - whole;
        const bool packed = block.x_pitch == static_cast<std::ptrdiff_t>(rest) && rest <= most_packed;
        const T* x = block.x;
        std::size_t sequence = 0;
        for (; sequence + width <= block.count; sequence += width) {
            V v[columns];
            begin();
            for (std::size_t column = 0; column < whole; column += columns) {
                load(x + column, block.x_pitch, v);
                fold(v, columns);
            }
            if (rest != 0) {
                if (whole != 0) {
                    load_last(x + block.length - columns, block.x_pitch, rest, v);
                } else if (packed) {
                    load_packed(x, rest, v);
                } else {
                    copy(x, block.x_pitch, few, few_pitch, rest);
                    load(few, few_pitch, v);
                }
                fold(v, rest);
            }
            hn::StoreU(value(), full<T>(), block.y + sequence);
            x += static_cast<std::ptrdiff_t>(width) * block.x_pitch;
        }
        return sequence;
    }
    // The sequences from `sequence` on, for what is left after whole strips.
    static strip_block<T> from(strip_block<T> block, std::size_t sequence) {
        block.x += static_cast<std::ptrdiff_t>(sequence) * block.x_pitch;
        block.y += static_cast<std::ptrdiff_t>(sequence) * (block.last_alone ? 1 : block.y_pitch);
        block.count -= sequence;
        return block;
    }

  private:
    static HWY_INLINE void load(const T* x, std::ptrdiff_t pitch, V (&v)[columns]) {
        for (std::size_t c = 0; c < columns; c += k) {
            V part[k];
            load_transposed<T>(x + c, pitch, part);
            for (std::size_t i = 0; i < k; ++i) v[c + i] = part[i];
        }
    }
    static HWY_INLINE void store(const V (&v)[columns], T* y, std::ptrdiff_t pitch) {
        for (std::size_t c = 0; c < columns; c += k) {
            V part[k];
            for (std::size_t i = 0; i < k; ++i) part[i] = v[c + i];
            store_transposed<placement::cached, T>(part, y + c, pitch);
        }
    }
    // Sequences of up to four elements without a gap between them.
    static constexpr std::size_t most_packed = 4;
    static HWY_INLINE void load_packed(const T* x, std::size_t length, V (&v)[columns]) {
        for (V& column : v) column = hn::Zero(full<T>());  // those past the last are of no account
        if (length == 1)
            load_tuples<1, columns, T>(x, v);
        else if (length == 2)
            load_tuples<2, columns, T>(x, v);
        else if (length == 3)
            load_tuples<3, columns, T>(x, v);
        else
            load_tuples<4, columns, T>(x, v);
    }
    static HWY_INLINE void store_packed(const V (&v)[columns], std::size_t length, T* y) {
        if (length == 1)
            store_tuples<1, columns, T>(v, y);
        else if (length == 2)
            store_tuples<2, columns, T>(v, y);
        else if (length == 3)
            store_tuples<3, columns, T>(v, y);
        else
            store_tuples<4, columns, T>(v, y);
    }
    // The last `rest` of the columns that lie at x, in front; the others are of no account.
    static HWY_INLINE void load_last(const T* x, std::ptrdiff_t pitch, std::size_t rest, V (&v)[columns]) {
        const full<T> d;
        HWY_ALIGN T turned[columns * width];  // columns, to be taken from any of them on
        load(x, pitch, v);
        for (std::size_t i = 0; i < columns; ++i) hn::Store(v[i], d, turned + i * width);
        for (std::size_t i = 0; i < columns; ++i)
            v[i] = hn::Load(d, turned + (i + columns - rest) % columns * width);
    }
    // The last `rest` of the columns that lie at x, after those with the results `before`. Of these some are
    // stored once more, so that nothing outside the sequences is touched.
    template <class Scan>
    static HWY_INLINE void scan_last(const T* x, std::ptrdiff_t x_pitch, T* y, std::ptrdiff_t y_pitch,
                                     std::size_t rest, const V (&before)[columns], const Scan& scan) {
        const full<T> d;
        HWY_ALIGN T turned[2 * columns * width];
        V v[columns];
        load_last(x, x_pitch, rest, v);
        scan(v, rest);
        for (std::size_t i = 0; i < columns; ++i) {
            hn::Store(before[i], d, turned + i * width);
            hn::Store(v[i], d, turned + (columns + i) * width);
        }
        for (std::size_t i = 0; i < columns; ++i) v[i] = hn::Load(d, turned + (rest + i) * width);
        store(v, y, y_pitch);
    }
    static HWY_INLINE void copy(const T* from, std::ptrdiff_t from_pitch, T* to, std::ptrdiff_t to_pitch,
                                std::size_t count) {
        for (std::size_t r = 0; r < width; ++r, from += from_pitch, to += to_pitch) {
            for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
        }
    }
};

template <class T, class Op>
struct tree_strips {
    using V = vector<T>;
    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }

    static HWY_ATTR void scan(const strip_block<T>& block, T start) {
        const std::size_t done = block.last_alone  ? total(block, start)
                                 : block.exclusive ? scan_as<true>(block, start)
                                                   : scan_as<false>(block, start);
        if (done != block.count) portable::tree<T, Op>::scan_strips(strips<T>::from(block, done), start);
    }
    static HWY_ATTR std::size_t total(const strip_block<T>& block, T start) {
        const V supers = hn::Set(full<T>(), start);
        const V identity = hn::Set(full<T>(), Op::template identity<T>());
        V rows, runs, items;
        std::size_t position = 0;
        const auto begin = [&]() HWY_ATTR {
            rows = runs = items = identity;
            position = 0;
        };
        const auto fold = [&](V(&v)[core::run_size], std::size_t count) HWY_ATTR {
            V run = v[0];
            for (std::size_t m = 1; m < count; ++m) run = op(run, v[m]);
            if (count != core::run_size) {
                items = run;
                return;
            }
            runs = op(runs, run);
            position += count;
            if (position % core::row_size != 0) return;
            rows = op(rows, runs);
            runs = identity;
        };
        const auto value = [&]() HWY_ATTR { return op(supers, op(rows, op(runs, items))); };
        return strips<T>::each_total(block, begin, fold, value);
    }
    template <bool Exclusive>
    static HWY_ATTR std::size_t scan_as(const strip_block<T>& block, T start) {
        static_assert(strips<T>::columns == core::run_size);
        const V identity = hn::Set(full<T>(), Op::template identity<T>());
        V supers, tiles, rows, runs;
        std::size_t position = 0;
        const auto begin = [&]() HWY_ATTR {
            supers = hn::Set(full<T>(), start);
            tiles = rows = runs = identity;
            position = 0;
        };
        const auto run = [&](V(&v)[core::run_size], std::size_t count) HWY_ATTR {
            const auto left = [&](V nested) HWY_ATTR { return op(supers, op(tiles, op(rows, nested))); };
            for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
            const V total = v[core::run_size - 1];
            if constexpr (Exclusive) {
                for (std::size_t m = core::run_size; --m != 0;) v[m] = left(op(runs, v[m - 1]));
                v[0] = left(runs);
            } else {
                for (std::size_t m = 0; m < core::run_size; ++m) v[m] = left(op(runs, v[m]));
            }
            runs = op(runs, total);
            position += count;
            if (position % core::row_size != 0) return;
            rows = op(rows, runs);
            runs = identity;
            if (position % core::tile_size != 0) return;
            tiles = op(tiles, rows);
            rows = identity;
            if (position % core::super_size != 0) return;
            supers = op(supers, tiles);
            tiles = identity;
        };
        return strips<T>::each(block, begin, run);
    }
};

template <class T, class Op>
struct exact_strips {
    using codec = lane_codec<T, Op>;
    using V = vector<typename codec::lane>;

    static HWY_ATTR void scan(const strip_block<T>& block, T start) {
        V carry;
        const auto begin = [&]() HWY_ATTR { carry = codec::encode(hn::Set(full<T>(), start)); };
        const bool exclusive = block.exclusive;
        const auto fold = [&](vector<T>(&v)[strips<T>::columns], std::size_t) HWY_ATTR {
            for (vector<T>& element : v) {
                const V after = combine(Op(), carry, codec::encode(element));
                element = codec::decode(exclusive ? carry : after);
                carry = after;
            }
        };
        const auto total = [&](vector<T>(&v)[strips<T>::columns], std::size_t count) HWY_ATTR {
            for (std::size_t m = 0; m < count; ++m) carry = combine(Op(), carry, codec::encode(v[m]));
        };
        const auto value = [&]() HWY_ATTR { return codec::decode(carry); };
        const std::size_t done = block.last_alone ? strips<T>::each_total(block, begin, total, value)
                                                  : strips<T>::each(block, begin, fold);
        if (done != block.count) portable::exact<T, Op>::scan_strips(strips<T>::from(block, done), start);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
