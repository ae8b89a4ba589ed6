// Linear recurrences: the tree over maps x -> a x + b, whose two components stand in registers of their own.
//
// As in tree_kernels-inl.hpp: a lane a run, then a lane a row. Composition has an identity in exact
// arithmetic only, so the part V of a row's first run is left out by a mask, and R and T where there are none
// by a branch. Of the outermost composition only the second component is made.

#if defined(UPSWEEP_AFFINE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_AFFINE_KERNELS_INL_HPP
#undef UPSWEEP_AFFINE_KERNELS_INL_HPP
#else
#define UPSWEEP_AFFINE_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "src/cpu/affine_lanes-inl.hpp"
#include "src/cpu/decay-inl.hpp"
#include "src/cpu/portable_segmented.hpp"
#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T>
struct affine_tree {
    using base = tree_layout<T>;
    using V = typename base::V;
    using portable = upsweep::cpu::portable::affine_tree<T>;
    static constexpr std::size_t width = base::width;
    static constexpr std::size_t step = base::step;
    static constexpr std::size_t row_steps = base::row_steps;
    static constexpr std::size_t runs = base::runs;

    using maps = affine_maps<T>;
    static HWY_INLINE maps set(const affine_map<T>& map) {
        return {hn::Set(full<T>(), map.a), hn::Set(full<T>(), map.b)};
    }

    // One component of a group: totals of runs, then what is before them; and of rows.
    struct component {
        HWY_ALIGN T totals[width * base::totals_stride];
        HWY_ALIGN T row_totals[width];
    };

    // The four folds of every run of the step at a and b; of `few` elements, if they are fewer than a step.
    static HWY_INLINE void fold_step(const T* a, const T* b, std::size_t few, maps (&folds)[core::run_size]) {
        HWY_ALIGN T last_a[step];
        HWY_ALIGN T last_b[step];
        if (few < step) {
            a = padded(a, few, last_a, T(1));
            b = padded(b, few, last_b, T(0));
        }
        V va[core::run_size], vb[core::run_size];
        base::template load_runs<false>(a, va);
        base::template load_runs<false>(b, vb);
        folds[0] = {va[0], vb[0]};
        for (std::size_t m = 1; m < core::run_size; ++m) folds[m] = compose(folds[m - 1], {va[m], vb[m]});
    }
    static HWY_INLINE const T* padded(const T* from, std::size_t few, T* to, T filler) {
        for (std::size_t i = 0; i < step; i += width)
            hn::Store(hn::Set(full<T>(), filler), full<T>(), to + i);
        base::copy_few(from, few, to);
        return to;
    }

    // Steps 1 and 2 on a group of `count` elements. Items: whether folds are kept, a vector of each component
    // in turn.
    template <bool Items>
    static HWY_ATTR HWY_NOINLINE void fold_group(const T* a, const T* b, std::size_t count, component& of_a,
                                                 component& of_b, T* items) {
        const full<T> d;
        const std::size_t row_count = (count + core::row_size - 1) / core::row_size;
        for (std::size_t r = 0; r < width; ++r) {
            for (std::size_t g = 0; g < row_steps; ++g) {
                const std::size_t i = r * core::row_size + g * step;
                const std::size_t at = r * base::totals_stride + g * width;
                if (r >= row_count || i >= count) {  // must not hold what would be slow or trap
                    hn::StoreU(hn::Set(d, T(1)), d, of_a.totals + at);
                    hn::StoreU(hn::Zero(d), d, of_b.totals + at);
                    continue;
                }
                maps folds[core::run_size];
                fold_step(a + i, b + i, count - i, folds);
                for (std::size_t m = 0; Items && m < core::run_size; ++m) {
                    hn::Store(folds[m].a, d, items + 2 * (i + m * width));
                    hn::Store(folds[m].b, d, items + 2 * (i + m * width) + width);
                }
                hn::StoreU(folds[core::run_size - 1].a, d, of_a.totals + at);
                hn::StoreU(folds[core::run_size - 1].b, d, of_b.totals + at);
            }
        }
        fold_totals(of_a, of_b);
    }
    // A lane a row. Run 0 of each has nothing before it in its row; what stands there in its place is not
    // used.
    static HWY_INLINE void fold_totals(component& of_a, component& of_b) {
        const full<T> d;
        maps folded(hn::Set(d, T(1)), hn::Zero(d));  // of the runs so far
        for (std::size_t j = 0; j < runs; j += width) {
#if HWY_NATIVE_FMA
            if (HWY_UNLIKELY(has_small<T>(folded.a))) {
                folded = fold_small_totals(of_a.totals + j, of_b.totals + j, folded);
                continue;
            }
#endif
            V column_a[width], column_b[width];
            base::load_columns(of_a.totals + j, base::totals_stride, column_a);
            base::load_columns(of_b.totals + j, base::totals_stride, column_b);
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = base::template lane_of<false>(i);
                const maps total{column_a[lane], column_b[lane]};
                column_a[lane] = folded.a;
                column_b[lane] = folded.b;
                folded = j + i == 0 ? total : compose(folded, total);
            }
            base::store_columns(column_a, of_a.totals + j, base::totals_stride);
            base::store_columns(column_b, of_b.totals + j, base::totals_stride);
        }
        hn::Store(folded.a, d, of_a.row_totals);
        hn::Store(folded.b, d, of_b.row_totals);
    }
#if HWY_NATIVE_FMA
    // As many runs as lanes, where coefficients may be subnormal.
    static HWY_ATTR HWY_NOINLINE maps fold_small_totals(T* totals_a, T* totals_b, maps folded) {
        V column[width], factors[width];
        base::load_columns(totals_a, base::totals_stride, factors);
        base::load_columns(totals_b, base::totals_stride, column);
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t lane = base::template lane_of<false>(i);
            const V total = column[lane];
            column[lane] = folded.b;
            folded.b = hn::Add(hn::Mul(factors[lane], folded.b), total);
        }
        base::store_columns(column, totals_b, base::totals_stride);
        scaled_fold<T> scaled(folded.a);
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t lane = base::template lane_of<false>(i);
            column[lane] = scaled.value();
            scaled.take(factors[lane]);
        }
        if (HWY_LIKELY(scaled.is_finite())) {
            folded.a = scaled.value();
        } else {
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = base::template lane_of<false>(i);
                column[lane] = folded.a;
                folded.a = hn::Mul(folded.a, factors[lane]);
            }
        }
        base::store_columns(column, totals_a, base::totals_stride);
        return folded;
    }
#endif

    static HWY_ATTR void fold_rows(const T* a, const T* b, std::size_t n, affine_state<T>& state) {
        component of_a, of_b;
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group<false>(a + first, b + first, count, of_a, of_b, nullptr);
            for (std::size_t r = 0; r < count / core::row_size; ++r)
                portable::push_row(state, {of_a.row_totals[r], of_b.row_totals[r]});
        }
    }

    // Elements up to which setting up vectors costs more than they save.
    static constexpr std::size_t scalar_size = 24;

    static HWY_ATTR void scan_rows(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                                   const scan_pass& pass) {
        if (n <= scalar_size)
            portable::scan_rows(a, b, y, n, state, pass);
        else
            pass.where == placement::streamed ? scan_groups<placement::streamed>(a, b, y, n, state)
                                              : scan_groups<placement::cached>(a, b, y, n, state);
    }
    // The folds of a group's runs, an item after the other, and what is before each run in its row.
    struct folded_group {
        HWY_ALIGN T items[2 * base::group_size];
        component of_a, of_b;
    };
    // A row of input.
    static HWY_INLINE void ask_for(const T* row) {
        for (std::size_t i = 0; i < core::row_size; i += 64 / sizeof(T)) __builtin_prefetch(row + i, 0, 3);
        asm volatile("");
    }
    template <placement Where>
    static HWY_ATTR void scan_groups(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state) {
        folded_group folded;
        maps left[] = {maps(), set(state.tiles), set(state.supers)};
        maps* const of_rows = left + (state.has_tiles ? 0 : 1);
        const needs_of_rows<T> needs(state);
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group<true>(a + first, b + first, count, folded.of_a, folded.of_b, folded.items);
            for (std::size_t row = 0; row < count; row += core::row_size) {
                if constexpr (Where == placement::streamed) {  // the next group comes from memory meanwhile
                    ask_for(a + first + base::group_size + row);
                    ask_for(b + first + base::group_size + row);
                }
                const std::size_t r = row / core::row_size;
                const affine_map<T> total{folded.of_a.row_totals[r], folded.of_b.row_totals[r]};
                if (state.has_rows) *of_rows = set(state.rows);
                const maps* const from = of_rows + (state.has_rows ? 0 : 1);
                const auto needed = state.has_rows ? needs.of(state.rows, total) : needs.of_first(total);
                const std::size_t length = std::min(count - row, core::row_size);
                T* const to = y + first + row;
                const row_of_group at{folded, r, length, from,
                                      static_cast<std::size_t>(std::end(left) - from)};
                if (needed.checked) {
                    needed.used == 1 ? scan_row<Where, 1, true>(at, needed.least, to)
                                     : scan_row<Where, 2, true>(at, needed.least, to);
                } else {
                    needed.used == 3   ? scan_row<Where, 3, false>(at, T(0), to)
                    : needed.used == 2 ? scan_row<Where, 2, false>(at, T(0), to)
                                       : scan_row<Where, 1, false>(at, T(0), to);
                }
                if (length == core::row_size) portable::push_row(state, total);
            }
        }
    }

    // Row r of a group, of which the first `length` elements are wanted; left: the maps before it, up to S.
    struct row_of_group {
        const folded_group& folded;
        std::size_t r, length;
        const maps* left;
        std::size_t left_count;
    };
    template <placement Where, std::size_t Used, bool Checked>
    static HWY_INLINE void scan_row(const row_of_group& row, T least, T* y) {
        maps left[Used];
        for (std::size_t k = 0; k < Used; ++k) left[k] = row.left[k];
        for (std::size_t g = 0; g < row_steps && g * step < row.length; ++g) {
            V v[core::run_size];
            if (HWY_UNLIKELY((!scan_step<Checked>(row, g, left, Used, least, v)))) {
                HWY_ALIGN T in_full[step];
                scan_step_in_full(row, g, in_full);
                for (std::size_t m = 0; m < core::run_size; ++m)
                    v[m] = hn::Load(full<T>(), in_full + m * width);
            }
            const std::size_t i = g * step;
            if (const std::size_t few = row.length - i; few < step) {
                HWY_ALIGN T last_step[step];
                base::template store_runs<placement::cached, false>(v, last_step);
                base::copy_few(last_step, few, y + i);
            } else {
                base::template store_runs<Where, false>(v, y + i);
            }
        }
    }
    // Whether what is left out, if anything is, does not show.
    template <bool Checked>
    static HWY_INLINE bool scan_step(const row_of_group& row, std::size_t g, const maps* left,
                                     std::size_t used, T least, V (&v)[core::run_size]) {
        const full<T> d;
        const folded_group& folded = row.folded;
        const std::size_t at = row.r * base::totals_stride + g * width;
        const std::size_t i = row.r * core::row_size + g * step;
        maps run{hn::LoadU(d, folded.of_a.totals + at), hn::LoadU(d, folded.of_b.totals + at)};
        V coefficients = run.a;  // at least the largest, if that is below near_results::bound
        V smallest = hn::Set(d, std::numeric_limits<T>::max());
        if (Checked && used == 1) {
            run.a = without_small<T>(run.a);
        }
        for (std::size_t m = 0; m < core::run_size; ++m) {
            const T* const item = folded.items + 2 * (i + m * width);
            const maps items{hn::Load(d, item), hn::Load(d, item + width)};
            maps value = compose(run, items);
            if (g == 0) {  // the lane of run 0 is the first
                const auto run_0 = hn::FirstN(d, 1);
                value = {hn::IfThenElse(run_0, items.a, value.a), hn::IfThenElse(run_0, items.b, value.b)};
            }
            for (std::size_t k = 0; k + 1 < used; ++k) value = compose(left[k], value);
            v[m] = compose(left[used - 1], value).b;
            if constexpr (Checked) {
                coefficients = hn::Or(coefficients, items.a);
                smallest = hn::Min(smallest, hn::Abs(v[m]));
            }
        }
        if constexpr (!Checked) return true;
        return near_results<T>::are_at_least(smallest, hn::Set(d, least), coefficients);
    }
    static HWY_ATTR HWY_NOINLINE void scan_step_in_full(const row_of_group& row, std::size_t g, T* to) {
        V v[core::run_size];
        scan_step<false>(row, g, row.left, row.left_count, T(0), v);
        for (std::size_t m = 0; m < core::run_size; ++m) hn::Store(v[m], full<T>(), to + m * width);
    }

    // 64-byte vectors are streamed whole or not at all, narrower ones in blocks.
    static constexpr std::size_t stream_alignment = width * sizeof(T) < 64             ? 16
                                                    : block_lanes<T> == core::run_size ? 64
                                                                                       : 0;
    static constexpr affine_kernels<T> table{
        stream_alignment,         width, &scan_rows, &fold_rows, &affine_lanes_of<T>::scan,
        &affine_lanes_of<T>::fold};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
