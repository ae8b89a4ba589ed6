// The kernels in plain C++: the level `portable`, and the few pairs of type and operator that vectors do not
// serve.
#pragma once

#include <algorithm>
#include <cstddef>

#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu::portable {

template <class T, class Op>
struct tree {
    static void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, placement,
                          const void*) {
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

    static void fold_rows(const T* x, std::size_t n, T* rows, T* runs, T* row_starts) {
        for (std::size_t row = 0; row < n; row += core::row_size) {
            T folded = Op::template identity<T>();
            for (std::size_t run = 0; run < core::row_size; run += core::run_size, x += core::run_size) {
                *runs++ = folded;
                folded = Op()(folded, Op()(Op()(Op()(x[0], x[1]), x[2]), x[3]));
            }
            *row_starts++ = *rows;
            *rows = Op()(*rows, folded);
        }
    }

    static void scan_folded(const T* x, T* y, std::size_t n, T supers, T tiles, const T* runs,
                            const T* row_starts, placement, const void*) {
        for (std::size_t i = 0; i < n; i += core::run_size) {
            const T run = runs[i / core::run_size];
            const T row = row_starts[i / core::row_size];
            T items = Op::template identity<T>();
            for (std::size_t k = i; k < i + core::run_size; ++k) {
                items = Op()(items, x[k]);
                y[k] = Op()(supers, Op()(tiles, Op()(row, Op()(run, items))));
            }
        }
    }

    static void scan_lanes(const lane_block<T>& block, const T* supers, const T* tiles, T* rows) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane)
            scan_lane(block, lane, supers[lane], tiles[lane], rows[lane]);
    }
    static void scan_lane(const lane_block<T>& block, std::size_t lane, const T& supers, const T& tiles,
                          T& rows) {
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
            for (std::size_t run = 0; run < core::row_size;
                 run += core::run_size, x += static_cast<std::ptrdiff_t>(core::run_size) * block.x_stride) {
                T items = *x;
                for (std::size_t i = 1; i < core::run_size; ++i)
                    items = Op()(items, x[static_cast<std::ptrdiff_t>(i) * block.x_stride]);
                runs = Op()(runs, items);
            }
            rows = Op()(rows, runs);
        }
    }

    static constexpr tree_kernels<T> table{0,           &scan_rows,  &fold_rows, &scan_folded,
                                           &scan_lanes, &lane_totals};
};

template <class T, class Op>
struct exact {
    static T fold(const T* x, std::size_t n, T start) {
        for (std::size_t i = 0; i < n; ++i) start = Op()(start, x[i]);
        return start;
    }
    static T scan(const T* x, T* y, std::size_t n, T start, placement, const void*) {
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
            for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride)
                carry[lane] = Op()(carry[lane], *x);
        }
    }

    static constexpr exact_kernels<T> table{0, &fold, &scan, &scan_lanes, &fold_lanes};
};

}  // namespace upsweep::cpu::portable
