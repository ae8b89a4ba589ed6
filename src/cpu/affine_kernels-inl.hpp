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

#include "src/cpu/affine_lanes-inl.hpp"
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

    // Steps 1 and 2 on a group of `count` elements; keep(i, m, fold) is called for item m of the step at i.
    template <class Keep>
    static HWY_INLINE void fold_group(const T* a, const T* b, std::size_t count, component& of_a,
                                      component& of_b, const Keep& keep) {
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
                for (std::size_t m = 0; m < core::run_size; ++m) keep(i, m, folds[m]);
                hn::StoreU(folds[core::run_size - 1].a, d, of_a.totals + at);
                hn::StoreU(folds[core::run_size - 1].b, d, of_b.totals + at);
            }
        }
        // A lane a row: run 0 of each has nothing before it in its row, and holds itself then.
        maps accumulated{};
        for (std::size_t j = 0; j < runs; j += width) {
            V column_a[width], column_b[width];
            base::load_columns(of_a.totals + j, base::totals_stride, column_a);
            base::load_columns(of_b.totals + j, base::totals_stride, column_b);
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = base::template lane_of<false>(i);
                const maps total{column_a[lane], column_b[lane]};
                if (j == 0 && i == 0) {
                    accumulated = total;
                    continue;
                }
                column_a[lane] = accumulated.a;
                column_b[lane] = accumulated.b;
                accumulated = compose(accumulated, total);
            }
            base::store_columns(column_a, of_a.totals + j, base::totals_stride);
            base::store_columns(column_b, of_b.totals + j, base::totals_stride);
        }
        hn::Store(accumulated.a, d, of_a.row_totals);
        hn::Store(accumulated.b, d, of_b.row_totals);
    }

    static HWY_ATTR void fold_rows(const T* a, const T* b, std::size_t n, affine_state<T>& state) {
        component of_a, of_b;
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group(a + first, b + first, count, of_a, of_b, [](std::size_t, std::size_t, const maps&) {});
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
        else if (pass.where == placement::streamed)
            scan_rows_as<placement::streamed>(a, b, y, n, state);
        else
            scan_rows_as<placement::cached>(a, b, y, n, state);
    }
    template <placement Where>
    static HWY_ATTR void scan_rows_as(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state) {
        const full<T> d;
        HWY_ALIGN T folded_a[base::group_size];
        HWY_ALIGN T folded_b[base::group_size];
        HWY_ALIGN T last_step[step];
        component of_a, of_b;
        const maps supers = set(state.supers);
        const maps tiles = set(state.tiles);
        const bool has_tiles = state.has_tiles;
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            fold_group(a + first, b + first, count, of_a, of_b,
                       [&](std::size_t i, std::size_t m, const maps& fold) HWY_ATTR {
                           hn::Store(fold.a, d, folded_a + i + m * width);
                           hn::Store(fold.b, d, folded_b + i + m * width);
                       });
            for (std::size_t row = 0; row < count; row += core::row_size) {
                const std::size_t r = row / core::row_size;
                const maps rows = set(state.rows);
                const bool has_rows = state.has_rows;
                for (std::size_t g = 0; g < row_steps && row + g * step < count; ++g) {
                    const std::size_t i = row + g * step;
                    const std::size_t at = r * base::totals_stride + g * width;
                    const maps run{hn::LoadU(d, of_a.totals + at), hn::LoadU(d, of_b.totals + at)};
                    V v[core::run_size];
                    for (std::size_t m = 0; m < core::run_size; ++m) {
                        const maps items{hn::Load(d, folded_a + i + m * width),
                                         hn::Load(d, folded_b + i + m * width)};
                        maps value = compose(run, items);
                        if (g == 0) {  // the lane of run 0 is the first
                            const auto run_0 = hn::FirstN(d, 1);
                            value = {hn::IfThenElse(run_0, items.a, value.a),
                                     hn::IfThenElse(run_0, items.b, value.b)};
                        }
                        if (has_rows) value = compose(rows, value);
                        if (has_tiles) value = compose(tiles, value);
                        v[m] = compose(supers, value).b;
                    }
                    if (const std::size_t few = count - i; few < step) {
                        base::template store_runs<placement::cached, false>(v, last_step);
                        base::copy_few(last_step, few, y + first + i);
                    } else {
                        base::template store_runs<Where, false>(v, y + first + i);
                    }
                }
                if (row + core::row_size <= count)
                    portable::push_row(state, {of_a.row_totals[r], of_b.row_totals[r]});
            }
        }
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
