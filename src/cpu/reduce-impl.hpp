// Bodies of the engine for totals; included by the files that instantiate them. Nothing is allocated but the
// totals of tiles that threads share; a thread has less than 128 KiB on its stack.
#pragma once

#include <algorithm>
#include <memory>

#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/folded_input.hpp"
#include "upsweep/cpu/reduce.hpp"

namespace upsweep::cpu {

// How far ahead of what it folds a thread asks for input: from a far cache doubles take 0.75 of the time so.
// Cores with few buffers for lines on their way, which stream evenly for the same reason, are held up by it
// where input comes from memory: Intel's took 1.1 to 1.25 times as long.
template <bool Exact>
std::size_t lead_of_totals(const executor& ex, std::size_t bytes) {
    if (Exact || (ex.streams(bytes) && streams_steadily())) return 0;
    return lead_of(ex, bytes);
}

// What the tiles so far come to: S and T of docs/numerics.md.
template <class Acc>
struct tile_fold {
    const operation<Acc, false>& op;
    Acc supers;
    Acc tiles;
    std::size_t tile_count = 0;

    tile_fold(const operation<Acc, false>& how, Acc start) : op(how), supers(start), tiles(how.identity) {}
    void push(Acc total) {
        tiles = op.combine(tiles, total);
        if (++tile_count % core::tiles_per_super != 0) return;
        supers = op.combine(supers, tiles);
        tiles = op.identity;
    }
    // With the fold of the rows behind the last tile.
    [[nodiscard]] Acc value(Acc rows) const { return op.combine(supers, op.combine(tiles, rows)); }
};

// The fold of n elements, `so_far` being that of all whole tiles.
template <class Acc>
Acc finish_reduce(const operation<Acc, false>& op, const executor& ex, const folded_input<Acc, false>& input,
                  const tile_fold<Acc>& so_far, std::size_t n) {
    const std::size_t rest = n % core::tile_size, first = n - rest;
    // A row or two are scanned sooner than they are folded.
    constexpr std::size_t scanned_size = 2 * core::row_size;
    const std::size_t rows_end = rest <= scanned_size ? 0 : rest / core::row_size * core::row_size;
    const std::size_t items = rest - rows_end;
    Acc rows = rows_end == 0 ? op.identity : input.fold(first, rows_end);
    if (items == 0) return so_far.value(rows);
    alignas(64) Acc row[scanned_size];
    Acc last = op.identity;
    input.for_each_part(first + rows_end, items, [&](const Acc* x, std::size_t part, bool backwards) {
        const scan_pass pass{placement::cached, false, backwards};
        op.kernels(ex.simd()).scan_rows(x, backwards ? row + (part - 1) : row, part, so_far.supers,
                                        so_far.tiles, &rows, pass, &last);
    });
    return last;
}

template <class Acc, bool Exact>
Acc run_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, std::size_t n,
               const std::optional<Acc>& initial) {
    const folded_input<Acc, Exact> input(op, ex, in, lead_of_totals<Exact>(ex, n * in.element_size));
    const Acc start = initial.value_or(op.identity);
    const tile_shares shares = tile_shares::plan(ex, n, std::max(in.element_size, sizeof(Acc)), 1);
    const auto with_totals = [&](std::size_t count, const auto& total_task) {
        std::unique_ptr<Acc[]> totals(new Acc[count]);
        for_each_task(ex, shares.helpers, shares.tasks(),
                      [&](std::size_t task) { total_task(task, totals.get()); });
        return totals;
    };
    if constexpr (Exact) {
        if (shares.helpers == 0) return op.combine(start, input.fold(0, n));
        const auto totals = with_totals(shares.tasks(), [&](std::size_t task, Acc* to) {
            const std::size_t first = shares.first(task) * core::tile_size;
            to[task] = input.fold(first, shares.end(task) * core::tile_size - first);
        });
        Acc total = start;
        for (std::size_t task = 0; task < shares.tasks(); ++task) total = op.combine(total, totals[task]);
        const std::size_t rest = n % core::tile_size;
        return rest == 0 ? total : op.combine(total, input.fold(n - rest, rest));
    } else {
        const auto total_of = [&](std::size_t tile) {
            return input.fold(tile * core::tile_size, core::tile_size);
        };
        tile_fold<Acc> fold(op, start);
        if (shares.helpers == 0) {
            for (std::size_t tile = 0; tile < shares.tiles; ++tile) fold.push(total_of(tile));
        } else {
            const auto totals = with_totals(shares.tiles, [&](std::size_t task, Acc* to) {
                for (std::size_t tile = shares.first(task); tile < shares.end(task); ++tile)
                    to[tile] = total_of(tile);
            });
            for (std::size_t tile = 0; tile < shares.tiles; ++tile) fold.push(totals[tile]);
        }
        return finish_reduce(op, ex, input, fold, n);
    }
}

}  // namespace upsweep::cpu
