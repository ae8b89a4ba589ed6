// Sums and products that round, by the tree of docs/numerics.md: left folds become plain vector operations
// once neighbouring operands stand in different registers.
//
// A group is as many rows as a vector has lanes. A lane is a row: a run of every row is transposed into four
// registers a, b, c, d, so that its left fold is b = a (+) b, c = b (+) c, d = c (+) d; with the fold V of
// the runs before it, V (+) L is stored and V grows by d. After 32 runs V holds the totals of all rows, from
// which R follows, and every element becomes S (+) (T (+) (R (+) (V (+) L))) on its way out. Cost per vector:
// 4 shuffles, 2.75 to 4.75 operations, 2 loads and 2 stores.
//
// What is left of a group has fewer rows than lanes, so there a lane is a run at first, and the totals of the
// runs are transposed for the step in which a lane is a row.
//
// In two halves, nest_rows leaves V (+) L in the order of the elements, in a buffer that a cache holds, so
// that finish_rows is a loop over neighbours that fills one cache line after the other: where results are
// streamed, lines that are half written for long are written to memory in parts. Between the halves the
// totals of tiles are known, so that threads share a scan without reading its input twice.

#if defined(UPSWEEP_TREE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_KERNELS_INL_HPP
#undef UPSWEEP_TREE_KERNELS_INL_HPP
#else
#define UPSWEEP_TREE_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/nested_kernels-inl.hpp"
#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct tree : nested_tree<T, Op> {
    using base = nested_tree<T, Op>;
    using layout = tree_layout<T>;
    using V = typename layout::V;
    using base::fold_runs;
    using base::identity;
    using base::op;
    template <std::size_t Parts>
    using outer_parts = typename base::template outer_parts<Parts>;
    using layout::group_rows;
    using layout::group_size;
    using layout::row_steps;
    using layout::runs;
    using layout::step;
    using layout::totals_stride;
    using layout::width;

    // Folds the run totals of every row, a lane a row, and replaces each by the fold of those before it.
    template <bool Backwards>
    static HWY_INLINE V fold_totals(T* totals) {
        V accumulated = identity();
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width];  // lane r of column[i] is total j + i of row r
            layout::load_columns(totals + j, totals_stride, column);
            for (std::size_t i = 0; i < width; ++i) {
                V& here = column[layout::template lane_of<Backwards>(i)];
                const V total = here;
                here = accumulated;
                accumulated = op(accumulated, total);
            }
            layout::store_columns(column, totals + j, totals_stride);
        }
        return accumulated;
    }
    // fold_totals for a single row: a chain of 31 operations.
    template <bool Backwards>
    static HWY_INLINE T fold_one(T* totals, std::size_t steps) {
        T accumulated = Op::template identity<T>();
        for (std::size_t j = 0; j < steps * width; j += width) {
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = j + layout::template lane_of<Backwards>(i);
                const T total = totals[lane];
                totals[lane] = accumulated;
                accumulated = Op()(accumulated, total);
            }
        }
        return accumulated;
    }

    // The results of one step from `run`, what is to the left of its runs, and the folds within them.
    template <bool Exclusive, class Outer, class Folded>
    static HWY_INLINE void finish_step(const Outer& outer, V before, V run, const Folded& folded,
                                       V (&v)[core::run_size]) {
        const auto left = [&](V nested) HWY_ATTR { return outer(op(before, nested)); };
        if constexpr (Exclusive) {
            for (std::size_t m = core::run_size; --m != 0;) v[m] = left(op(run, folded(m - 1)));
            v[0] = left(run);
        } else {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = left(op(run, folded(m)));
        }
    }

    static HWY_ATTR void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                   const scan_pass& pass, T* last) {
        if (n <= scalar_size) return scan_few(x, y, n, supers, tiles, rows, pass, last);
        const bool no_supers = is_identity(supers);
        const bool no_tiles = is_identity(tiles);
        with_direction(pass, [&]<bool Backwards>() HWY_ATTR {
            if (no_supers && no_tiles)
                scan_rows_as<Backwards, 0>(x, y, n, supers, tiles, rows, pass, last);
            else if (no_supers)
                scan_rows_as<Backwards, 1>(x, y, n, supers, tiles, rows, pass, last);
            else
                scan_rows_as<Backwards, 2>(x, y, n, supers, tiles, rows, pass, last);
        });
    }
    // By its bits: +0 is no identity of sums.
    static HWY_INLINE bool is_identity(T value) {
        constexpr T identity = Op::template identity<T>();
        return std::memcmp(&value, &identity, sizeof(T)) == 0;
    }

    // Elements up to which setting up vectors costs more than they save.
    static constexpr std::size_t scalar_size = 24;
    static HWY_INLINE void scan_few(const T* x, T* y, std::size_t n, T supers, T tiles, const T* rows,
                                    const scan_pass& pass, T* last) {
        T run_fold = Op::template identity<T>();
        T items = Op::template identity<T>();
        T value = Op()(supers, Op()(tiles, *rows));
        const std::ptrdiff_t direction = pass.backwards ? -1 : 1;
        const bool exclusive = pass.exclusive;
        for (std::size_t i = 0; i < n; ++i, x += direction, y += direction) {
            if (i % core::run_size == 0 && i != 0) {
                run_fold = Op()(run_fold, items);
                items = Op::template identity<T>();
            }
            items = Op()(items, *x);
            const T before = value;
            value = Op()(supers, Op()(tiles, Op()(*rows, Op()(run_fold, items))));
            *y = exclusive ? before : value;
        }
        if (last != nullptr) *last = value;
    }

    // Rows up to which folding them one by one is faster than a lane a row.
    static constexpr std::size_t most_single_rows = 3;

    // A whole group, a lane a row throughout: the runs of all rows are folded from the left as they come, so
    // that run totals need no transposition of their own. `ahead`, unless null: a group's bytes to ask for
    // meanwhile.
    template <bool Exclusive, bool Backwards, class Outer>
    static HWY_INLINE void scan_group(const T* x, T* y, const Outer& outer, T* rows, const T* ahead) {
        const full<T> d;
        HWY_ALIGN T nested[group_size];  // V (+) L of every element, transposed
        HWY_ALIGN T row_totals[group_rows];
        HWY_ALIGN T row_starts[group_rows];
        const bool fetch_results = x != y;
        const T* const results = at<Backwards>(y, 0, group_size);
        V before = identity();
        for (std::size_t run = 0; run < runs; ++run) {
            if (fetch_results) prefetch(results, run * step * sizeof(T), step * sizeof(T));
            V v[core::run_size];
            layout::template load_rows<Backwards>(x, run, v);
            fold_runs(v);
            T* to = nested + run * step;
            if constexpr (Exclusive) {
                hn::Store(before, d, to);
                to += width;
            }
            for (std::size_t m = 0; m + 1 < core::run_size; ++m)
                hn::Store(op(before, v[m]), d, to + m * width);
            before = op(before, v[core::run_size - 1]);
            if constexpr (!Exclusive) hn::Store(before, d, to + (core::run_size - 1) * width);
        }
        hn::Store(before, d, row_totals);
        for (std::size_t r = 0; r < group_rows; ++r) {
            row_starts[r] = *rows;
            *rows = Op()(*rows, row_totals[r]);
        }
        const V start = hn::Load(d, row_starts);
        for (std::size_t run = 0; run < runs; ++run) {
            if (ahead != nullptr) prefetch(ahead, run * step * sizeof(T), step * sizeof(T));
            V v[core::run_size];
            for (std::size_t m = 0; m < core::run_size; ++m)
                v[m] = outer(op(start, hn::Load(d, nested + run * step + m * width)));
            layout::template store_rows<Backwards>(v, y, run);
        }
    }
    template <bool Backwards, std::size_t Parts>
    static HWY_ATTR void scan_rows_as(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                      const scan_pass& pass, T* last) {
        const full<T> d;
        HWY_ALIGN T folded[group_size];  // L of every element, still transposed
        HWY_ALIGN T totals[group_rows * totals_stride];
        HWY_ALIGN T row_totals[group_rows];
        HWY_ALIGN T last_step[step];  // what does not fill a step, padded
        const outer_parts<Parts> outer{hn::Set(d, supers), hn::Set(d, tiles)};
        std::size_t first = 0;
        for (; first + group_size <= n; first += group_size) {
            // What follows is asked for a group before. The call after this one begins at the end
            // backwards.
            const T* ahead = nullptr;
            if (first + 2 * group_size <= n)
                ahead = at<Backwards>(x, first + group_size, group_size);
            else if (pass.ahead != nullptr)
                ahead = static_cast<const T*>(pass.ahead) + (Backwards ? n - group_size : 0);
            const T* const from = at<Backwards>(x, first, 1);
            T* const to = at<Backwards>(y, first, 1);
            if (pass.exclusive)
                scan_group<true, Backwards>(from, to, outer, rows, ahead);
            else
                scan_group<false, Backwards>(from, to, outer, rows, ahead);
        }
        if (first != n) {
            const std::size_t count = n - first;
            const std::size_t whole = count / step * step;
            const std::size_t complete_rows = count / core::row_size;
            const std::size_t row_count = (count + core::row_size - 1) / core::row_size;
            const std::size_t steps = (count + step - 1) / step;
            // Where the padded elements lie in last_step: the first ones lowest, or backwards highest.
            T* const few = Backwards ? last_step + step - (count - whole) : last_step;

            const auto fold_step = [&](const T* from, std::size_t g) HWY_ATTR {
                V v[core::run_size];
                layout::template load_runs<Backwards>(from, v);
                fold_runs(v);
                for (std::size_t m = 0; m < core::run_size; ++m)
                    hn::Store(v[m], d, folded + g * step + m * width);
                hn::StoreU(v[core::run_size - 1], d,
                           totals + g / row_steps * totals_stride + g % row_steps * width);
            };
            for (std::size_t g = 0; g < whole / step; ++g)
                fold_step(at<Backwards>(x, first + g * step, step), g);
            if (whole != count) {
                for (std::size_t i = 0; i < step; i += width) hn::Store(identity(), d, last_step + i);
                layout::copy_few(at<Backwards>(x, first + whole, count - whole), count - whole, few);
                fold_step(last_step, whole / step);
            }

            if (row_count <= most_single_rows && row_count < group_rows) {
                for (std::size_t r = 0; r < row_count; ++r) {
                    T* row = totals + r * totals_stride;
                    row_totals[r] = fold_one<Backwards>(row, std::min(row_steps, steps - r * row_steps));
                }
            } else {
                if (count < group_size) {  // lanes without elements must not hold what would be slow or trap
                    T* row = totals + (row_count - 1) * totals_stride;
                    std::fill(row + (steps - (row_count - 1) * row_steps) * width, row + runs,
                              Op::template identity<T>());
                    std::fill(row + totals_stride, std::end(totals), Op::template identity<T>());
                }
                hn::Store(fold_totals<Backwards>(totals), d, row_totals);
            }
            if (last != nullptr && count != complete_rows * core::row_size && first + count == n) {
                const std::size_t g = (count - 1) / step;
                const std::size_t lane =
                    layout::template lane_of<Backwards>((count - 1) % step / core::run_size);
                T nested = *rows;
                for (std::size_t r = 0; r < complete_rows; ++r) nested = Op()(nested, row_totals[r]);
                nested =
                    Op()(nested, Op()(totals[g / row_steps * totals_stride + g % row_steps * width + lane],
                                      folded[g * step + (count - 1) % core::run_size * width + lane]));
                *last = Op()(supers, Op()(tiles, nested));
            }

            const auto finish = [&]<bool Exclusive>() HWY_ATTR {
                const auto scan_step = [&](std::size_t g, V before, T* to) HWY_ATTR {
                    const V run =
                        hn::LoadU(d, totals + g / row_steps * totals_stride + g % row_steps * width);
                    const T* const step_folded = folded + g * step;
                    V v[core::run_size];
                    finish_step<Exclusive>(
                        outer, before, run,
                        [&](std::size_t m) HWY_ATTR { return hn::Load(d, step_folded + m * width); }, v);
                    layout::template store_runs<placement::cached, Backwards>(v, to);
                };
                for (std::size_t r = 0; r < row_count; ++r) {
                    const V before = hn::Set(d, *rows);
                    const std::size_t end = std::min(whole / step, (r + 1) * row_steps);
                    for (std::size_t g = r * row_steps; g < end; ++g)
                        scan_step(g, before, at<Backwards>(y, first + g * step, step));
                    if (r < complete_rows)
                        *rows = Op()(*rows, row_totals[r]);
                    else if (whole != count)
                        scan_step(whole / step, before, last_step);
                }
            };
            if (pass.exclusive)
                finish.template operator()<true>();
            else
                finish.template operator()<false>();
            if (whole != count)
                layout::copy_few(few, count - whole, at<Backwards>(y, first + whole, count - whole));
        }
        if (last != nullptr && n % core::row_size == 0) *last = Op()(supers, Op()(tiles, *rows));
    }

    static constexpr tree_kernels<T> table{base::stream_alignment,   &scan_rows,
                                           base::nest_size,          &base::nest_rows,
                                           &base::finish_rows,       &tree_lanes<T, Op>::scan,
                                           &tree_lanes<T, Op>::fold, &tree_strips<T, Op>::scan};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
