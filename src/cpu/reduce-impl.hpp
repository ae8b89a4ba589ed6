// Bodies of the engine for totals; included by the files that instantiate them. Nothing is allocated but the
// totals of tiles that threads share; a thread has less than 128 KiB on its stack.
#pragma once

#include <algorithm>
#include <memory>

#include "upsweep/cpu/engine.hpp"
#include "upsweep/cpu/piece.hpp"
#include "upsweep/cpu/reduce.hpp"

namespace upsweep::cpu {

// What the tiles so far come to: S and T of docs/numerics.md; of an exact operator the running value is S.
template <class Acc, bool Exact>
struct tile_fold {
    const operation<Acc, Exact>& op;
    Acc supers;
    Acc tiles;
    std::size_t tile_count = 0;

    tile_fold(const operation<Acc, Exact>& how, Acc start) : op(how), supers(start), tiles(how.identity) {}
    void push(Acc total) {
        if constexpr (Exact) {
            supers = op.combine(supers, total);
        } else {
            tiles = op.combine(tiles, total);
            if (++tile_count % core::tiles_per_super != 0) return;
            supers = op.combine(supers, tiles);
            tiles = op.identity;
        }
    }
    // With the fold of the rows behind the last tile.
    [[nodiscard]] Acc value(Acc rows) const {
        return Exact ? op.combine(supers, rows) : op.combine(supers, op.combine(tiles, rows));
    }
};

// A sequence as its tiles are totalled.
template <class Acc, bool Exact>
class sequence_tiles {
  public:
    sequence_tiles(const operation<Acc, Exact>& op, const executor& ex, const source<Acc>& in, std::size_t n)
        : op_(op),
          kernels_(op.kernels(ex.simd())),
          memory_(memory_kernels_for(ex.simd())),
          in_(in),
          n_(n),
          lead_(lead_of_folds(ex, n * in.element_size)) {
        backwards_ = in_.plain && in_.stride == -1;
        if (backwards_) in_ = lying_forwards(in_, n);
    }

    // Elements [first, first + count), whole rows within a tile; of an exact operator any.
    [[nodiscard]] Acc fold(std::size_t first, std::size_t count) const {
        Acc rows = op_.identity;
        each_piece(first, count, [&](const Acc* x, std::size_t piece) {
            if constexpr (Exact)
                rows = kernels_.fold(x, piece, rows);
            else
                kernels_.fold_rows(front(x, piece), piece, &rows, backwards_);
        });
        return rows;
    }
    // The fold of all, `so_far` being that of so many whole tiles: all there are.
    [[nodiscard]] Acc finish(const tile_fold<Acc, Exact>& so_far, std::size_t tiles) const {
        const std::size_t first = tiles * core::tile_size, rest = n_ - first;
        if constexpr (Exact) {
            return so_far.value(rest == 0 ? op_.identity : fold(first, rest));
        } else {
            // A row or two are scanned sooner than they are folded.
            const std::size_t rows_end = rest <= scanned_size ? 0 : rest / core::row_size * core::row_size;
            const std::size_t items = rest - rows_end;
            Acc rows = rows_end == 0 ? op_.identity : fold(first, rows_end);
            if (items == 0) return so_far.value(rows);
            alignas(64) Acc row[scanned_size];
            Acc last = op_.identity;
            each_piece(first + rows_end, items, [&](const Acc* x, std::size_t) {
                const scan_pass pass{placement::cached, false, backwards_};
                kernels_.scan_rows(front(x, items), front(row, items), items, so_far.supers, so_far.tiles,
                                   &rows, pass, &last);
            });
            return last;
        }
    }

  private:
    static constexpr std::size_t scanned_size = 2 * core::row_size;

    // How far ahead of what it folds a thread asks for input: from a far cache doubles take 0.75 of the time
    // so. Cores with few buffers for lines on their way, which stream evenly for the same reason, are held up
    // by it where input comes from memory: Intel's took 1.1 to 1.25 times as long.
    static std::size_t lead_of_folds(const executor& ex, std::size_t bytes) {
        if (Exact || (ex.streams(bytes) && streams_steadily())) return 0;
        return lead_of(ex, bytes);
    }

    // body(accumulators, count) for elements [first, first + count), back to front where they lie so.
    template <class Body>
    void each_piece(std::size_t first, std::size_t count, const Body& body) const {
        const auto at = [&](std::size_t i, std::size_t piece) { return backwards_ ? n_ - i - piece : i; };
        if (in_.direct != nullptr) {
            const std::size_t step = lead_ == 0 ? count : asked_size<Acc>;
            for (std::size_t i = 0; i < count; i += step) {
                const std::size_t piece = std::min(step, count - i);
                const Acc* const x = in_.direct + at(first + i, piece);
                if (lead_ != 0 && piece == step) ask_for_group(x, lead_, backwards_);
                body(x, piece);
            }
            return;
        }
        alignas(64) Acc buffer[piece_size<Acc>];
        for (std::size_t i = 0; i < count; i += piece_size<Acc>) {
            const std::size_t piece = std::min(piece_size<Acc>, count - i);
            in_.load(in_, memory_, at(first + i, piece), piece, buffer);
            body(buffer, piece);
        }
    }
    template <class P>
    [[nodiscard]] P* front(P* lowest, std::size_t count) const {
        return backwards_ ? lowest + (count - 1) : lowest;
    }

    const operation<Acc, Exact>& op_;
    const typename operation<Acc, Exact>::kernel_table& kernels_;
    const memory_kernels& memory_;
    source<Acc> in_;
    std::size_t n_;
    std::size_t lead_;  // bytes; 0: nothing is asked for ahead
    bool backwards_;
};

template <class Acc, bool Exact>
Acc run_reduce(const operation<Acc, Exact>& op, executor& ex, const source<Acc>& in, std::size_t n,
               const std::optional<Acc>& initial) {
    const sequence_tiles<Acc, Exact> sequence(op, ex, in, n);
    const auto total_of = [&](std::size_t tile) {
        return sequence.fold(tile * core::tile_size, core::tile_size);
    };
    tile_fold<Acc, Exact> fold(op, initial.value_or(op.identity));
    const tile_shares shares = tile_shares::plan(ex, n, std::max(in.element_size, sizeof(Acc)), 1);
    if (shares.helpers == 0) {
        for (std::size_t tile = 0; tile < shares.tiles; ++tile) fold.push(total_of(tile));
    } else {
        const std::unique_ptr<Acc[]> totals(new Acc[shares.tiles]);
        for_each_task(ex, shares.helpers, shares.tasks(), [&](std::size_t task) {
            for (std::size_t tile = shares.first(task); tile < shares.end(task); ++tile)
                totals[tile] = total_of(tile);
        });
        for (std::size_t tile = 0; tile < shares.tiles; ++tile) fold.push(totals[tile]);
    }
    return sequence.finish(fold, shares.tiles);
}

}  // namespace upsweep::cpu
