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

// By one thread.
template <class Acc, bool Exact>
Acc reduce_alone(const operation<Acc, Exact>& op, const folded_input<Acc, Exact>& input, std::size_t n,
                 Acc start) {
    if constexpr (Exact) {
        return op.combine(start, input.fold(0, n));
    } else {
        tile_fold<Acc> fold(op, start);
        std::size_t done = 0;
        for (; done + core::tile_size <= n; done += core::tile_size)
            fold.push(input.fold(done, core::tile_size));
        return fold.value(done == n ? op.identity : input.fold(done, n - done));
    }
}

template <class Acc, bool Exact>
Acc run_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, std::size_t n,
               const std::optional<Acc>& initial) {
    const folded_input<Acc, Exact> input(op, ex, in, lead_of_totals<Exact>(ex, n * in.element_size));
    const Acc start = initial.value_or(op.identity);
    const tile_shares shares = tile_shares::plan(ex, n, std::max(in.element_size, sizeof(Acc)), 1,
                                                 Exact ? 1 : tuning::total_awake_times);
    if (shares.helpers == 0) return reduce_alone(op, input, n, start);
    const std::unique_ptr<Acc[]> totals(new Acc[Exact ? shares.tasks() : shares.tiles]);
    for_each_task(ex, shares.helpers, shares.tasks(), [&](std::size_t task) {
        const std::size_t first = shares.first(task), end = shares.end(task);
        if constexpr (Exact) {
            totals[task] = input.fold(first * core::tile_size, (end - first) * core::tile_size);
        } else {
            for (std::size_t tile = first; tile < end; ++tile)
                totals[tile] = input.fold(tile * core::tile_size, core::tile_size);
        }
    });
    const std::size_t rest = n % core::tile_size;
    const Acc last = rest == 0 ? op.identity : input.fold(n - rest, rest);
    if constexpr (Exact) {
        Acc total = start;
        for (std::size_t task = 0; task < shares.tasks(); ++task) total = op.combine(total, totals[task]);
        return op.combine(total, last);
    } else {
        tile_fold<Acc> fold(op, start);
        for (std::size_t tile = 0; tile < shares.tiles; ++tile) fold.push(totals[tile]);
        return fold.value(last);
    }
}

}  // namespace upsweep::cpu
