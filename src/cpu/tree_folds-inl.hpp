// Folds of the tree: the totals of rows, without anything that only a scan needs.
//
// Four rows at a time, a vector of each: their runs are turned so that items that are combined stand in
// different registers, no further than that takes. The first and the second items of either half of a run
// are combined while they are still in two vectors; then the halves are taken apart: 7 shuffles and 4
// operations for four vectors, which leave the totals of their runs. Of as many rows as a vector has lanes
// these are turned once more, block by block, so that a lane is a row, and the left folds of all rows are one
// operation a run. Cost per vector of 16 floats: 2.25 shuffles, 1.25 operations and one load.

#if defined(UPSWEEP_TREE_FOLDS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_FOLDS_INL_HPP
#undef UPSWEEP_TREE_FOLDS_INL_HPP
#else
#define UPSWEEP_TREE_FOLDS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct tree_folds {
    using layout = tree_layout<T>;
    using V = vector<T>;
    static constexpr std::size_t width = lanes<T>;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    // Rows whose runs are turned together, and elements of each that are taken at once: as many runs as
    // there are blocks of group_rows lanes.
    static constexpr std::size_t group_rows = std::min(width, core::run_size);
    static constexpr std::size_t spans = width / group_rows;
    static constexpr std::size_t step = spans * core::run_size;
    // Groups that are folded side by side.
    static constexpr std::size_t groups_at_once = std::max<std::size_t>(spans, 2);
    static constexpr std::size_t block_rows = groups_at_once * group_rows;
    static constexpr std::size_t block_size = block_rows * core::row_size;

    // Of the two items in each half of a run, the first ones of a's runs and then those of b's, or the second
    // ones; within blocks.
    static HWY_INLINE V first_items(V a, V b) {
        if constexpr (block_lanes<T> < core::run_size)
            return hn::InterleaveLower(full<T>(), a, b);
        else
            return even_lanes(a, b);
    }
    static HWY_INLINE V second_items(V a, V b) {
        if constexpr (block_lanes<T> < core::run_size)
            return hn::InterleaveUpper(full<T>(), a, b);
        else
            return odd_lanes(a, b);
    }
    // What these, or their sums, have of the first half of each run, or of the second half.
    static HWY_INLINE V first_halves(V a, V b) {
        if constexpr (block_lanes<T> < core::run_size)
            return even_blocks(a, b);
        else
            return even_lanes(a, b);
    }
    static HWY_INLINE V second_halves(V a, V b) {
        if constexpr (block_lanes<T> < core::run_size)
            return odd_blocks(a, b);
        else
            return odd_lanes(a, b);
    }
    // The even or odd lanes of every block of a, and then of b; likewise blocks of vectors.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    static HWY_INLINE V even_lanes(V a, V b) { return V{_mm512_shuffle_ps(a.raw, b.raw, 0x88)}; }
    static HWY_INLINE V odd_lanes(V a, V b) { return V{_mm512_shuffle_ps(a.raw, b.raw, 0xDD)}; }
    static HWY_INLINE V even_blocks(V a, V b) { return shuffle_blocks<0x88>(a, b); }
    static HWY_INLINE V odd_blocks(V a, V b) { return shuffle_blocks<0xDD>(a, b); }
    template <int Which>
    static HWY_INLINE V shuffle_blocks(V a, V b) {
        if constexpr (sizeof(T) == 4)
            return V{_mm512_shuffle_f32x4(a.raw, b.raw, Which)};
        else
            return V{_mm512_shuffle_f64x2(a.raw, b.raw, Which)};
    }
#else
#if HWY_TARGET == HWY_AVX2
    static HWY_INLINE V even_lanes(V a, V b) { return V{_mm256_shuffle_ps(a.raw, b.raw, 0x88)}; }
    static HWY_INLINE V odd_lanes(V a, V b) { return V{_mm256_shuffle_ps(a.raw, b.raw, 0xDD)}; }
#else
    static HWY_INLINE V even_lanes(V a, V b) { return hn::ConcatEven(full<T>(), b, a); }
    static HWY_INLINE V odd_lanes(V a, V b) { return hn::ConcatOdd(full<T>(), b, a); }
#endif
    static HWY_INLINE V even_blocks(V a, V b) { return hn::ConcatLowerLower(full<T>(), b, a); }
    static HWY_INLINE V odd_blocks(V a, V b) { return hn::ConcatUpperUpper(full<T>(), b, a); }
#endif

    // The totals of a step's runs, those of a group's rows next to each other; row(q) is where the step lies.
    template <bool Backwards, class Row>
    static HWY_INLINE V fold_runs(const Row& row) {
        const full<T> d;
        if constexpr (group_rows == core::run_size) {
            const V a = load_once<T>(row(0)), b = load_once<T>(row(1)), c = load_once<T>(row(2)),
                    e = load_once<T>(row(3));
            const V first_ab = first_items(a, b), second_ab = second_items(a, b);
            const V first_ce = first_items(c, e), second_ce = second_items(c, e);
            // Of either half. Which of the two is on the left makes no difference.
            const V sum_ab = op(first_ab, second_ab), sum_ce = op(first_ce, second_ce);
            if constexpr (!Backwards) {
                const V folded = op(first_halves(sum_ab, sum_ce), second_halves(first_ab, first_ce));
                return op(folded, second_halves(second_ab, second_ce));
            } else {
                const V folded = op(second_halves(sum_ab, sum_ce), first_halves(second_ab, second_ce));
                return op(folded, first_halves(first_ab, first_ce));
            }
        } else {
            static_assert(group_rows == 2);
            const V a = load_once<T>(row(0)), b = load_once<T>(row(1)), c = load_once<T>(row(0) + width),
                    e = load_once<T>(row(1) + width);
            const V low = hn::InterleaveLower(d, a, b), second = hn::InterleaveUpper(d, a, b);
            const V third = hn::InterleaveLower(d, c, e), high = hn::InterleaveUpper(d, c, e);
            return Backwards ? op(op(op(high, third), second), low) : op(op(op(low, second), third), high);
        }
    }

    // Chains of run totals, a row a lane.
    template <std::size_t Groups>
    static constexpr std::size_t chains = (Groups + spans - 1) / spans;
    // Over the totals of the runs of `spans` groups, from group `first` on; groups that are not there are the
    // others once more.
    template <bool Backwards, std::size_t Groups>
    static HWY_INLINE V advance(V chain, const V (&totals)[Groups], std::size_t first) {
        const auto group = [&](std::size_t g) HWY_ATTR { return totals[(first + g) % Groups]; };
        if constexpr (spans == 1) {
            return op(chain, group(0));
        } else if constexpr (spans == 2) {
            const V even = even_blocks(group(0), group(1)), odd = odd_blocks(group(0), group(1));
            return op(op(chain, Backwards ? odd : even), Backwards ? even : odd);
        } else {
            static_assert(spans == 4);
            const V even_a = even_blocks(group(0), group(1)), odd_a = odd_blocks(group(0), group(1));
            const V even_b = even_blocks(group(2), group(3)), odd_b = odd_blocks(group(2), group(3));
            const V runs[4] = {even_blocks(even_a, even_b), even_blocks(odd_a, odd_b),
                               odd_blocks(even_a, even_b), odd_blocks(odd_a, odd_b)};
            for (std::size_t b = 0; b < spans; ++b) chain = op(chain, runs[Backwards ? spans - 1 - b : b]);
            return chain;
        }
    }

    // The totals of some rows' first `length` elements; row(r) is the lowest address of a row. meanwhile(i)
    // is called once a step.
    template <bool Backwards, std::size_t Groups, class Row, class Meanwhile>
    static HWY_INLINE void fold_block(const Row& row, std::size_t length, T* totals,
                                      const Meanwhile& meanwhile) {
        V chain[chains<Groups>];
        for (V& one : chain) one = identity();
        for (std::size_t i = 0; i < length; i += step) {
            const std::size_t lies = Backwards ? core::row_size - step - i : i;
            V runs[Groups];
            for (std::size_t g = 0; g < Groups; ++g)
                runs[g] = fold_runs<Backwards>([&](std::size_t q)
                                                   HWY_ATTR { return row(g * group_rows + q) + lies; });
            for (std::size_t c = 0; c < chains<Groups>; ++c)
                chain[c] = advance<Backwards>(chain[c], runs, c * spans);
            meanwhile(i);
        }
        for (std::size_t c = 0; c < chains<Groups>; ++c) hn::StoreU(chain[c], full<T>(), totals + c * width);
    }

    // Advances *rows over n elements that begin at a row.
    static HWY_ATTR void fold_rows(const T* x, std::size_t n, T* rows, const fold_pass& pass) {
        if (n <= scalar_size)
            *rows = Op()(*rows, fold_few(x, n, pass.backwards ? -1 : 1));
        else if (pass.backwards)
            *rows = fold_rows_as<true>(x, n, *rows, pass.lead);
        else
            *rows = fold_rows_as<false>(x, n, *rows, pass.lead);
    }
    // Elements up to which setting up vectors costs more than they save.
    static constexpr std::size_t scalar_size = 24;
    static HWY_INLINE T fold_few(const T* x, std::size_t n, std::ptrdiff_t direction) {
        T runs = Op::template identity<T>();
        for (std::size_t run = 0; run < n; run += core::run_size) {
            T items = *x;
            x += direction;
            for (std::size_t i = run + 1; i < std::min(run + core::run_size, n); ++i, x += direction)
                items = Op()(items, *x);
            runs = Op()(runs, items);
        }
        return runs;
    }
    template <bool Backwards>
    static HWY_NOINLINE T fold_rows_as(const T* x, std::size_t n, T rows, std::size_t lead) {
        HWY_ALIGN T totals[block_rows];
        std::size_t done = 0;
        for (; done + block_size <= n; done += block_size) {
            const T* const block = at<Backwards>(x, done, block_size);
            const auto row = [&](std::size_t r) HWY_ATTR {
                return at<Backwards>(x, done + r * core::row_size, core::row_size);
            };
            // As many bytes a step as are folded: rows side by side are what processors' own look-ahead does
            // not follow.
            const auto lies = reinterpret_cast<std::uintptr_t>(block);
            const input_ahead ahead{
                lead == 0 ? nullptr : reinterpret_cast<const void*>(Backwards ? lies - lead : lies + lead)};
            const auto ask = [&](std::size_t i) HWY_ATTR {
                prefetch<Backwards>(ahead, i * block_rows, step * block_rows, block_size, sizeof(T));
            };
            fold_block<Backwards, groups_at_once>(row, core::row_size, totals, ask);
            rows = fold_totals(rows, totals, block_rows);
        }
        while (done < n) {
            if (n - done > group_rows * core::row_size)
                rows = fold_part<Backwards, 2>(x, done, n, rows);
            else
                rows = fold_part<Backwards, 1>(x, done, n, rows);
        }
        return rows;
    }
    static HWY_INLINE T fold_totals(T rows, T* totals, std::size_t count) {
        asm("" : "+m"(*totals) : : "memory");  // loads, which cost less than taking vectors apart
        for (std::size_t r = 0; r < count; ++r) rows = Op()(rows, totals[r]);
        return rows;
    }
    // The rows of some groups that begin at element `done` of n, which is advanced. Those that are not there
    // are the first one, once more; what a part-filled one lacks counts as identities.
    template <bool Backwards, std::size_t Groups>
    static HWY_NOINLINE T fold_part(const T* x, std::size_t& done, std::size_t n, T rows) {
        constexpr std::size_t most = Groups * group_rows;
        const std::size_t count = std::min(n - done, most * core::row_size);
        const std::size_t whole = count / core::row_size, few = count % core::row_size;
        const std::size_t length = whole != 0 ? core::row_size : (few + step - 1) / step * step;
        HWY_ALIGN T filled[core::row_size];
        HWY_ALIGN T totals[std::max(most, width)];
        const T* from[most];
        for (std::size_t r = 0; r < most; ++r)
            from[r] = at<Backwards>(x, done + (r < whole ? r : 0) * core::row_size, core::row_size);
        if (few != 0) {
            const T* const last = at<Backwards>(x, done + whole * core::row_size, core::row_size);
            layout::template fill_row<Backwards>(last, few, length, identity(), filled);
            from[whole] = filled;
            if (whole == 0) std::fill_n(from, most, filled);
        }
        fold_block<Backwards, Groups>([&](std::size_t r) HWY_ATTR { return from[r]; }, length, totals,
                                      [](std::size_t) HWY_ATTR {});
        done += count;
        return fold_totals(rows, totals, whole + (few != 0));
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
