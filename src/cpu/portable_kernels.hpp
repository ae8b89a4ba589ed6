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
    static void scan_rows(const T* x, T* y, std::size_t n, T supers, T tiles, T* rows, const scan_pass& pass,
                          T* last) {
        const std::ptrdiff_t direction = pass.backwards ? -1 : 1;
        T value = Op()(supers, Op()(tiles, *rows));
        for (std::size_t row = 0; row < n; row += core::row_size) {
            const std::size_t row_end = std::min(n, row + core::row_size);
            T runs = Op::template identity<T>();
            for (std::size_t run = row; run < row_end; run += core::run_size) {
                const std::size_t run_end = std::min(row_end, run + core::run_size);
                T items = Op::template identity<T>();
                for (std::size_t i = run; i < run_end; ++i, x += direction, y += direction) {
                    const T before = value;
                    items = Op()(items, *x);
                    value = Op()(supers, Op()(tiles, Op()(*rows, Op()(runs, items))));
                    *y = pass.exclusive ? before : value;
                }
                runs = Op()(runs, items);
            }
            if (row_end - row == core::row_size) *rows = Op()(*rows, runs);
        }
        if (last != nullptr) *last = value;
    }

    static void fold_rows(const T* x, std::size_t n, T* rows, const fold_pass& pass) {
        T runs = Op::template identity<T>(), items = runs;
        fold_lane({x, pass.backwards ? -1 : 1, nullptr, 0, n, 1, false, placement::cached}, 0, 0, *rows, runs,
                  items);
        if (n % core::row_size != 0) *rows = Op()(*rows, Op()(runs, items));
    }

    static void scan_lanes(const lane_block<T>& block, std::size_t done, const T* supers, const T* tiles,
                           T* rows, T* runs) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane)
            scan_lane(block, lane, done, supers[lane], tiles[lane], rows[lane], runs[lane]);
    }
    static void scan_lane(const lane_block<T>& block, std::size_t lane, std::size_t done, const T& supers,
                          const T& tiles, T& rows, T& runs) {
        const T* x = block.x + lane;
        T* y = block.y + lane;
        T items = Op::template identity<T>();
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride, y += block.y_stride) {
            const T element = *x;
            if (block.exclusive) *y = Op()(supers, Op()(tiles, Op()(rows, Op()(runs, items))));
            items = Op()(items, element);
            if (!block.exclusive) *y = Op()(supers, Op()(tiles, Op()(rows, Op()(runs, items))));
            pass(done + i + 1, rows, runs, items);
        }
    }

    static void fold_lanes(const lane_block<T>& block, std::size_t done, T* rows, T* runs) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) {
            T items = Op::template identity<T>();
            fold_lane(block, lane, done, rows[lane], runs[lane], items);
        }
    }
    static void fold_lane(const lane_block<T>& block, std::size_t lane, std::size_t done, T& rows, T& runs,
                          T& items) {
        const T* x = block.x + lane;
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride) {
            items = Op()(items, *x);
            pass(done + i + 1, rows, runs, items);
        }
    }
    // After the element before `place` of a row: what is complete there moves up.
    static void pass(std::size_t place, T& rows, T& runs, T& items) {
        if (place % core::run_size != 0) return;
        runs = Op()(runs, items);
        items = Op::template identity<T>();
        if (place % core::row_size != 0) return;
        rows = Op()(rows, runs);
        runs = Op::template identity<T>();
    }

    static void scan_strips(const strip_block<T>& block, T start) {
        for (std::size_t sequence = 0; sequence < block.count; ++sequence) {
            if (block.last_alone)
                block.y[sequence] = strip_total(block, sequence, start);
            else
                scan_strip(block, sequence, start);
        }
    }
    static T strip_total(const strip_block<T>& block, std::size_t sequence, T start) {
        const T* x = block.x + static_cast<std::ptrdiff_t>(sequence) * block.x_pitch;
        T rows = Op::template identity<T>(), runs = rows, items = rows;
        for (std::size_t i = 0; i < block.length; ++i) {
            items = Op()(items, x[i]);
            pass(i + 1, rows, runs, items);
        }
        return Op()(start, Op()(rows, Op()(runs, items)));
    }
    static void scan_strip(const strip_block<T>& block, std::size_t sequence, T start) {
        constexpr T identity = Op::template identity<T>();
        const T* x = block.x + static_cast<std::ptrdiff_t>(sequence) * block.x_pitch;
        T* y = block.y + static_cast<std::ptrdiff_t>(sequence) * block.y_pitch;
        T supers = start;
        T tiles = identity;
        T rows = identity;
        const scan_pass pass{placement::cached, block.exclusive};
        for (std::size_t first = 0; first < block.length; first += core::tile_size) {
            const std::size_t count = std::min(core::tile_size, block.length - first);
            scan_rows(x + first, y + first, count, supers, tiles, &rows, pass, nullptr);
            tiles = Op()(tiles, rows);
            rows = identity;
            if ((first + count) % core::super_size == 0) {
                supers = Op()(supers, tiles);
                tiles = identity;
            }
        }
    }

    static constexpr tree_kernels<T> table{0,          core::row_size, 1,           &scan_rows,
                                           &fold_rows, &scan_lanes,    &fold_lanes, &scan_strips};
};

template <class T, class Op>
struct exact {
    static T fold(const T* x, std::size_t n, T start) {
        for (std::size_t i = 0; i < n; ++i) start = Op()(start, x[i]);
        return start;
    }
    static T scan(const T* x, T* y, std::size_t n, T start, const scan_pass& pass) {
        const std::ptrdiff_t direction = pass.backwards ? -1 : 1;
        for (std::size_t i = 0; i < n; ++i, x += direction, y += direction) {
            const T before = start;
            start = Op()(start, *x);
            *y = pass.exclusive ? before : start;
        }
        return start;
    }
    // Row by row, as they lie in memory.
    static void scan_lanes(const lane_block<T>& block, T* carry) {
        const T* x = block.x;
        T* y = block.y;
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride, y += block.y_stride) {
            for (std::size_t lane = 0; lane < block.lanes; ++lane) {
                const T before = carry[lane];
                carry[lane] = Op()(before, x[lane]);
                y[lane] = block.exclusive ? before : carry[lane];
            }
        }
    }
    static void fold_lanes(const lane_block<T>& block, T* carry) {
        const T* x = block.x;
        for (std::size_t i = 0; i < block.length; ++i, x += block.x_stride) {
            for (std::size_t lane = 0; lane < block.lanes; ++lane) carry[lane] = Op()(carry[lane], x[lane]);
        }
    }

    static void scan_strips(const strip_block<T>& block, T start) {
        const scan_pass pass{placement::cached, block.exclusive};
        for (std::size_t sequence = 0; sequence < block.count; ++sequence) {
            const auto at = static_cast<std::ptrdiff_t>(sequence);
            if (block.last_alone)
                block.y[sequence] = fold(block.x + at * block.x_pitch, block.length, start);
            else
                scan(block.x + at * block.x_pitch, block.y + at * block.y_pitch, block.length, start, pass);
        }
    }

    static constexpr exact_kernels<T> table{0, 1, &fold, &scan, &scan_lanes, &fold_lanes, &scan_strips};
};

}  // namespace upsweep::cpu::portable
