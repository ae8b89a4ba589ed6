// A scan of the tree in two halves: nest_rows leaves V (+) L in the order of the elements, in a buffer that a
// cache holds, and finish_rows puts S, T and R before it.
//
// Between the halves the totals of tiles are known, so that threads share a scan without reading its input
// twice. The second half goes over neighbours and fills one cache line after the other, which suits results
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
    using layout::runs;
    using layout::step;
    using layout::width;

    static constexpr std::size_t stream_alignment = 16;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    static HWY_INLINE void fold_runs(V (&v)[core::run_size]) {
        for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
    }

    // What stands to the left of a tile: S (+) (T (+) nested), T (+) nested, or nothing but identities.
    template <std::size_t Parts>
    struct outer_parts {
        V s, t;
        HWY_INLINE V operator()(V nested) const {
            if constexpr (Parts >= 1) nested = op(t, nested);
            if constexpr (Parts >= 2) nested = op(s, nested);
            return nested;
        }
    };

    // Rows whose first half is done at once. Where whole runs make a block, or a vector, a vector holds
    // neighbouring runs of one row, and four rows are transposed so that it holds an element of each run;
    // otherwise a lane is a row.
    static constexpr bool holds_runs = layout::block_is_run || width == core::run_size;
    static constexpr std::size_t nest_rows_at_once = holds_runs ? core::run_size : width;
    static constexpr std::size_t nest_size = nest_rows_at_once * core::row_size;

    // The first half of that many rows; their totals to `row_totals`. `ahead`, unless null: as many bytes to
    // ask for meanwhile.
    template <bool Exclusive, bool Backwards>
    static HWY_INLINE void nest_group(const T* x, T* nested, T* row_totals, const T* ahead) {
        const full<T> d;
        if constexpr (holds_runs) {
            const hn::CappedTag<T, core::run_size> one;
            auto before = hn::Set(one, Op::template identity<T>());
            x = at<Backwards>(x, 0, core::row_size);
            nested = at<Backwards>(nested, 0, core::row_size);
            for (std::size_t i = 0; i < core::row_size / width; ++i) {
                if (ahead != nullptr) prefetch(ahead, i * step * sizeof(T), step * sizeof(T));
                const std::size_t at_step = Backwards ? core::row_size - (i + 1) * width : i * width;
                V v[core::run_size];
                for (std::size_t r = 0; r < core::run_size; ++r)
                    v[r] = hn::LoadU(d, x + row_at<Backwards>(r) + at_step);
                transpose_runs(v);
                layout::template turn<Backwards>(v);
                fold_runs(v);
                nest_runs<Exclusive>(chain_runs<Backwards>(d, v[core::run_size - 1], before), v);
                layout::template turn<Backwards>(v);
                transpose_runs(v);
                for (std::size_t r = 0; r < core::run_size; ++r)
                    hn::StoreU(v[r], d, nested + row_at<Backwards>(r) + at_step);
            }
            hn::StoreU(before, one, row_totals);
        } else {
            V before = identity();
            for (std::size_t run = 0; run < runs; ++run) {
                if (ahead != nullptr) prefetch(ahead, run * step * sizeof(T), step * sizeof(T));
                V v[core::run_size];
                layout::template load_rows<Backwards>(x, run, v);
                fold_runs(v);
                const V total = v[core::run_size - 1];
                nest_runs<Exclusive>(before, v);
                layout::template store_rows<Backwards>(v, nested, run);
                before = op(before, total);
            }
            hn::StoreU(before, d, row_totals);
        }
    }
    // Where row r begins, from the first one on.
    template <bool Backwards>
    static constexpr std::ptrdiff_t row_at(std::size_t r) {
        return layout::template row_stride<Backwards> * static_cast<std::ptrdiff_t>(r);
    }
    static HWY_INLINE void transpose_runs(V (&v)[core::run_size]) {
        if constexpr (layout::block_is_run)
            transpose<T>(v);
        else
            layout::transpose_square(v);
    }
    // What is before each of a vector's runs, from their totals and what is before them all, which is
    // advanced.
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
            for (std::size_t m = core::run_size; --m != 0;) v[m] = op(before, v[m - 1]);
            v[0] = before;
        } else {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = op(before, v[m]);
        }
    }

    static HWY_ATTR void nest_rows(const T* x, T* nested, std::size_t n, T* starts, T* rows,
                                   const scan_pass& pass) {
        with_direction(pass, [&]<bool Backwards>() HWY_ATTR {
            if (pass.exclusive)
                nest_rows_as<true, Backwards>(x, nested, n, starts, rows, pass.ahead);
            else
                nest_rows_as<false, Backwards>(x, nested, n, starts, rows, pass.ahead);
        });
    }
    template <bool Exclusive, bool Backwards>
    static HWY_NOINLINE void nest_rows_as(const T* x, T* nested, std::size_t n, T* starts, T* rows,
                                          const void* ahead) {
        HWY_ALIGN T row_totals[nest_rows_at_once];
        constexpr std::size_t lead = std::max(nest_size, 4096 / sizeof(T));
        std::size_t first = 0;
        for (; first + nest_size <= n; first += nest_size) {
            const std::size_t wanted = first + lead;
            const T* next = nullptr;
            if (wanted + nest_size <= n) {
                next = at<Backwards>(x, wanted, nest_size);
            } else if (ahead != nullptr) {  // perhaps behind what is there, but only to be asked for
                const std::size_t elements = Backwards ? 2 * n - wanted - nest_size : wanted - n;
                next = reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(ahead) +
                                                  elements * sizeof(T));
            }
            nest_group<Exclusive, Backwards>(at<Backwards>(x, first, 1), at<Backwards>(nested, first, 1),
                                             row_totals, next);
            for (const T total : row_totals) {
                *starts++ = *rows;
                *rows = Op()(*rows, total);
            }
        }
        if (first != n)
            portable::tree<T, Op>::nest_rows(at<Backwards>(x, first, 1), at<Backwards>(nested, first, 1),
                                             n - first, starts, rows,
                                             {placement::cached, Exclusive, Backwards, nullptr});
    }

    static HWY_ATTR void finish_rows(const T* nested, const T* starts, T* y, std::size_t n, T supers, T tiles,
                                     const scan_pass& pass) {
        const full<T> d;
        const outer_parts<2> outer{hn::Set(d, supers), hn::Set(d, tiles)};
        const std::size_t rows = n / core::row_size;
        const T* from = pass.backwards ? nested - (core::row_size - 1) : nested;
        T* to = pass.backwards ? y - (core::row_size - 1) : y;
        const std::ptrdiff_t row_step = pass.backwards ? -static_cast<std::ptrdiff_t>(core::row_size)
                                                       : static_cast<std::ptrdiff_t>(core::row_size);
        const auto finish = [&](const auto& store) HWY_ATTR {
            for (std::size_t r = 0; r < rows; ++r, from += row_step, to += row_step) {
                const V start = hn::Set(d, starts[r]);
                for (std::size_t i = 0; i < core::row_size; i += width)
                    store(outer(op(start, hn::LoadU(d, from + i))), to + i);
            }
        };
        if (pass.where == placement::cached)
            finish([&](V v, T* p) HWY_ATTR { hn::StoreU(v, d, p); });
        else if (reinterpret_cast<std::uintptr_t>(to) % (width * sizeof(T)) == 0)
            finish([&](V v, T* p) HWY_ATTR { hn::Stream(v, d, p); });
        else
            finish([&](V v, T* p) HWY_ATTR {
                store_blocks<placement::streamed>(v, d, p, static_cast<std::ptrdiff_t>(block_lanes<T>));
            });
    }
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
