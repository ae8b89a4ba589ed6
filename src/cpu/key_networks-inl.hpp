// Up to 256 keys in order, in registers: a sorting network whose exchanges are of whole vectors.
//
// Keys lie in rows, a vector each, and columns. The network of so many elements as there are rows sorts every
// column. Rows and columns are then exchanged, so that runs which are in order are whole rows one after the
// other, and pairs of runs are merged by Batcher's bitonic merge: a run with the other one backwards, then
// neighbours at half the distance each time. Distances of whole rows are exchanges of rows; for the shorter
// ones two rows are shuffled, so that elements at the distance are in the same column of either.
//
// Source: Batcher, "Sorting networks and their applications", 1968; of columns of vectors and what merges
// them: Furtak, Amaral and Niewiadomski, "Using SIMD registers and instructions to enable instruction-level
// parallelism in sorting algorithms", 2007.

#if defined(UPSWEEP_KEY_NETWORKS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_KEY_NETWORKS_INL_HPP
#undef UPSWEEP_KEY_NETWORKS_INL_HPP
#else
#define UPSWEEP_KEY_NETWORKS_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/exchange_network.hpp"

#if HWY_TARGET == HWY_AVX3
#include <immintrin.h>
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

// Rows of signed integers, a vector of D each, and no fewer of them than columns.
template <class D, std::size_t Rows>
class key_network {
    using V = hn::Vec<D>;
    static constexpr std::size_t columns = hn::MaxLanes(D());
    static constexpr std::size_t block = block_lanes<hn::TFromD<D>>;
    static constexpr std::size_t blocks = columns / block;
    static constexpr std::size_t squares = Rows / columns;
    static_assert(Rows % columns == 0 && blocks <= 4);
    using per_row = std::make_index_sequence<columns>;
    // As many are in registers, with what a step takes beside them.
    static constexpr std::size_t most_rows_by_step = HWY_TARGET == HWY_AVX3 ? 32 : 8;

  public:
    // Keys in ascending order, row by row.
    static HWY_INLINE void sort(V (&rows)[Rows]) {
        using network = core::exchange_network<Rows>;
        sort_columns<network>(rows, std::make_index_sequence<network::size>());
        columns_to_rows(rows);
        merge<squares, false>(rows);
    }

  private:
    static HWY_INLINE void exchange(V& a, V& b) {
        const V low = hn::Min(a, b);
        b = hn::Max(a, b);
        a = low;
    }
    template <class Network, std::size_t... C>
    static HWY_INLINE void sort_columns(V (&rows)[Rows], std::index_sequence<C...>) {
        (exchange(rows[Network::pair(C).low], rows[Network::pair(C).high]), ...);
    }

    // Runs of `Run` rows, until one is left. `Mixed`: pairs of rows are as merge_pairs() leaves them.
    template <std::size_t Run, bool Mixed>
    static HWY_INLINE void merge(V (&rows)[Rows]) {
        if constexpr (Run < Rows) {
            face<Run>(rows, std::make_index_sequence<Rows / 2>());
            approach<Run / 2>(rows);
            merge_all_pairs<(Run > 1), Mixed>(rows, std::make_index_sequence<Rows / 2>());
            merge<2 * Run, true>(rows);
        } else if constexpr (Mixed) {
            unmix_pairs(rows, std::make_index_sequence<Rows / 2>());
        }
    }
    // A run meets the next one backwards; both halves of the result are bitonic.
    template <std::size_t Run, std::size_t... I>
    static HWY_INLINE void face(V (&rows)[Rows], std::index_sequence<I...>) {
        constexpr auto first = [](std::size_t i) { return i / Run * 2 * Run + i % Run; };
        constexpr auto other = [](std::size_t i) { return i / Run * 2 * Run + 2 * Run - 1 - i % Run; };
        const V backwards[Rows / 2] = {hn::Reverse(D(), rows[other(I)])...};
        const V low[Rows / 2] = {hn::Min(rows[first(I)], backwards[I])...};
        const V high[Rows / 2] = {hn::Max(rows[first(I)], backwards[I])...};
        ((rows[first(I)] = low[I]), ...);
        ((rows[first(I) + Run] = high[I]), ...);
    }
    // Distances of two rows and more.
    template <std::size_t Distance>
    static HWY_INLINE void approach(V (&rows)[Rows]) {
        if constexpr (Distance > 1) {
            exchange_at<Distance>(rows, std::make_index_sequence<Rows / 2>());
            approach<Distance / 2>(rows);
        }
    }
    template <std::size_t Distance, std::size_t... I>
    static HWY_INLINE void exchange_at(V (&rows)[Rows], std::index_sequence<I...>) {
        (exchange(rows[I / Distance * 2 * Distance + I % Distance],
                  rows[I / Distance * 2 * Distance + I % Distance + Distance]),
         ...);
    }

    // The shorter distances, first that of a row if there is `ByRow`. Shuffles and exchanges are for
    // different units of a processor, so one pair's overlap with another's as long as those that wait for one
    // another are apart: step by step. Pair by pair instead where registers do not hold all rows.
    template <bool ByRow, bool Mixed, std::size_t... I>
    static HWY_INLINE void merge_all_pairs(V (&rows)[Rows], std::index_sequence<I...> all) {
        if constexpr (Rows <= most_rows_by_step)
            merge_pairs<ByRow, Mixed>(rows, all);
        else
            (merge_pairs<ByRow, Mixed>(rows, std::index_sequence<I>()), ...);
    }
    // The same of some pairs. Two shuffles bring elements at a distance to the same lane of two vectors;
    // after the last one the rows are mixed: of four blocks A0 A1 A2 A3 and B0 B1 B2 B3 they are A0 B0 A2 B2
    // and A1 B1 A3 B3, of two A0 B0 and A1 B1. That is one shuffle short of order, which the next merge does
    // not miss: the mixed rows backwards are those of the rows backwards.
    template <bool ByRow, bool Mixed, std::size_t... I>
    static HWY_INLINE void merge_pairs(V (&rows)[Rows], std::index_sequence<I...>) {
        using wide = hn::Repartition<std::int64_t, D>;
        const auto exchange_all = [&]() HWY_ATTR { (exchange(rows[2 * I], rows[2 * I + 1]), ...); };
        if constexpr (ByRow && Mixed) (part_blocks(rows[2 * I], rows[2 * I + 1]), ...);
        if constexpr (ByRow) exchange_all();
        if constexpr (blocks == 4) {
            if constexpr (Mixed)
                (part_blocks(rows[2 * I], rows[2 * I + 1]), ...);
            else
                (part_halves(rows[2 * I], rows[2 * I + 1]), ...);
            exchange_all();
        }
        if constexpr (blocks > 1) {
            (part_blocks(rows[2 * I], rows[2 * I + 1]), ...);
            exchange_all();
        }
        (interleave<D>(rows[2 * I], rows[2 * I + 1]), ...);
        exchange_all();
        if constexpr (block == 4) {
            (interleave<wide>(rows[2 * I], rows[2 * I + 1]), ...);
            exchange_all();
        }
        (interleave<D>(rows[2 * I], rows[2 * I + 1]), ...);
        if constexpr (block == 4) (interleave<wide>(rows[2 * I], rows[2 * I + 1]), ...);
    }
    template <std::size_t... I>
    static HWY_INLINE void unmix_pairs(V (&rows)[Rows], std::index_sequence<I...>) {
        (part_blocks(rows[2 * I], rows[2 * I + 1]), ...);
#if HWY_TARGET == HWY_AVX3
        if constexpr (blocks == 4)
            for (V& row : rows) row = V{_mm512_shuffle_i32x4(row.raw, row.raw, 0xd8)};
#endif
    }
    static HWY_INLINE void part_halves(V& a, V& b) {
        const V low = hn::ConcatLowerLower(D(), b, a);
        b = hn::ConcatUpperUpper(D(), b, a);
        a = low;
    }
    // Blocks 0, 2, ... of a and then of b, and the others.
    static HWY_INLINE void part_blocks([[maybe_unused]] V& a, [[maybe_unused]] V& b) {
        if constexpr (blocks == 2) part_halves(a, b);
#if HWY_TARGET == HWY_AVX3
        if constexpr (blocks == 4) {
            const V even{_mm512_shuffle_i32x4(a.raw, b.raw, 0x88)};
            b = V{_mm512_shuffle_i32x4(a.raw, b.raw, 0xdd)};
            a = even;
        }
#endif
    }
    // Lanes of Wide of a and b in turn, of the lower and of the upper half of every block.
    template <class Wide>
    static HWY_INLINE void interleave(V& a, V& b) {
        const Wide d;
        const auto x = hn::BitCast(d, a), y = hn::BitCast(d, b);
        a = hn::BitCast(D(), hn::InterleaveLower(d, x, y));
        b = hn::BitCast(D(), hn::InterleaveUpper(d, x, y));
    }

    // What follows each other in a column does so in rows.
    static HWY_INLINE void columns_to_rows(V (&rows)[Rows]) {
        V old[Rows];
        for (std::size_t r = 0; r < Rows; ++r) old[r] = rows[r];
        by_squares(rows, old, std::make_index_sequence<squares>());
    }
    template <std::size_t... S>
    static HWY_INLINE void by_squares(V (&rows)[Rows], const V (&old)[Rows], std::index_sequence<S...>) {
        (transpose_square<S>(rows, old, per_row()), ...);
    }
    // Rows of a square, number S of them, to every one of so many rows as there are squares.
    template <std::size_t S, std::size_t... K>
    static HWY_INLINE void transpose_square(V (&rows)[Rows], const V (&old)[Rows],
                                            std::index_sequence<K...>) {
        V square[columns] = {old[S * columns + K]...};
        transpose_within_blocks(square);
        transpose_blocks(square);
        ((rows[K * squares + S] = square[K]), ...);
    }
    static HWY_INLINE void transpose_within_blocks(V (&square)[columns]) {
        for (std::size_t g = 0; g < columns; g += block) {
            for (std::size_t step = 1; step < block; step *= 2) {
                V w[block];
                for (std::size_t i = 0; i < block / 2; ++i) {
                    w[2 * i] = hn::InterleaveLower(D(), square[g + i], square[g + i + block / 2]);
                    w[2 * i + 1] = hn::InterleaveUpper(D(), square[g + i], square[g + i + block / 2]);
                }
                for (std::size_t i = 0; i < block; ++i) square[g + i] = w[i];
            }
        }
    }
    // Of blocks of 128 bits: halves of vectors first, then neighbours.
    static HWY_INLINE void transpose_blocks(V (&square)[columns]) {
        if constexpr (blocks >= 2) {
            constexpr std::size_t half = columns / 2;
            for (std::size_t i = 0; i < half; ++i) {
                const V a = square[i], b = square[i + half];
                square[i] = hn::ConcatLowerLower(D(), b, a);
                square[i + half] = hn::ConcatUpperUpper(D(), b, a);
            }
        }
        if constexpr (blocks == 4) {
            for (std::size_t g = 0; g < columns; g += 2 * block) {
                for (std::size_t i = g; i < g + block; ++i) {
                    const V a = square[i], b = square[i + block];
                    square[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
                    square[i + block] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
                }
            }
        }
    }
};

// Keys are turned by `flip` into signed integers of the same order.
template <class Word>
struct key_pieces {
    using ranked = std::make_signed_t<Word>;
    // As many are sorted at once: registers hold 32 rows.
    static constexpr std::size_t most = lanes<Word> * 32 < 256 ? lanes<Word> * 32 : 256;

    // to = the n keys at `from` in order, n <= most, of which `readable` or more may be read; `to` may be
    // `from`. Those that are read flip by `in`, those that are stored by `out`.
    static HWY_ATTR void sort(const Word* from, std::size_t readable, Word* to, std::size_t n, Word in,
                              Word out) {
        if constexpr (sizeof(Word) == 8) {
            if (n <= 8) return sort_in<8>(from, readable, to, n, in, out);
        }
        if (n <= 16) return sort_in<16>(from, readable, to, n, in, out);
        if (n <= 32) return sort_in<32>(from, readable, to, n, in, out);
        if (n <= 64 || most == 64) return sort_in<64>(from, readable, to, n, in, out);
        if constexpr (most > 64) {
            if (n <= 128 || most == 128) return sort_in<128>(from, readable, to, n, in, out);
            if constexpr (most > 128) sort_in<256>(from, readable, to, n, in, out);
        }
    }

  private:
    // Columns of a square at most.
    template <std::size_t Size>
    static constexpr std::size_t columns_for = [] {
        std::size_t columns = lanes<Word>;
        while (columns * columns > Size) columns /= 2;
        return columns;
    }();

    template <std::size_t Size>
    static HWY_ATTR HWY_NOINLINE void sort_in(const Word* from, std::size_t readable, Word* to, std::size_t n,
                                              Word in, Word out) {
        HWY_ALIGN Word keys[Size];
        if (readable < Size) {
            std::memcpy(keys, from, n * sizeof(Word));
            from = keys;
        }
        constexpr std::size_t columns = columns_for<Size>;
        sort_rows<columns>(from, keys, n, in, out, std::make_index_sequence<Size / columns>());
        const hn::CappedTag<Word, columns> d;
        if (n < columns) {
            std::memcpy(to, keys, n * sizeof(Word));
            return;
        }
        for (std::size_t i = 0; i + columns < n; i += columns) hn::StoreU(hn::Load(d, keys + i), d, to + i);
        hn::StoreU(hn::LoadU(d, keys + (n - columns)), d, to + (n - columns));
    }
    template <std::size_t Columns, std::size_t... R>
    static HWY_INLINE void sort_rows(const Word* from, Word* keys, std::size_t n, Word in, Word out,
                                     std::index_sequence<R...>) {
        const hn::CappedTag<Word, Columns> d;
        const hn::CappedTag<ranked, Columns> order;
        const auto flip = hn::Set(d, in), back = hn::Set(d, out);
        const auto behind = hn::Set(order, std::numeric_limits<ranked>::max());
        const auto lane = hn::Iota(order, 0);
        // What is behind the last key comes last.
        hn::Vec<decltype(order)> rows[sizeof...(R)] = {hn::IfThenElse(
            hn::Lt(lane, hn::Set(order, static_cast<ranked>(n) - static_cast<ranked>(R * Columns))),
            hn::BitCast(order, hn::Xor(hn::LoadU(d, from + R * Columns), flip)), behind)...};
        key_network<decltype(order), sizeof...(R)>::sort(rows);
        (hn::Store(hn::Xor(hn::BitCast(d, rows[R]), back), d, keys + R * Columns), ...);
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard
