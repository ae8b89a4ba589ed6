// Segments and linear recurrences in plain C++: the level `portable`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/cpu/careful_product.hpp"
#include "upsweep/core/tree.hpp"
#include "upsweep/cpu/kernels.hpp"

namespace upsweep::cpu::portable {

template <class T, class Op>
struct segmented_totals {
    static void scan_rows(const T* x, T* y, std::size_t n, const std::uint64_t* heads,
                          segment_state<T>& state, T before, const scan_pass& pass) {
        walk(x, n, heads, state, pass.backwards, [&](T left, bool head, const auto& value) {
            const T after = value();
            *y = !pass.exclusive ? after : head ? before : left;
            y += pass.backwards ? -1 : 1;
            return after;
        });
    }
    static void fold_rows(const T* x, std::size_t n, const std::uint64_t* heads, segment_state<T>& state,
                          bool backwards) {
        walk(x, n, heads, state, backwards, [](T left, bool, const auto&) { return left; });
    }

    static void fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count, T* totals,
                          segment_state<T>& state, const input_ahead&) {
        std::uint64_t heads[core::tile_size / 64] = {};
        for (std::size_t k = 0; k < count; ++k)
            if (ends[k] != n) heads[ends[k] / 64] |= std::uint64_t{1} << (ends[k] % 64);
        std::size_t i = 0, k = 0;
        walk(x, n, heads, state, false, [&](T, bool, const auto& value) {
            const T after = value();
            if (k != count && ++i == ends[k]) totals[k++] = after;
            return after;
        });
        if (count != 0 && ends[count - 1] == n) state.rows = Op::template identity<T>();
    }

    static constexpr segmented_kernels<T> table{&scan_rows, &fold_rows, &fold_long};

  private:
    // take(left, head, value) for every element; what it returns is `left` for the next, the last state.last.
    template <class Take>
    static void walk(const T* x, std::size_t n, const std::uint64_t* heads, segment_state<T>& state,
                     bool backwards, const Take& take) {
        constexpr T identity = Op::template identity<T>();
        T runs = identity;
        T items = identity;
        T left = Op()(state.supers, Op()(state.tiles, state.rows));
        for (std::size_t i = 0; i < n; ++i, x += backwards ? -1 : 1) {
            const bool head = (heads[i / 64] >> (i % 64) & 1) != 0;
            if (head) {
                state = {identity, identity, identity, true, state.last};
                runs = items = identity;
            }
            items = Op()(items, *x);
            left = take(left, head, [&] {
                return Op()(state.supers, Op()(state.tiles, Op()(state.rows, Op()(runs, items))));
            });
            if ((i + 1) % core::run_size == 0) {
                runs = Op()(runs, items);
                items = identity;
            }
            if ((i + 1) % core::row_size == 0) {
                state.rows = Op()(state.rows, runs);
                runs = identity;
            }
        }
        state.last = left;
    }
};

template <class T, class Op>
struct exact_segments {
    static void fold_short(const T* x, std::size_t n, const std::uint64_t*, const std::uint64_t* ends,
                           T* totals, T& running) {
        T folded = running;
        for (std::size_t i = 0; i < n; ++i) {  // without a branch that nobody can foretell
            folded = Op()(folded, x[i]);
            *totals = folded;
            const bool ended = (ends[i / 64] >> (i % 64) & 1) != 0;
            totals += ended ? 1 : 0;
            folded = ended ? Op::template identity<T>() : folded;
        }
        running = folded;
    }
    static void fold_long(const T* x, std::size_t n, const std::uint32_t* ends, std::size_t count, T* totals,
                          T& running) {
        T folded = running;
        std::size_t i = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (; i < ends[k]; ++i) folded = Op()(folded, x[i]);
            totals[k] = folded;
            folded = Op::template identity<T>();
        }
        for (; i < n; ++i) folded = Op()(folded, x[i]);
        running = folded;
    }
    static constexpr exact_segment_kernels<T> table{&fold_short, &fold_long};
};

template <class T>
struct affine_tree {
    using map = affine_map<T>;

    static void scan_rows(const T* a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                          const scan_pass&) {
        for (std::size_t row = 0; row < n; row += core::row_size)
            scan_row(a + row, b + row, y + row, n - row < core::row_size ? n - row : core::row_size, state);
    }
    static void fold_rows(const T* a, const T* b, std::size_t n, affine_state<T>& state) {
        for (std::size_t row = 0; row < n; row += core::row_size) fold_row(a + row, b + row, state);
    }
    // The same of equal coefficients, of which the first of the powers is one.
    struct repeated {
        T a;
        T operator[](std::size_t) const { return a; }
    };
    static void make_powers(T a, row_powers<T>& powers) { powers.folds[0] = a; }
    static void scan_rows_of(const row_powers<T>& a, const T* b, T* y, std::size_t n, affine_state<T>& state,
                             const scan_pass&) {
        for (std::size_t row = 0; row < n; row += core::row_size)
            scan_row(repeated{a.folds[0]}, b + row, y + row,
                     n - row < core::row_size ? n - row : core::row_size, state);
    }
    static void fold_rows_of(const row_powers<T>& a, const T* b, std::size_t n, affine_state<T>& state) {
        for (std::size_t row = 0; row < n; row += core::row_size)
            fold_row(repeated{a.folds[0]}, b + row, state);
    }

    template <class Coefficients>
    static void fold_row(const Coefficients& a, const T* b, affine_state<T>& state) {
        map runs{};
        for (std::size_t run = 0; run < core::row_size; run += core::run_size) {
            map items{a[run], b[run]};
            for (std::size_t i = run + 1; i < run + core::run_size; ++i)
                items = affine()(items, map{a[i], b[i]});
            runs = run == 0 ? items : affine()(runs, items);
        }
        push_row(state, runs);
    }
    static void push_row(affine_state<T>& state, const map& total) {
        state.rows = state.has_rows ? compose_carefully(state.rows, total) : total;
        state.has_rows = true;
    }
    // At most a row.
    template <class Coefficients>
    static void scan_row(const Coefficients& a, const T* b, T* y, std::size_t n, affine_state<T>& state) {
        map runs{};
        map items{};
        for (std::size_t i = 0; i < n; ++i) {
            const map element{a[i], b[i]};
            items = i % core::run_size == 0 ? element : affine()(items, element);
            map value = i < core::run_size ? items : affine()(runs, items);
            if (state.has_rows) value = affine()(state.rows, value);
            if (state.has_tiles) value = affine()(state.tiles, value);
            y[i] = affine()(state.supers, value).b;
            if ((i + 1) % core::run_size == 0) runs = i < core::run_size ? items : affine()(runs, items);
        }
        if (n == core::row_size) push_row(state, runs);
    }

    static void scan_lanes(const affine_block<T>& block, affine_lanes<T>& state) {
        for (std::size_t lane = 0; lane < block.lanes; ++lane) {
            map runs{state.runs_a[lane], state.runs_b[lane]};
            map items{};
            bool has_runs = state.has_runs;
            const T *a = block.a + lane, *b = block.b + lane;
            T* y = block.y + lane;
            for (std::size_t i = 0; i < block.length; ++i) {
                items = i % core::run_size == 0 ? map{*a, *b} : affine()(items, map{*a, *b});
                map value = has_runs ? affine()(runs, items) : items;
                if ((i + 1) % core::run_size == 0) {
                    runs = value;
                    has_runs = true;
                }
                if (state.has_rows) value = affine()(map{state.rows_a[lane], state.rows_b[lane]}, value);
                if (state.has_tiles) value = affine()(map{state.tiles_a[lane], state.tiles_b[lane]}, value);
                *y = affine()(map{T(0), state.supers[lane]}, value).b;
                a += block.a_stride;
                b += block.b_stride;
                y += block.y_stride;
            }
            state.runs_a[lane] = runs.a;
            state.runs_b[lane] = runs.b;
        }
        state.has_runs = true;
    }
    static void fold_lanes(const affine_block<T>& block, affine_lanes<T>& state) {
        for (std::size_t i = 0; i < block.length; i += core::run_size) {
            for (std::size_t lane = 0; lane < block.lanes; ++lane) {
                const T* a = block.a + static_cast<std::ptrdiff_t>(i) * block.a_stride + lane;
                const T* b = block.b + static_cast<std::ptrdiff_t>(i) * block.b_stride + lane;
                map items{*a, *b};
                for (std::size_t m = 1; m < core::run_size; ++m) {
                    a += block.a_stride;
                    b += block.b_stride;
                    items = affine()(items, map{*a, *b});
                }
                if (state.has_runs) items = affine()(map{state.runs_a[lane], state.runs_b[lane]}, items);
                state.runs_a[lane] = items.a;
                state.runs_b[lane] = items.b;
            }
            state.has_runs = true;
        }
    }

    static constexpr affine_kernels<T> table{
        0, 1, &scan_rows, &fold_rows, &scan_lanes, &fold_lanes, &make_powers, &scan_rows_of, &fold_rows_of};
};

}  // namespace upsweep::cpu::portable
