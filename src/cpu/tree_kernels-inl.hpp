// Sums and products that round, by the tree of docs/numerics.md: left folds become plain vector operations once
// neighbouring operands stand in different registers.
//
// A group is as many rows as a vector has lanes. (1) Every run is transposed into four registers a, b, c, d, so
// that its left fold is b = a (+) b, c = b (+) c, d = c (+) d; d holds run totals. (2) The run totals are
// transposed so that a lane is a row, and folded: 32 steps for all rows of the group at once. (3) Every element
// becomes S (+) (T (+) (R (+) (V (+) L))).
//
// Cost per element with 8 lanes: about 0.8 shuffles, 1.4 operations, 0.6 loads and 0.6 stores in the first-level
// cache.

#if defined(UPSWEEP_TREE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_KERNELS_INL_HPP
#undef UPSWEEP_TREE_KERNELS_INL_HPP
#else
#define UPSWEEP_TREE_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

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
    using V = vector<T>;

    // Rows of a group, padded so that columns of run totals fall into different cache sets.
    static constexpr std::size_t totals_stride = runs + block_lanes<T>;

    static HWY_INLINE V op(V a, V b) { return combine(Op(), a, b); }
    static HWY_INLINE V identity() { return hn::Set(full<T>(), Op::template identity<T>()); }

    // Where a run is exactly a 128-bit block, whole vectors are loaded as they lie and lane q of block b holds
    // run q * blocks + b; otherwise lane l holds run l. order(l) is the run of lane l.
    static constexpr bool block_is_run = block_lanes<T> == core::run_size;
    static constexpr std::size_t blocks = width / block_lanes<T>;
    // The lane that holds the i-th run of a step.
    static constexpr std::size_t lane_of(std::size_t i) {
        return block_is_run ? i % blocks * block_lanes<T> + i / blocks : i;
    }

    // v[m] holds item m of every run.
    static HWY_INLINE void load_runs(const T* x, V (&v)[core::run_size]) {
        if constexpr (block_is_run) {
            load_interleaved<T>(x, v);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                load_transposed<T>(x + m, core::run_size, part);
                for (std::size_t i = 0; i < k; ++i) v[m + i] = part[i];
            }
        }
    }
    static HWY_INLINE void store_runs(V (&v)[core::run_size], T* y) {
        if constexpr (block_is_run) {
            store_interleaved<T>(v, y);
        } else {
            constexpr std::size_t k = block_lanes<T>;
            for (std::size_t m = 0; m < core::run_size; m += k) {
                V part[k];
                for (std::size_t i = 0; i < k; ++i) part[i] = v[m + i];
                store_transposed<T>(part, y + m, core::run_size);
            }
        }
    }
    static HWY_INLINE void fold_runs(V (&v)[core::run_size]) {
        for (std::size_t m = 1; m < core::run_size; ++m) v[m] = op(v[m - 1], v[m]);
    }

    // Folds the run totals of every row (a lane a row); with Keep, replaces each by the fold of those before it.
    template <bool Keep>
    static HWY_INLINE V fold_rows(T* totals) {
        constexpr std::size_t k = block_lanes<T>;
        V accumulated = identity();
        for (std::size_t j = 0; j < runs; j += width) {
            V column[width / k][k];
            for (std::size_t b = 0; b < width / k; ++b) {
                load_transposed<T>(totals + j + b * k, totals_stride, column[b]);
            }
            for (std::size_t i = 0; i < width; ++i) {
                V& here = column[lane_of(i) / k][lane_of(i) % k];
                const V total = here;
                here = accumulated;
                accumulated = op(accumulated, total);
            }
            if constexpr (Keep) {
                for (std::size_t b = 0; b < width / k; ++b) {
                    store_transposed<T>(column[b], totals + j + b * k, totals_stride);
                }
            }
        }
        return accumulated;
    }

    static HWY_ATTR void tile_totals(const T* x, std::size_t tile_count, T* out) {
        const full<T> d;
        HWY_ALIGN T totals[group_rows * totals_stride];
        HWY_ALIGN T row_totals[group_rows];
        for (std::size_t tile = 0; tile < tile_count; ++tile) {
            T total{};
            for (std::size_t first = 0; first < core::tile_size; first += group_size, x += group_size) {
                for (std::size_t r = 0; r < group_rows; ++r) {
                    for (std::size_t g = 0; g < core::row_size; g += step) {
                        V v[core::run_size];
                        load_runs(x + r * core::row_size + g, v);
                        fold_runs(v);
                        hn::StoreU(v[core::run_size - 1], d, totals + r * totals_stride + g / core::run_size);
                    }
                }
                hn::Store(fold_rows<false>(totals), d, row_totals);
                for (std::size_t r = 0; r < group_rows; ++r) {
                    total = first + r == 0 ? row_totals[r] : Op()(total, row_totals[r]);
                }
            }
            out[tile] = total;
        }
    }

    static HWY_ATTR void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows) {
        const full<T> d;
        HWY_ALIGN T folded[group_size];  // L of every element, still transposed
        HWY_ALIGN T totals[group_rows * totals_stride];
        HWY_ALIGN T row_totals[group_rows];
        HWY_ALIGN T last_row[core::row_size];  // a row that n ends in, padded
        const V s = hn::Set(d, supers);
        const V t = hn::Set(d, tiles);
        if (n < group_size) std::fill(std::begin(totals), std::end(totals), Op::template identity<T>());
        for (std::size_t first = 0; first < n; first += group_size) {
            const std::size_t count = std::min(n - first, group_size);
            const std::size_t complete = count / core::row_size;
            const std::size_t partial = count % core::row_size;
            const std::size_t row_count = complete + (partial != 0);
            if (partial != 0) {
                std::copy_n(x + first + complete * core::row_size, partial, last_row);
                std::fill(last_row + partial, std::end(last_row), Op::template identity<T>());
            }
            for (std::size_t r = 0; r < row_count; ++r) {
                const T* row = r < complete ? x + first + r * core::row_size : last_row;
                for (std::size_t g = 0; g < core::row_size; g += step) {
                    V v[core::run_size];
                    load_runs(row + g, v);
                    fold_runs(v);
                    for (std::size_t m = 0; m < core::run_size; ++m) {
                        hn::Store(v[m], d, folded + r * core::row_size + g + m * width);
                    }
                    hn::StoreU(v[core::run_size - 1], d, totals + r * totals_stride + g / core::run_size);
                }
            }
            hn::Store(fold_rows<true>(totals), d, row_totals);
            for (std::size_t r = 0; r < row_count; ++r) {
                T* row = r < complete ? y + first + r * core::row_size : last_row;
                const V before = hn::Set(d, *rows);
                for (std::size_t g = 0; g < core::row_size; g += step) {
                    const V run = hn::LoadU(d, totals + r * totals_stride + g / core::run_size);
                    V v[core::run_size];
                    for (std::size_t m = 0; m < core::run_size; ++m) {
                        const V item = hn::Load(d, folded + r * core::row_size + g + m * width);
                        v[m] = op(s, op(t, op(before, op(run, item))));
                    }
                    store_runs(v, row + g);
                }
                if (r < complete) *rows = Op()(*rows, row_totals[r]);
            }
            if (partial != 0) std::copy_n(last_row, partial, y + first + complete * core::row_size);
        }
    }

    static constexpr tree_kernels<T> table{&tile_totals, &scan_rows, &tree_lanes<T, Op>::scan, &tree_lanes<T, Op>::totals};
};

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
