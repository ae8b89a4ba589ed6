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

#include "src/cpu/affine_folds-inl.hpp"
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
    using folds = affine_folds<T>;
    using V = typename base::V;
    using portable = upsweep::cpu::portable::affine_tree<T>;
    static constexpr std::size_t width = base::width;
    static constexpr std::size_t step = base::step;
    static constexpr std::size_t row_steps = base::row_steps;

    using maps = affine_maps<T>;
    using component = typename folds::component;
    static HWY_INLINE maps set(const affine_map<T>& map) {
        return {hn::Set(full<T>(), map.a), hn::Set(full<T>(), map.b)};
    }

    static HWY_ATTR void fold_rows(const T* a, const T* b, std::size_t n, affine_state<T>& state) {
        component of_a, of_b;
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            folds::template fold_group<false>(a + first, b + first, count, of_a, of_b, nullptr);
            for (std::size_t r = 0; r < count / core::row_size; ++r)
                portable::push_row(state, {of_a.row_totals[r], of_b.row_totals[r]});
        }
    }

    static HWY_ATTR void fold_rows_of(const row_powers<T>& a, const T* b, std::size_t n,
                                      affine_state<T>& state) {
        component of_b;
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            folds::template fold_terms<false>(a, b + first, count, of_b, nullptr);
            for (std::size_t r = 0; r < count / core::row_size; ++r)
                portable::push_row(state, {a.row, of_b.row_totals[r]});
        }
    }

    // Elements up to which setting up vectors costs more than they save.
    static constexpr std::size_t scalar_size = 24;

    static HWY_ATTR void scan_rows(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                                   const scan_pass& pass) {
        if (n <= scalar_size) return portable::scan_rows(a, b, y, n, state, pass);
        const input_maps in{a, b};
        pass.where == placement::streamed ? scan_groups<placement::streamed>(in, y, n, state)
                                          : scan_groups<placement::cached>(in, y, n, state);
    }
    static HWY_ATTR void scan_rows_of(const row_powers<T>& a, const T* b, T* y, std::size_t n,
                                      affine_state<T>& state, const scan_pass& pass) {
        if (n <= scalar_size) return portable::scan_rows_of(a, b, y, n, state, pass);
        const input_terms in{a, b};
        pass.where == placement::streamed ? scan_groups<placement::streamed>(in, y, n, state)
                                          : scan_groups<placement::cached>(in, y, n, state);
    }

    // What is scanned: fold() makes of a group's maps, from `first` on, the folds of runs, what is before
    // each run in its row, and rows' totals. ask_for() asks for a row of input.
    struct input_maps {
        const T *a, *b;
        struct folded_group {
            HWY_ALIGN T items[2 * base::group_size];  // an item after the other, a vector of each component
            component of_a, of_b;

            [[nodiscard]] HWY_INLINE maps item(std::size_t row, std::size_t g, std::size_t m) const {
                const T* const at = items + 2 * (row * core::row_size + g * step + m * width);
                return {hn::Load(full<T>(), at), hn::Load(full<T>(), at + width)};
            }
            [[nodiscard]] HWY_INLINE maps before(std::size_t row, std::size_t g) const {
                const std::size_t at = row * base::totals_stride + g * width;
                return {hn::LoadU(full<T>(), of_a.totals + at), hn::LoadU(full<T>(), of_b.totals + at)};
            }
            [[nodiscard]] affine_map<T> total(std::size_t row) const {
                return {of_a.row_totals[row], of_b.row_totals[row]};
            }
        };
        HWY_INLINE void fold(std::size_t first, std::size_t count, folded_group& to) const {
            folds::template fold_group<true>(a + first, b + first, count, to.of_a, to.of_b, to.items);
        }
        HWY_INLINE void ask_for(std::size_t row) const {
            affine_tree::ask_for(a + row);
            affine_tree::ask_for(b + row);
        }
    };
    // Of equal coefficients.
    struct input_terms {
        const row_powers<T>& a;
        const T* b;
        struct folded_group {
            HWY_ALIGN T items[base::group_size];
            component of_b;
            const row_powers<T>* a;

            [[nodiscard]] HWY_INLINE maps item(std::size_t row, std::size_t g, std::size_t m) const {
                const T* const at = items + row * core::row_size + g * step + m * width;
                return {hn::Set(full<T>(), a->folds[m]), hn::Load(full<T>(), at)};
            }
            [[nodiscard]] HWY_INLINE maps before(std::size_t row, std::size_t g) const {
                const std::size_t at = row * base::totals_stride + g * width;
                return {hn::LoadU(full<T>(), a->runs + g * width), hn::LoadU(full<T>(), of_b.totals + at)};
            }
            [[nodiscard]] affine_map<T> total(std::size_t row) const {
                return {a->row, of_b.row_totals[row]};
            }
        };
        HWY_INLINE void fold(std::size_t first, std::size_t count, folded_group& to) const {
            to.a = &a;
            folds::template fold_terms<true>(a, b + first, count, to.of_b, to.items);
        }
        HWY_INLINE void ask_for(std::size_t row) const { affine_tree::ask_for(b + row); }
    };
    // A row of input.
    static HWY_INLINE void ask_for(const T* row) {
        for (std::size_t i = 0; i < core::row_size; i += 64 / sizeof(T)) __builtin_prefetch(row + i, 0, 3);
        asm volatile("");
    }
    template <placement Where, class Input>
    static HWY_ATTR void scan_groups(const Input& in, T* y, std::size_t n, affine_state<T>& state) {
        typename Input::folded_group folded;
        maps left[] = {maps(), set(state.tiles), set(state.supers)};
        maps* const of_rows = left + (state.has_tiles ? 0 : 1);
        const needs_of_rows<T> needs(state);
        for (std::size_t first = 0; first < n; first += base::group_size) {
            const std::size_t count = std::min(n - first, base::group_size);
            in.fold(first, count, folded);
            for (std::size_t row = 0; row < count; row += core::row_size) {
                if constexpr (Where == placement::streamed)  // the next group comes from memory meanwhile
                    in.ask_for(first + base::group_size + row);
                const std::size_t r = row / core::row_size;
                const affine_map<T> total = folded.total(r);
                if (state.has_rows) *of_rows = set(state.rows);
                const maps* const from = of_rows + (state.has_rows ? 0 : 1);
                const auto needed = state.has_rows ? needs.of(state.rows, total) : needs.of_first(total);
                const std::size_t length = std::min(count - row, core::row_size);
                T* const to = y + first + row;
                const row_of_group<typename Input::folded_group> at{
                    folded, r, length, from, static_cast<std::size_t>(std::end(left) - from)};
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
    template <class Group>
    struct row_of_group {
        const Group& folded;
        std::size_t r, length;
        const maps* left;
        std::size_t left_count;
    };
    template <placement Where, std::size_t Used, bool Checked, class Group>
    static HWY_INLINE void scan_row(const row_of_group<Group>& row, T least, T* y) {
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
    template <bool Checked, class Group>
    static HWY_INLINE bool scan_step(const row_of_group<Group>& row, std::size_t g, const maps* left,
                                     std::size_t used, T least, V (&v)[core::run_size]) {
        const full<T> d;
        maps run = row.folded.before(row.r, g);
        V coefficients = run.a;  // at least the largest, if that is below near_results::bound
        V smallest = hn::Set(d, std::numeric_limits<T>::max());
        if (Checked && used == 1) {
            run.a = without_small<T>(run.a);
        }
        for (std::size_t m = 0; m < core::run_size; ++m) {
            const maps items = row.folded.item(row.r, g, m);
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
    template <class Group>
    static HWY_ATTR HWY_NOINLINE void scan_step_in_full(const row_of_group<Group>& row, std::size_t g,
                                                        T* to) {
        V v[core::run_size];
        scan_step<false>(row, g, row.left, row.left_count, T(0), v);
        for (std::size_t m = 0; m < core::run_size; ++m) hn::Store(v[m], full<T>(), to + m * width);
    }

    // 64-byte vectors are streamed whole or not at all, narrower ones in blocks.
    static constexpr std::size_t stream_alignment = width * sizeof(T) < 64             ? 16
                                                    : block_lanes<T> == core::run_size ? 64
                                                                                       : 0;
    static constexpr affine_kernels<T> table{stream_alignment,
                                             width,
                                             &scan_rows,
                                             &fold_rows,
                                             &affine_lanes_of<T>::scan,
                                             &affine_lanes_of<T>::fold,
                                             &folds::make_powers,
                                             &scan_rows_of,
                                             &fold_rows_of};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
