// Folds of a group of rows of maps x -> a x + b: of the items of every run, of runs, and of rows.

#if defined(UPSWEEP_AFFINE_FOLDS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_AFFINE_FOLDS_INL_HPP
#undef UPSWEEP_AFFINE_FOLDS_INL_HPP
#else
#define UPSWEEP_AFFINE_FOLDS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/affine_lanes-inl.hpp"
#include "src/cpu/decay-inl.hpp"
#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T>
struct affine_folds {
    using base = tree_layout<T>;
    using V = typename base::V;
    static constexpr std::size_t width = base::width;
    static constexpr std::size_t step = base::step;
    static constexpr std::size_t row_steps = base::row_steps;
    static constexpr std::size_t runs = base::runs;
    using maps = affine_maps<T>;

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

    // The same where all coefficients are equal, of which `a` has the products: b alone is folded. Items: a
    // vector each.
    template <bool Items>
    static HWY_ATTR HWY_NOINLINE void fold_terms(const row_powers<T>& a, const T* b, std::size_t count,
                                                 component& of_b, T* items) {
        const full<T> d;
        const V coefficient = hn::Set(d, a.folds[0]);
        for (std::size_t i = 0, row = 0; row < base::group_size; row += core::row_size) {
            T* const totals = of_b.totals + row / core::row_size * base::totals_stride;
            for (std::size_t g = 0; g < row_steps; ++g, i += step) {
                if (i >= count) {
                    hn::StoreU(hn::Zero(d), d, totals + g * width);
                    continue;
                }
                HWY_ALIGN T last[step];
                const T* const from = count - i < step ? padded(b + i, count - i, last, T(0)) : b + i;
                V v[core::run_size];
                base::template load_runs<false>(from, v);
                for (std::size_t m = 1; m < core::run_size; ++m) v[m] = after(v[m - 1], {coefficient, v[m]});
                for (std::size_t m = 0; Items && m < core::run_size; ++m)
                    hn::Store(v[m], d, items + i + m * width);
                hn::StoreU(v[core::run_size - 1], d, totals + g * width);
            }
        }
        const V of_run = hn::Set(d, a.folds[core::run_size - 1]);
        V folded = hn::Zero(d);  // of the runs so far
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width];
            base::load_columns(of_b.totals + j, base::totals_stride, column);
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = base::template lane_of<false>(i);
                const V total = column[lane];
                column[lane] = folded;
                folded = j + i == 0 ? total : after(folded, {of_run, total});
            }
            base::store_columns(column, of_b.totals + j, base::totals_stride);
        }
        hn::Store(folded, d, of_b.row_totals);
    }
    // compose(first, map).b, which needs no more of the first map.
    static HWY_INLINE V after(V first, maps map) { return hn::Add(hn::Mul(map.a, first), map.b); }

    // As fold_group folds a row of equal coefficients.
    static void make_powers(T coefficient, row_powers<T>& to) {
        to.folds[0] = coefficient;
        for (std::size_t m = 1; m < core::run_size; ++m) to.folds[m] = to.folds[m - 1] * coefficient;
        const T of_run = to.folds[core::run_size - 1];
        T before = T(1);  // of the first run, which does not use it
        for (std::size_t j = 0; j < runs; ++j) {
            to.runs[j / width * width + base::template lane_of<false>(j % width)] = before;
            before = j == 0 ? of_run : before * of_run;
        }
        to.row = before;
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
