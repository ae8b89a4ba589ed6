// The kernels in plain C++: the level `portable`, and the few pairs of type and operator that vectors do not serve.
#pragma once

#include <algorithm>
#include <cstddef>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu::portable {

template <class T, class Op>
struct tree {
    // Left fold of the totals of complete runs [0, run_count) of a row. Several rows are folded at once because
    // each alone is a chain of dependent operations.
    static constexpr std::size_t rows_at_once = 4;

    static T run_total(const T* x) { return Op()(Op()(Op()(x[0], x[1]), x[2]), x[3]); }

    static void tile_totals(const T* x, std::size_t tile_count, T* totals) {
        for (std::size_t tile = 0; tile < tile_count; ++tile) {
            T total = Op::template identity<T>();
            for (std::size_t row = 0; row < core::tile_size; row += rows_at_once * core::row_size, x += rows_at_once * core::row_size) {
                T sums[rows_at_once];
                for (std::size_t r = 0; r < rows_at_once; ++r) sums[r] = run_total(x + r * core::row_size);
                for (std::size_t i = core::run_size; i < core::row_size; i += core::run_size) {
                    for (std::size_t r = 0; r < rows_at_once; ++r) sums[r] = Op()(sums[r], run_total(x + r * core::row_size + i));
                }
                for (const T& sum : sums) total = Op()(total, sum);
            }
            totals[tile] = total;
        }
    }

    static void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows) {
        for (std::size_t row = 0; row < n; row += core::row_size) {
            const std::size_t row_end = std::min(n, row + core::row_size);
            T runs = Op::template identity<T>();
            for (std::size_t run = row; run < row_end; run += core::run_size) {
                const std::size_t run_end = std::min(row_end, run + core::run_size);
                T items = Op::template identity<T>();
                for (std::size_t i = run; i < run_end; ++i) {
                    items = Op()(items, x[i]);
                    y[i] = Op()(supers, Op()(tiles, Op()(*rows, Op()(runs, items))));
                }
                runs = Op()(runs, items);
            }
            if (row_end - row == core::row_size) *rows = Op()(*rows, runs);
        }
    }

    static void scan_lanes(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) scan_lane(block, lane, supers[lane], tiles[lane], rows[lane]);
    }
    static void scan_lane(const lane_block<T>& block, std::size_t lane, const T& supers, const T& tiles, T& rows) {
        const T* x = block.x + lane;
        T* y = block.y + lane;
        T runs = Op::template identity<T>();
        T items = Op::template identity<T>();
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride, y += block.y_stride) {
            const T element = *x;
            if (block.exclusive) *y = Op()(supers, Op()(tiles, Op()(rows, Op()(runs, items))));
            items = Op()(items, element);
            if (!block.exclusive) *y = Op()(supers, Op()(tiles, Op()(rows, Op()(runs, items))));
            if ((i + 1) % core::run_size == 0) {
                runs = Op()(runs, items);
                items = Op::template identity<T>();
            }
            if ((i + 1) % core::row_size == 0) {
                rows = Op()(rows, runs);
                runs = Op::template identity<T>();
            }
        }
    }

    static void lane_totals(const lane_block<T>& block, T* rows) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) lane_total(block, lane, rows[lane]);
    }
    static void lane_total(const lane_block<T>& block, std::size_t lane, T& rows) {
        const T* x = block.x + lane;
        rows = Op::template identity<T>();
        for (std::size_t row = 0; row < core::tile_size; row += core::row_size) {
            T runs = Op::template identity<T>();
            for (std::size_t run = 0; run < core::row_size; run += core::run_size, x += static_cast<std::ptrdiff_t>(core::run_size) * block.x_stride) {
                T items = *x;
                for (std::size_t i = 1; i < core::run_size; ++i) items = Op()(items, x[static_cast<std::ptrdiff_t>(i) * block.x_stride]);
                runs = Op()(runs, items);
            }
            rows = Op()(rows, runs);
        }
    }

    static constexpr tree_kernels<T> table{&tile_totals, &scan_rows, &scan_lanes, &lane_totals};
};

template <class T, class Op>
struct exact {
    static T fold(const T* x, std::size_t n, T start) {
        for (std::size_t i = 0; i < n; ++i) start = Op()(start, x[i]);
        return start;
    }
    static T scan(const T* x, T* y, std::size_t n, T start) {
        for (std::size_t i = 0; i < n; ++i) y[i] = start = Op()(start, x[i]);
        return start;
    }
    static void scan_lanes(const lane_block<T>& block, T* carry) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) scan_lane(block, lane, carry[lane]);
    }
    static void scan_lane(const lane_block<T>& block, std::size_t lane, T& carry) {
        const T* x = block.x + lane;
        T* y = block.y + lane;
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride, y += block.y_stride) {
            const T after = Op()(carry, *x);
            *y = block.exclusive ? carry : after;
            carry = after;
        }
    }
    static void fold_lanes(const lane_block<T>& block, T* carry) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) {
            const T* x = block.x + lane;
            for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride) carry[lane] = Op()(carry[lane], *x);
        }
    }

    static constexpr exact_kernels<T> table{&fold, &scan, &scan_lanes, &fold_lanes};
};

}  // namespace upsweep::cpu::portable
