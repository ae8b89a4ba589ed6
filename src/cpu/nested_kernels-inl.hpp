// A scan of the tree in two halves: the first leaves V (+) L in the order of the elements, in a buffer that a
// cache holds, and the second puts S, T and R before it.
//
// Left folds become plain vector operations once neighbouring operands stand in different registers. Runs of
// four rows are transposed into registers a, b, c, d, so that their left folds are b = a (+) b, c = b (+) c,
// d = c (+) d; d is the runs' totals, whose left folds in each row, V, are a chain of operations on four rows
// at once. V (+) L is transposed back. Cost per vector: 4 shuffles and a few to take vectors apart and put
// them together, 3 to 5 operations, 2 loads and 2 stores.
//
// The second half goes over neighbours and fills one cache line after the other, which suits results
// that are streamed: a line that stays half written for long is written to memory in parts.

#if defined(UPSWEEP_NESTED_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_NESTED_KERNELS_INL_HPP
#undef UPSWEEP_NESTED_KERNELS_INL_HPP
#else
#define UPSWEEP_NESTED_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/portable_kernels.hpp"
#include "src/cpu/tree_layout-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct nested_tree : tree_layout<T> {
    using layout = tree_layout<T>;
    using V = typename layout::V;
    using layout::step;
    using layout::width;

    static constexpr std::size_t stream_alignment = 16;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    // The same, for what no chain waits for. A sum as b * 1 + a, which is rounded once and so has the same
    // bits: the units that multiply are otherwise idle, while one of those that add has to shuffle as well
    // (AMD).
    static HWY_INLINE V op_aside(V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
        if constexpr (std::is_same_v<Op, plus>) return hn::MulAdd(b, hn::Set(full<T>(), T(1)), a);
#endif
        return op(a, b);
    }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    static HWY_INLINE void fold_runs(V (&v)[core::run_size]) {
        for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
    }

    // What stands to the left of a tile: S (+) (T (+) nested), T (+) nested, or nothing but identities.
    template <std::size_t Parts>
    struct outer_parts {
        V s, t;
        HWY_INLINE V operator()(V nested) const {
            if constexpr (Parts >= 1) nested = op_aside(t, nested);
            if constexpr (Parts >= 2) nested = op_aside(s, nested);
            return nested;
        }
    };

    // The first half is done for a group of rows at once, in four registers. Where a vector holds whole runs,
    // those have vectors of four rows, or two neighbouring vectors of each of two rows, and are transposed so
    // that each holds one element of every run: lane r of its four belongs to row r, or the pair of lanes.
    // Otherwise a lane is a row.
    static constexpr bool holds_runs = width >= core::run_size;
    static constexpr std::size_t nest_rows_at_once = holds_runs ? core::run_size : width;
    static constexpr std::size_t nest_size = nest_rows_at_once * core::row_size;
    template <std::size_t Rows>
    static constexpr std::size_t columns = holds_runs ? core::run_size / Rows : 1;  // of vectors, in each row

    // Where `count` elements of a row lie, from the i-th on in its order.
    template <bool Backwards>
    static constexpr std::size_t place(std::size_t i, std::size_t count) {
        return Backwards ? core::row_size - i - count : i;
    }
    // Folds the first `length` elements of some rows, which begin at the lowest addresses `from`, within runs
    // and rows, a step at a time. keep(i, before, v) is given of the steps at elements i what stands before
    // each of their runs, and the folds within those. The totals of rows are those of `length` elements.
    template <bool Backwards, std::size_t Rows, class Keep>
    static HWY_INLINE void fold_group(const T* const (&from)[Rows], std::size_t length, T (&row_totals)[Rows],
                                      const Keep& keep) {
        const full<T> d;
        if constexpr (holds_runs) {
            constexpr std::size_t k = columns<Rows>;
            const hn::CappedTag<T, core::run_size> one;
            auto before = hn::Set(one, Op::template identity<T>());
            for (std::size_t i = 0; i < length; i += k * width) {
                V v[core::run_size];
                for (std::size_t q = 0; q < core::run_size; ++q)
                    v[q] = hn::LoadU(d, from[q / k] + place<Backwards>(i + q % k * width, width));
                layout::transpose_runs(v);
                layout::template turn<Backwards>(v);
                fold_runs(v);
                keep(i, chain_columns<Backwards, k>(v[core::run_size - 1], before), v);
            }
            HWY_ALIGN T totals[core::run_size];
            hn::Store(before, one, totals);
            for (std::size_t r = 0; r < Rows; ++r) row_totals[r] = totals[r * k];
        } else {
            static_assert(Rows == width && width == block_lanes<T>);
            V before = identity();
            for (std::size_t i = 0; i < length; i += core::run_size) {
                V v[core::run_size];
                for (std::size_t m = 0; m < core::run_size; m += width) {
                    V part[width];
                    for (std::size_t r = 0; r < width; ++r)
                        part[r] = hn::LoadU(d, from[r] + place<Backwards>(i, core::run_size) + m);
                    transpose<T>(part);
                    for (std::size_t r = 0; r < width; ++r) v[m + r] = part[r];
                }
                layout::template turn<Backwards>(v);
                fold_runs(v);
                const V total = v[core::run_size - 1];
                keep(i, before, v);
                before = op(before, total);
            }
            HWY_ALIGN T totals[width];
            hn::Store(before, d, totals);
            for (std::size_t r = 0; r < Rows; ++r) row_totals[r] = totals[r];
        }
    }
    // The first half, to the rows `to`. A row may be given several times, and its element i is read before
    // to[i] is written. meanwhile(i) is called once a step.
    template <bool Exclusive, bool Backwards, std::size_t Rows, class Meanwhile>
    static HWY_INLINE void nest_group(const T* const (&from)[Rows], T* const (&to)[Rows], std::size_t length,
                                      T (&row_totals)[Rows], const Meanwhile& meanwhile) {
        const full<T> d;
        const auto keep = [&](std::size_t i, V before, V(&v)[core::run_size]) HWY_ATTR {
            nest_runs<Exclusive>(before, v);
            layout::template turn<Backwards>(v);
            if constexpr (holds_runs) {
                constexpr std::size_t k = columns<Rows>;
                layout::transpose_runs(v);
                for (std::size_t q = 0; q < core::run_size; ++q)
                    hn::StoreU(v[q], d, to[q / k] + place<Backwards>(i + q % k * width, width));
            } else {
                for (std::size_t m = 0; m < core::run_size; m += width) {
                    V part[width];
                    for (std::size_t r = 0; r < width; ++r) part[r] = v[m + r];
                    transpose<T>(part);
                    for (std::size_t r = 0; r < width; ++r)
                        hn::StoreU(part[r], d, to[r] + place<Backwards>(i, core::run_size) + m);
                }
            }
            meanwhile(i);
        };
        fold_group<Backwards>(from, length, row_totals, keep);
    }
    // What is before each of a step's runs, from their totals and what is before them all, which is advanced.
    template <bool Backwards, std::size_t Columns, class Run>
    static HWY_INLINE V chain_columns(V totals, Run& before) {
        const full<T> d;
        if constexpr (Columns == 1) {
            return chain_runs<Backwards>(d, totals, before);
        } else {
            static_assert(Columns == 2);  // of each pair of lanes, the second continues the first
            const V first = chain_runs<Backwards>(d, hn::DupEven(totals), before);
            const V second = chain_runs<Backwards>(d, hn::DupOdd(totals), before);
            return hn::OddEven(second, first);
        }
    }
    // The same for one vector of every row.
    template <bool Backwards, class D, class Run>
    static HWY_INLINE hn::Vec<D> chain_runs(D d, hn::Vec<D> totals, Run& before) {
        if constexpr (hn::MaxLanes(D()) == core::run_size) {
            const Run all = before;
            before = combine(Op(), before, totals);
            return all;
        } else {
            const hn::Half<D> half;
            const auto lower = hn::LowerHalf(half, totals), upper = hn::UpperHalf(half, totals);
            const auto first = chain_runs<Backwards>(half, Backwards ? upper : lower, before);
            const auto second = chain_runs<Backwards>(half, Backwards ? lower : upper, before);
            return Backwards ? hn::Combine(d, first, second) : hn::Combine(d, second, first);
        }
    }
    // From the folds within runs and what is before them in their rows.
    template <bool Exclusive>
    static HWY_INLINE void nest_runs(V before, V (&v)[core::run_size]) {
        if constexpr (Exclusive) {
            for (std::size_t m = core::run_size; --m != 0;) v[m] = op_aside(before, v[m - 1]);
            v[0] = before;
        } else {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = op_aside(before, v[m]);
        }
    }

    // A whole group of neighbouring rows.
    template <bool Exclusive, bool Backwards, class Meanwhile>
    static HWY_INLINE void nest_whole(const T* x, T* nested, T (&row_totals)[nest_rows_at_once],
                                      const Meanwhile& meanwhile) {
        const T* from[nest_rows_at_once];
        T* to[nest_rows_at_once];
        for (std::size_t r = 0; r < nest_rows_at_once; ++r) {
            from[r] = at<Backwards>(x, r * core::row_size, core::row_size);
            to[r] = at<Backwards>(nested, r * core::row_size, core::row_size);
        }
        nest_group<Exclusive, Backwards>(from, to, core::row_size, row_totals, meanwhile);
    }
    // At most Rows rows, of which the last may be part-filled: n elements. What follows them in its row
    // counts as identities. The first row goes to `first_to`.
    template <bool Exclusive, bool Backwards, std::size_t Rows>
    static HWY_INLINE void nest_part(const T* x, T* nested, std::size_t n, T (&row_totals)[Rows],
                                     T* first_to) {
        HWY_ALIGN T spare[core::row_size];  // the part-filled row, and where rows that are not there go
        constexpr std::size_t at_once = holds_runs ? columns<Rows> * width : core::run_size;
        const std::size_t whole = n / core::row_size, few = n % core::row_size;
        const std::size_t length = whole != 0 ? core::row_size : (few + at_once - 1) / at_once * at_once;
        if (few != 0) {
            const T* const last_row = at<Backwards>(x, whole * core::row_size, core::row_size);
            layout::template fill_row<Backwards>(last_row, few, length, identity(), spare);
        }
        const T* from[Rows];
        T* to[Rows];
        for (std::size_t r = 0; r < Rows; ++r) {
            const bool is_whole = r < whole, is_there = r * core::row_size < n;
            from[r] = is_whole             ? at<Backwards>(x, r * core::row_size, core::row_size)
                      : is_there || r == 0 ? spare
                                           : from[0];
            to[r] = r == 0     ? first_to
                    : is_there ? at<Backwards>(nested, r * core::row_size, core::row_size)
                               : spare;
        }
        nest_group<Exclusive, Backwards>(from, to, length, row_totals, [](std::size_t) HWY_ATTR {});
    }

    // The second half of the first `length` elements of a row: store(v, i, lies) of the results from element
    // i on, which lie from `lies` on in the row.
    template <bool Backwards, class Outer, class Store>
    static HWY_INLINE void finish_row(const T* nested, T start, const Outer& outer, std::size_t length,
                                      const Store& store) {
        const full<T> d;
        const V before = hn::Set(d, start);
        for (std::size_t i = 0; i < length; i += width) {
            const std::size_t lies = place<Backwards>(i, width);
            store(outer(op_aside(before, hn::LoadU(d, nested + lies))), i, lies);
        }
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
