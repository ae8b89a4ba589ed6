// Sums and products that round, by the tree of docs/numerics.md: left folds become plain vector operations
// once neighbouring operands stand in different registers.
//
// A group is as many rows as a vector has lanes. (1) Every run is transposed into four registers a, b, c, d,
// so that its left fold is b = a (+) b, c = b (+) c, d = c (+) d; d holds run totals. (2) The run totals are
// transposed so that a lane is a row, and folded: 32 steps for all rows of the group at once. (3) Every
// element becomes S (+) (T (+) (R (+) (V (+) L))).
//
// Cost per element with 8 lanes: about 0.8 shuffles, 1.4 operations, 0.6 loads and 0.6 stores in the
// first-level cache.

#if defined(UPSWEEP_TREE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_KERNELS_INL_HPP
#undef UPSWEEP_TREE_KERNELS_INL_HPP
#else
#define UPSWEEP_TREE_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "src/cpu/lane_kernels-inl.hpp"
#include "src/cpu/vector-inl.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // the portable level needs no vector bodies
HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {

template <class T, class Op>
struct tree {
    static constexpr std::size_t width = lanes<T>;
    static constexpr std::size_t runs = core::row_size / core::run_size;
    static constexpr std::size_t group_rows = width;
    static constexpr std::size_t group_size = group_rows * core::row_size;
    static constexpr std::size_t step = width * core::run_size;  // elements that four registers hold
    static constexpr std::size_t row_steps = core::row_size / step;
    using V = vector<T>;

    // 64-byte vectors are streamed whole or not at all, narrower ones in blocks.
    static constexpr std::size_t stream_alignment = width * sizeof(T) < 64             ? 16
                                                    : block_lanes<T> == core::run_size ? 64
                                                                                       : 0;

    // Rows of a group, padded so that columns of run totals fall into different cache sets.
    static constexpr std::size_t totals_stride = runs + block_lanes<T>;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    // Where a run is exactly a 128-bit block, whole vectors are loaded as they lie and lane q of block b
    // holds run q * blocks + b; otherwise lane l holds run l. Backwards, the step's first run is the one that
    // lies last.
    static constexpr bool block_is_run = block_lanes<T> == core::run_size;
    static constexpr std::size_t blocks = width / block_lanes<T>;
    // The lane that holds the i-th run of a step.
    template <bool Backwards>
    static constexpr std::size_t lane_of(std::size_t i) {
        const std::size_t lying = Backwards ? width - 1 - i : i;
        return block_is_run ? lying % blocks * block_lanes<T> + lying / blocks : lying;
    }
    // Where elements [first, first + count) lie.
    template <bool Backwards, class P>
    static HWY_INLINE P* at(P* x, std::size_t first, std::size_t count) {
        return Backwards ? x - (first + count - 1) : x + first;
    }

    // Four vectors of four lanes in two blocks, transposed.
    static HWY_INLINE void transpose_square(V (&v)[core::run_size]) {
        const full<T> d;
        const V a = hn::InterleaveLower(d, v[0], v[1]);
        const V b = hn::InterleaveUpper(d, v[0], v[1]);
        const V c = hn::InterleaveLower(d, v[2], v[3]);
        const V e = hn::InterleaveUpper(d, v[2], v[3]);
        v[0] = hn::ConcatLowerLower(d, c, a);
        v[1] = hn::ConcatLowerLower(d, e, b);
        v[2] = hn::ConcatUpperUpper(d, c, a);
        v[3] = hn::ConcatUpperUpper(d, e, b);
    }
    template <bool Backwards>
    static HWY_INLINE void turn(V (&v)[core::run_size]) {
        if constexpr (Backwards) {
            std::swap(v[0], v[3]);
            std::swap(v[1], v[2]);
        }
    }
    // v[m] holds item m of every run of the step that lies at x.
    template <bool Backwards>
    static HWY_INLINE void load_runs(const T* x, V (&v)[core::run_size]) {
        if constexpr (block_is_run) {
            load_interleaved<T>(x, v);
        } else if constexpr (width == core::run_size) {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = hn::LoadU(full<T>(), x + m * width);
            transpose_square(v);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                load_transposed<T>(x + m, core::run_size, part);
                for (std::size_t i = 0; i < k; ++i) v[m + i] = part[i];
            }
        }
        turn<Backwards>(v);
    }
    template <placement Where, bool Backwards>
    static HWY_INLINE void store_runs(V (&v)[core::run_size], T* y) {
        turn<Backwards>(v);
        if constexpr (block_is_run) {
            store_interleaved<Where, T>(v, y);
        } else if constexpr (width == core::run_size) {
            transpose_square(v);
            for (std::size_t m = 0; m < core::run_size; ++m) {
                if constexpr (Where == placement::cached)
                    hn::StoreU(v[m], full<T>(), y + m * width);
                else
                    store_blocks<Where>(v[m], full<T>(), y + m * width,
                                        static_cast<std::ptrdiff_t>(block_lanes<T>));
            }
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                for (std::size_t i = 0; i < k; ++i) part[i] = v[m + i];
                store_transposed<Where, T>(part, y + m, core::run_size);
            }
        }
    }
    static HWY_INLINE void fold_runs(V (&v)[core::run_size]) {
        for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
    }

    static HWY_INLINE void load_columns(const T* p, std::size_t stride, V (&column)[width]) {
        if constexpr (!block_is_run && width == core::run_size) {
            for (std::size_t r = 0; r < width; ++r) column[r] = hn::LoadU(full<T>(), p + r * stride);
            transpose_square(column);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t b = 0; b < width; b += k) {
                V part[k];
                load_transposed<T>(p + b, static_cast<std::ptrdiff_t>(stride), part);
                for (std::size_t i = 0; i < k; ++i) column[b + i] = part[i];
            }
        }
    }
    static HWY_INLINE void store_columns(V (&column)[width], T* p, std::size_t stride) {
        if constexpr (!block_is_run && width == core::run_size) {
            transpose_square(column);
            for (std::size_t r = 0; r < width; ++r) hn::StoreU(column[r], full<T>(), p + r * stride);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t b = 0; b < width; b += k) {
                V part[k];
                for (std::size_t i = 0; i < k; ++i) part[i] = column[b + i];
                store_transposed<placement::cached, T>(part, p + b, static_cast<std::ptrdiff_t>(stride));
            }
        }
    }

    // Folds the run totals of every row, a lane a row, and replaces each by the fold of those before it.
    template <bool Backwards>
    static HWY_INLINE V fold_totals(const T* totals, T* before, std::size_t before_stride) {
        V accumulated = identity();
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width];  // lane r of column[i] is total j + i of row r
            load_columns(totals + j, totals_stride, column);
            for (std::size_t i = 0; i < width; ++i) {
                V& here = column[lane_of<Backwards>(i)];
                const V total = here;
                here = accumulated;
                accumulated = op(accumulated, total);
            }
            store_columns(column, before + j, before_stride);
        }
        return accumulated;
    }
    // fold_totals for a single row: a chain of 31 operations.
    template <bool Backwards>
    static HWY_INLINE T fold_one(const T* totals, T* before, std::size_t steps = row_steps) {
        T accumulated = Op::template identity<T>();
        for (std::size_t j = 0; j < steps * width; j += width) {
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t lane = j + lane_of<Backwards>(i);
                const T total = totals[lane];
                before[lane] = accumulated;
                accumulated = Op()(accumulated, total);
            }
        }
        return accumulated;
    }

    // The run totals of the row that lies at x, in the order of the lanes.
    template <bool Backwards>
    static HWY_INLINE void row_run_totals(const T* x, T* totals) {
        for (std::size_t g = 0; g < row_steps; ++g) {
            V v[core::run_size];
            load_runs<Backwards>(x + (Backwards ? row_steps - 1 - g : g) * step, v);
            fold_runs(v);
            hn::StoreU(v[core::run_size - 1], full<T>(), totals + g * width);
        }
    }

    static HWY_ATTR void fold_rows(const T* x, std::size_t n, T* rows, T* runs_before, T* row_starts,
                                   bool backwards) {
        if (backwards)
            fold_rows_as<true>(x, n, rows, runs_before, row_starts);
        else
            fold_rows_as<false>(x, n, rows, runs_before, row_starts);
    }
    template <bool Backwards>
    static HWY_ATTR void fold_rows_as(const T* x, std::size_t n, T* rows, T* runs_before, T* row_starts) {
        const full<T> d;
        HWY_ALIGN T totals[group_rows * totals_stride];
        HWY_ALIGN T row_totals[group_rows];
        std::size_t row = 0;
        const std::size_t row_count = n / core::row_size;
        for (; row + group_rows <= row_count; row += group_rows) {
            for (std::size_t r = 0; r < group_rows; ++r)
                row_run_totals<Backwards>(at<Backwards>(x, (row + r) * core::row_size, core::row_size),
                                          totals + r * totals_stride);
            hn::Store(fold_totals<Backwards>(totals, runs_before + row * runs, runs), d, row_totals);
            for (std::size_t r = 0; r < group_rows; ++r) {
                row_starts[row + r] = *rows;
                *rows = Op()(*rows, row_totals[r]);
            }
        }
        for (; row < row_count; ++row) {
            row_run_totals<Backwards>(at<Backwards>(x, row * core::row_size, core::row_size), totals);
            row_starts[row] = *rows;
            *rows = Op()(*rows, fold_one<Backwards>(totals, runs_before + row * runs));
        }
    }

    // The results of one step from `run`, what is to the left of its runs, and the folds within them.
    template <bool Exclusive, class Folded>
    static HWY_INLINE void finish_step(V s, V t, V before, V run, const Folded& folded,
                                       V (&v)[core::run_size]) {
        const auto left = [&](V nested) HWY_ATTR { return op(s, op(t, op(before, nested))); };
        if constexpr (Exclusive) {
            for (std::size_t m = core::run_size; --m != 0;) v[m] = left(op(run, folded(m - 1)));
            v[0] = left(run);
        } else {
            for (std::size_t m = 0; m < core::run_size; ++m) v[m] = left(op(run, folded(m)));
        }
    }

    static HWY_ATTR void scan_folded(const T* x, T* y, std::size_t n, T supers, T tiles, const T* runs_before,
                                     const T* row_starts, const scan_pass& pass) {
        with_pass(pass, [&]<placement Where, bool Backwards>() HWY_ATTR {
            if (pass.exclusive)
                scan_folded_as<Where, Backwards, true>(x, y, n, supers, tiles, runs_before, row_starts,
                                                       pass.ahead);
            else
                scan_folded_as<Where, Backwards, false>(x, y, n, supers, tiles, runs_before, row_starts,
                                                        pass.ahead);
        });
    }
    template <placement Where, bool Backwards, bool Exclusive>
    static HWY_ATTR void scan_folded_as(const T* x, T* y, std::size_t n, T supers, T tiles,
                                        const T* runs_before, const T* row_starts, const void* ahead) {
        const full<T> d;
        const V s = hn::Set(d, supers);
        const V t = hn::Set(d, tiles);
        for (std::size_t row = 0; row < n; row += core::row_size) {
            const V before = hn::Set(d, *row_starts++);
            for (std::size_t g = row; g < row + core::row_size; g += step) {
                if (ahead != nullptr) prefetch(ahead, g * sizeof(T), step * sizeof(T));
                V v[core::run_size];
                load_runs<Backwards>(at<Backwards>(x, g, step), v);
                fold_runs(v);
                const V run = hn::LoadU(d, runs_before + g / core::run_size);
                finish_step<Exclusive>(
                    s, t, before, run, [&](std::size_t m) HWY_ATTR { return v[m]; }, v);
                store_runs<Where, Backwards>(v, at<Backwards>(y, g, step));
            }
        }
    }

    static HWY_ATTR void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                   const scan_pass& pass, T* last) {
        if (n <= scalar_size) return scan_few(x, y, n, supers, tiles, rows, pass, last);
        with_pass(pass, [&]<placement Where, bool Backwards>() HWY_ATTR {
            scan_rows_as<Where, Backwards>(x, y, n, supers, tiles, rows, pass, last);
        });
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

    template <placement Where, bool Backwards>
    static HWY_ATTR void scan_rows_as(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows,
                                      const scan_pass& pass, T* last) {
        const full<T> d;
        HWY_ALIGN T folded[group_size];  // L of every element, still transposed
        HWY_ALIGN T totals[group_rows * totals_stride];
        HWY_ALIGN T row_totals[group_rows];
        HWY_ALIGN T last_step[step];  // what does not fill a step, padded
        const V s = hn::Set(d, supers);
        const V t = hn::Set(d, tiles);
        for (std::size_t first = 0; first < n; first += group_size) {
            const std::size_t count = std::min(n - first, group_size);
            const std::size_t whole = count / step * step;
            const std::size_t complete_rows = count / core::row_size;
            const std::size_t row_count = (count + core::row_size - 1) / core::row_size;
            const std::size_t steps = (count + step - 1) / step;
            // Where the padded elements lie in last_step: the first ones lowest, or backwards highest.
            T* const few = Backwards ? last_step + step - (count - whole) : last_step;

            const auto fold_step = [&](const T* from, std::size_t g) HWY_ATTR {
                V v[core::run_size];
                load_runs<Backwards>(from, v);
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
                copy_few(at<Backwards>(x, first + whole, count - whole), count - whole, few);
                fold_step(last_step, whole / step);
            }

            if (row_count <= most_single_rows && row_count < group_rows) {
                for (std::size_t r = 0; r < row_count; ++r) {
                    T* row = totals + r * totals_stride;
                    row_totals[r] = fold_one<Backwards>(row, row, std::min(row_steps, steps - r * row_steps));
                }
            } else {
                if (count < group_size) {  // lanes without elements must not hold what would be slow or trap
                    T* row = totals + (row_count - 1) * totals_stride;
                    std::fill(row + (steps - (row_count - 1) * row_steps) * width, row + runs,
                              Op::template identity<T>());
                    std::fill(row + totals_stride, std::end(totals), Op::template identity<T>());
                }
                hn::Store(fold_totals<Backwards>(totals, totals, totals_stride), d, row_totals);
            }
            if (last != nullptr && count != complete_rows * core::row_size && first + count == n) {
                const std::size_t g = (count - 1) / step;
                const std::size_t lane = lane_of<Backwards>((count - 1) % step / core::run_size);
                T nested = *rows;
                for (std::size_t r = 0; r < complete_rows; ++r) nested = Op()(nested, row_totals[r]);
                nested =
                    Op()(nested, Op()(totals[g / row_steps * totals_stride + g % row_steps * width + lane],
                                      folded[g * step + (count - 1) % core::run_size * width + lane]));
                *last = Op()(supers, Op()(tiles, nested));
            }

            const auto finish = [&]<bool Exclusive>() HWY_ATTR {
                const auto scan_step = [&]<placement To>(std::integral_constant<placement, To>, std::size_t g,
                                                         V before, T* to) HWY_ATTR {
                    const V run =
                        hn::LoadU(d, totals + g / row_steps * totals_stride + g % row_steps * width);
                    const T* const step_folded = folded + g * step;
                    V v[core::run_size];
                    finish_step<Exclusive>(
                        s, t, before, run,
                        [&](std::size_t m) HWY_ATTR { return hn::Load(d, step_folded + m * width); }, v);
                    store_runs<To, Backwards>(v, to);
                };
                for (std::size_t r = 0; r < row_count; ++r) {
                    const V before = hn::Set(d, *rows);
                    const std::size_t end = std::min(whole / step, (r + 1) * row_steps);
                    for (std::size_t g = r * row_steps; g < end; ++g) {
                        if (pass.ahead != nullptr)
                            prefetch(pass.ahead, (first + g * step) * sizeof(T), step * sizeof(T));
                        scan_step(std::integral_constant<placement, Where>(), g, before,
                                  at<Backwards>(y, first + g * step, step));
                    }
                    if (r < complete_rows)
                        *rows = Op()(*rows, row_totals[r]);
                    else if (whole != count)
                        scan_step(std::integral_constant<placement, placement::cached>(), whole / step,
                                  before, last_step);
                }
            };
            if (pass.exclusive)
                finish.template operator()<true>();
            else
                finish.template operator()<false>();
            if (whole != count) copy_few(few, count - whole, at<Backwards>(y, first + whole, count - whole));
        }
        if (last != nullptr && n % core::row_size == 0) *last = Op()(supers, Op()(tiles, *rows));
    }

    // Fewer than `step` elements, without the start-up cost of a call or a string instruction.
    static HWY_INLINE void copy_few(const T* from, std::size_t count, T* to) {
        const full<T> d;
        std::size_t i = 0;
        for (; i + width <= count; i += width) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
        for (; i < count; ++i) {
            to[i] = from[i];
            asm volatile("" ::: "memory");  // keeps the loop a loop
        }
    }

    static constexpr tree_kernels<T> table{stream_alignment,
                                           &scan_rows,
                                           &fold_rows,
                                           &scan_folded,
                                           &tree_lanes<T, Op>::scan,
                                           &tree_lanes<T, Op>::fold,
                                           &tree_strips<T, Op>::scan};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
