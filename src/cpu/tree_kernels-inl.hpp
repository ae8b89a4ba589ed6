// Sums and products that round, by the tree of docs/numerics.md: the table of their kernels, and the scan
// that does both halves of nested_kernels-inl.hpp one after the other, a group of rows at a time.
//
// The buffer between the halves stays in the first-level cache. What is left of a group is done by a smaller
// one; the last row may be part-filled. Where caches hold input and output, the second half of one group is
// done along with the first of the next.

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
#include <utility>

#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/nested_kernels-inl.hpp"
#include "src/cpu/strip_kernels-inl.hpp"
#include "src/cpu/tree_folds-inl.hpp"
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
    template <std::size_t Parts>
    using outer_parts = typename base::template outer_parts<Parts>;
    using base::nest_rows_at_once;
    using base::nest_size;
    using layout::step;
    using layout::width;

    static HWY_ATTR void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                   const scan_pass& pass, T* last) {
        if (n <= scalar_size) return scan_few(x, y, n, supers, tiles, rows, pass, last);
        with_direction(pass, [&]<bool Backwards>() HWY_ATTR {
            if (pass.exclusive)
                scan_as<true, Backwards>(x, y, n, supers, tiles, rows, pass, last);
            else
                scan_as<false, Backwards>(x, y, n, supers, tiles, rows, pass, last);
        });
        if (last != nullptr && n % core::row_size == 0) *last = Op()(supers, Op()(tiles, *rows));
    }
    template <bool Exclusive, bool Backwards>
    static HWY_INLINE void scan_as(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                   const scan_pass& pass, T* last) {
        constexpr auto cached = placement::cached;
        const bool no_supers = is_identity(supers);
        const bool nothing = no_supers && is_identity(tiles);  // before the rows
        const std::size_t whole = n / nest_size * nest_size;
        if (whole != 0) {
            if (pass.where == placement::streamed)
                scan_whole<Exclusive, Backwards, placement::streamed, 2>(x, y, whole, n, supers, tiles, rows,
                                                                         pass);
            else if (nothing)
                scan_whole<Exclusive, Backwards, cached, 0>(x, y, whole, n, supers, tiles, rows, pass);
            else if (no_supers)
                scan_whole<Exclusive, Backwards, cached, 1>(x, y, whole, n, supers, tiles, rows, pass);
            else
                scan_whole<Exclusive, Backwards, cached, 2>(x, y, whole, n, supers, tiles, rows, pass);
            if (whole == n) return;
        }
        const T* const from = at<Backwards>(x, whole, 1);
        T* const to = at<Backwards>(y, whole, 1);
        if (nothing)
            scan_rest<Exclusive, Backwards, 0>(from, to, n - whole, supers, tiles, rows, last);
        else
            scan_rest<Exclusive, Backwards, 2>(from, to, n - whole, supers, tiles, rows, last);
    }
    // By its bits: +0 is no identity of sums.
    static HWY_INLINE bool is_identity(T value) {
        constexpr T identity = Op::template identity<T>();
        return std::memcmp(&value, &identity, sizeof(T)) == 0;
    }

    // Whether lines of results are asked for before they are written: stores of doubles wait for those that
    // the second-level cache has, a quarter of all time. Floats take as long to compute, and asking holds
    // them up; so does the steady order, unless it streams.
    static constexpr bool waits_for_lines = sizeof(T) == 8;
    static constexpr std::size_t claim_lead = 1024 / sizeof(T);

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

    // Whole groups, the first n of `all` elements.
    template <bool Exclusive, bool Backwards, placement Where, std::size_t Parts>
    static HWY_NOINLINE void scan_whole(const T* x, T* y, std::size_t n, std::size_t all, T supers, T tiles,
                                        T* rows, const scan_pass& pass) {
        const outer_parts<Parts> outer{hn::Set(full<T>(), supers), hn::Set(full<T>(), tiles)};
        const bool in_caches = Where == placement::cached && pass.ahead.from == nullptr;
        const bool steady = in_caches || (pass.steady && (Where == placement::streamed || waits_for_lines));
        if (!steady || n < 4 * nest_size)
            return scan_groups<Exclusive, Backwards, Where>(x, y, n, outer, rows, pass.ahead, all);
        if constexpr (Where == placement::cached) {
            if (!waits_for_lines || (in_caches && !pass.claims))
                return scan_groups_steadily<Exclusive, Backwards, Where, false>(x, y, n, outer, rows,
                                                                                pass.ahead, all);
        }
        if constexpr (Where == placement::streamed || waits_for_lines)
            scan_groups_steadily<Exclusive, Backwards, Where, true>(x, y, n, outer, rows, pass.ahead, all);
    }
    // Results are stored in bursts, and what is asked for ahead between those.
    template <bool Exclusive, bool Backwards, placement Where, class Outer>
    static HWY_INLINE void scan_groups(const T* x, T* y, std::size_t n, const Outer& outer, T* rows,
                                       const input_ahead& ahead, std::size_t all) {
        HWY_ALIGN T buffer[nest_size];
        T totals[nest_rows_at_once];
        T* const nested = Backwards ? buffer + nest_size - 1 : buffer;
        for (std::size_t first = 0; first < n; first += nest_size) {
            base::template nest_whole<Exclusive, Backwards>(
                at<Backwards>(x, first, 1), nested, totals, [&](std::size_t i) HWY_ATTR {
                    prefetch<Backwards>(ahead, first + i * nest_rows_at_once, step, all, sizeof(T));
                });
            T* const to = at<Backwards>(y, first, 1);
            for (std::size_t r = 0; r < nest_rows_at_once; ++r)
                scan_row<Where, Backwards>(nested, r, to, outer, rows, totals[r]);
        }
    }
    // The same with both halves at once, the second of the group before, so that neither waits: a step of
    // each, and what is asked for ahead, in turn.
    template <bool Exclusive, bool Backwards, placement Where, bool Asks, class Outer>
    static HWY_INLINE void scan_groups_steadily(const T* x, T* y, std::size_t n, const Outer& outer, T* rows,
                                                const input_ahead& ahead, std::size_t all) {
        const full<T> d;
        // Two groups and, on either side, a vector of what follows one of them in the order of the sequence.
        HWY_ALIGN T buffer[width + 2 * nest_size + width];
        T* const first_half = buffer + width;
        T *nested = first_half, *before = first_half + nest_size;    // of this group and of the one before
        T starts[nest_rows_at_once + 1], totals[nest_rows_at_once];  // of rows, and of what follows them
        // Vectors are streamed to where memory has their like. So those of a row may lie a few elements
        // further on in the order of the sequence, and the last of them then ends in the next row.
        const std::size_t shift = Where == placement::streamed ? until_aligned<Backwards>(y, width, n) : 0;
        // Of the group before, rows from the lowest address up.
        const auto start_of = [&](std::size_t row) HWY_ATTR {
            return hn::Set(d, starts[Backwards ? nest_rows_at_once - 1 - row : row]);
        };
        const auto start_across = [&](std::size_t row) HWY_ATTR {
            return hn::IfThenElse(hn::FirstN(d, Backwards ? shift : width - shift),
                                  start_of(Backwards ? row - 1 : row), start_of(Backwards ? row : row + 1));
        };
        const auto results = [&](V start, const T* p)
                                 HWY_ATTR { return outer(base::op_aside(start, hn::LoadU(d, p))); };
        const auto store = [&](V v, T* p) HWY_ATTR {
            if constexpr (Where == placement::streamed)
                hn::Stream(v, d, p);
            else
                hn::StoreU(v, d, p);
        };
        // The results of the step at the i-th lowest element, which lie from `to` on.
        const auto finish = [&](std::size_t i, T* to, bool is_last_group) HWY_ATTR {
            const std::size_t row = i / core::row_size;
            const V start = start_of(row);
            const T* const from = Backwards ? before + i - shift : before + i + shift;
            to = Backwards ? to + i - shift : to + i + shift;
            constexpr std::size_t last =
                Backwards ? 0 : step - width;  // vector, which may end in the next row
            for (std::size_t k = 0; k < step; k += width) {
                if (k != last) store(results(start, from + k), to + k);
            }
            const std::size_t edge = Backwards ? i : i + step;
            if (shift == 0 || edge % core::row_size != 0)
                store(results(start, from + last), to + last);
            else if (!is_last_group || edge % nest_size != 0)
                store(results(start_across(row), from + last), to + last);
            else
                layout::template store_few<Backwards>(results(start, from + last), to + last, width - shift);
        };
        const auto nest = [&](std::size_t first, const auto& meanwhile) HWY_ATTR {
            base::template nest_whole<Exclusive, Backwards>(
                at<Backwards>(x, first, 1), Backwards ? nested + nest_size - 1 : nested, totals, meanwhile);
            for (std::size_t r = 0; r < nest_rows_at_once; ++r) {
                starts[r] = *rows;
                *rows = Op()(*rows, totals[r]);
            }
            starts[nest_rows_at_once] = *rows;
            std::swap(nested, before);
        };
        // The first vector of the group that is being nested, next to the one before.
        const auto put_beside = [&] HWY_ATTR {
            if (Backwards && before == first_half)
                hn::Store(hn::Load(d, nested + nest_size - width), d, buffer);
            else if (!Backwards && before != first_half)
                hn::Store(hn::Load(d, nested), d, first_half + 2 * nest_size);
        };

        const auto ask = [&](std::size_t i) HWY_ATTR {
            if constexpr (!Asks) {
                return;
            } else if constexpr (Where == placement::streamed) {
                prefetch<Backwards>(input_ahead{ahead.from, true}, i, step, all, sizeof(T));
            } else {
                if (x != y) claim<Backwards>(y, i + claim_lead, step, all);
                prefetch<Backwards>(ahead, i, step, all, sizeof(T));
            }
        };

        for (std::size_t first = 0; first < n; first += nest_size) {
            const bool has_before = first != 0;
            const std::size_t done = has_before ? first - nest_size : 0;
            T* const to = at<Backwards>(y, done, nest_size);
            nest(first, [&](std::size_t i) HWY_ATTR {
                if (!has_before) return;
                if (Where == placement::streamed && i == 0) put_beside();
                ask(done + i * nest_rows_at_once);
                finish(i * nest_rows_at_once, to, false);
            });
            if (!has_before && shift != 0) {
                const std::size_t k = Backwards ? nest_size - width : 0;
                layout::template store_few<Backwards>(results(start_of(k / core::row_size), before + k),
                                                      at<Backwards>(y, 0, width), shift);
            }
        }
        for (std::size_t i = 0; i < nest_size; i += step) {
            ask(n - nest_size + i);
            finish(i, at<Backwards>(y, n - nest_size, nest_size), true);
        }
    }
    template <placement Where, bool Backwards, class Outer>
    static HWY_INLINE void scan_row(const T* nested, std::size_t r, T* y, const Outer& outer, T* rows,
                                    T total) {
        const full<T> d;
        T* const to = at<Backwards>(y, r * core::row_size, core::row_size);
        const T* const from = at<Backwards>(nested, r * core::row_size, core::row_size);
        const auto finish = [&](const auto& store) HWY_ATTR {
            // From the lowest address up in either direction: what is streamed fills lines faster so.
            base::template finish_row<false>(from, *rows, outer, core::row_size,
                                             [&](V v, std::size_t, std::size_t lies)
                                                 HWY_ATTR { store(v, to + lies); });
        };
        if constexpr (Where == placement::cached)
            finish([&](V v, T* p) HWY_ATTR { hn::StoreU(v, d, p); });
        else if (reinterpret_cast<std::uintptr_t>(to) % (width * sizeof(T)) == 0)
            finish([&](V v, T* p) HWY_ATTR { hn::Stream(v, d, p); });
        else
            finish([&](V v, T* p) HWY_ATTR {
                store_blocks<Where>(v, d, p, static_cast<std::ptrdiff_t>(block_lanes<T>));
            });
        *rows = Op()(*rows, total);
    }
    // What is left after whole groups, or a short sequence. Of what is before the rows all is taken or
    // nothing.
    template <bool Exclusive, bool Backwards, std::size_t Parts>
    static HWY_NOINLINE void scan_rest(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, T* last) {
        if (nest_rows_at_once == 2 || n > 2 * core::row_size)
            scan_part<Exclusive, Backwards, Parts, nest_rows_at_once>(x, y, n, supers, tiles, rows, last);
        else
            scan_part<Exclusive, Backwards, Parts, 2>(x, y, n, supers, tiles, rows, last);
    }
    // At most Rows rows, of which the last may be part-filled. Where nothing is before a whole first row, its
    // first half is all of it.
    template <bool Exclusive, bool Backwards, std::size_t Parts, std::size_t Rows>
    static HWY_INLINE void scan_part(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, T* last) {
        const full<T> d;
        const outer_parts<Parts> outer{hn::Set(d, supers), hn::Set(d, tiles)};
        HWY_ALIGN T buffer[Rows * core::row_size];
        T row_totals[Rows];
        T* const nested = Backwards ? buffer + Rows * core::row_size - 1 : buffer;
        const std::size_t whole = n / core::row_size, few = n % core::row_size;
        const bool starts = Parts == 0 && whole != 0 && is_identity(*rows);
        base::template nest_part<Exclusive, Backwards>(x, nested, n, row_totals,
                                                       at<Backwards>(starts ? y : nested, 0, core::row_size));
        if (starts) *rows = row_totals[0];
        for (std::size_t r = starts; r < whole; ++r)
            scan_row<placement::cached, Backwards>(nested, r, y, outer, rows, row_totals[r]);
        if (few == 0) return;
        T* const row = at<Backwards>(nested, whole * core::row_size, core::row_size);
        if (last != nullptr) *last = Op()(supers, Op()(tiles, Op()(*rows, row_totals[whole])));
        T* const to = at<Backwards>(y, whole * core::row_size, core::row_size);
        base::template finish_row<Backwards>(
            row, *rows, outer, few, [&](V v, std::size_t i, std::size_t lies) HWY_ATTR {
                if (i + width <= few)
                    hn::StoreU(v, d, to + lies);
                else
                    layout::template store_few<Backwards>(v, to + lies, few - i);
            });
    }

    // Short sequences of whole vectors with nothing before them: the first half is all of it.
    static HWY_ATTR void scan_strips(const strip_block<T>& block, T start) {
        const bool nests =
            block.length <= core::row_size && block.length % std::max(width, core::run_size) == 0;
        if (!nests || !(block.last_alone || is_identity(start)))
            tree_strips<T, Op>::scan(block, start);
        else if (block.last_alone)
            fold_strips(block, start);
        else if (block.exclusive)
            nest_strips<true>(block);
        else
            nest_strips<false>(block);
    }
    static HWY_ATTR void fold_strips(const strip_block<T>& block, T start) {
        constexpr auto forget = [](std::size_t, V, V(&)[core::run_size]) HWY_ATTR {};
        T totals[nest_rows_at_once];
        const T* from[nest_rows_at_once];
        for (std::size_t first = 0; first < block.count; first += nest_rows_at_once) {
            const std::size_t there = std::min(nest_rows_at_once, block.count - first);
            for (std::size_t r = 0; r < nest_rows_at_once; ++r)  // what is not there is the last, once more
                from[r] =
                    block.x + static_cast<std::ptrdiff_t>(first + std::min(r, there - 1)) * block.x_pitch;
            base::template fold_group<false>(from, block.length, totals, forget);
            for (std::size_t r = 0; r < there; ++r) block.y[first + r] = Op()(start, totals[r]);
        }
    }
    template <bool Exclusive>
    static HWY_ATTR void nest_strips(const strip_block<T>& block) {
        T totals[nest_rows_at_once];
        const T* from[nest_rows_at_once];
        T* to[nest_rows_at_once];
        for (std::size_t first = 0; first < block.count; first += nest_rows_at_once) {
            for (std::size_t r = 0; r < nest_rows_at_once; ++r) {  // what is not there is the last, once more
                const auto sequence = static_cast<std::ptrdiff_t>(std::min(first + r, block.count - 1));
                from[r] = block.x + sequence * block.x_pitch;
                to[r] = block.y + sequence * block.y_pitch;
            }
            base::template nest_group<Exclusive, false>(from, to, block.length, totals,
                                                        [](std::size_t) HWY_ATTR {});
        }
    }

    static constexpr tree_kernels<T> table{base::stream_alignment,
                                           nest_size,
                                           lanes<T>,
                                           &scan_rows,
                                           &tree_folds<T, Op>::fold_rows,
                                           &tree_lanes<T, Op>::scan,
                                           &tree_lanes<T, Op>::fold,
                                           &scan_strips};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
