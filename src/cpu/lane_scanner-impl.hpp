// Lanes: sequences of which neighbours lie side by side in memory. Scanned a vector of lanes at a time where
// they lie, or by way of a buffer of rows; lanes too few for a vector are scanned as lines.
#pragma once

#include <algorithm>

#include "src/cpu/lane_staging-impl.hpp"

namespace upsweep::cpu {

// The state of lanes between rows, as kernels have it. For an exact operator `supers` is the running value.
// It has no other.
template <class Acc, bool Exact>
struct lane_arrays {
    Acc* supers;
    Acc* tiles;
    Acc* rows;

    [[nodiscard]] lane_arrays from(std::size_t lane) const {
        if constexpr (Exact)
            return {supers + lane, nullptr, nullptr};
        else
            return {supers + lane, tiles + lane, rows + lane};
    }
};

// The same for at most `capacity` lanes.
template <class Acc, bool Exact, std::size_t capacity>
struct lane_state {
    alignas(64) Acc supers[capacity];
    alignas(64) Acc tiles[Exact ? 1 : capacity];
    alignas(64) Acc rows[Exact ? 1 : capacity];
    std::size_t lanes;
    std::size_t tile_count = 0;

    lane_state(std::size_t count, Acc start, Acc identity) : lanes(count) {
        std::fill_n(supers, lanes, start);
        if constexpr (!Exact) {
            std::fill_n(tiles, lanes, identity);
            std::fill_n(rows, lanes, identity);
        }
    }
    lane_state(const lane_state& other) { *this = other; }
    lane_state& operator=(const lane_state& other) {
        if (this == &other) return *this;
        lanes = other.lanes;
        tile_count = other.tile_count;
        std::copy_n(other.supers, lanes, supers);
        if constexpr (!Exact) {
            std::copy_n(other.tiles, lanes, tiles);
            std::copy_n(other.rows, lanes, rows);
        }
        return *this;
    }

    lane_arrays<Acc, Exact> arrays() { return {supers, tiles, rows}; }
    // After elements up to `position`: appends the tile that is complete there, if one is. Its totals are in
    // `rows`, which starts afresh.
    void pass(const operation<Acc, Exact>& op, std::size_t position) {
        if constexpr (!Exact) {
            if (position % core::tile_size != 0) return;
            op.combine_all(tiles, rows, lanes);
            std::fill_n(rows, lanes, op.identity);
            if (++tile_count % core::tiles_per_super != 0) return;
            op.combine_all(supers, tiles, lanes);
            std::fill_n(tiles, lanes, op.identity);
        }
    }
};

// The executor's level, or one of narrower vectors if there are not enough lanes for its own. Vectors of
// fewer than 32 bytes and eight lanes are slower than lines.
template <class Acc, bool Exact>
simd_level level_for_lanes(const operation<Acc, Exact>& op, simd_level level, std::size_t lanes) {
    const auto enough_for = [&](simd_level other) { return op.kernels(other).least_lanes <= lanes; };
    const auto has_vectors = [&](simd_level other) { return op.kernels(other).least_lanes > 1; };
    if (enough_for(level)) return level;
    for (const simd_level narrower : {simd_level::avx2, simd_level::sse4}) {
        if (narrower == simd_level::sse4 && sizeof(Acc) > 2) break;
        if (narrower < level && has_vectors(narrower) && enough_for(narrower)) return narrower;
    }
    return level;
}

template <class Acc, bool Exact>
class lane_scanner {
  public:
    using kernel_table = typename operation<Acc, Exact>::kernel_table;

    // As lane_staging.
    lane_scanner(const operation<Acc, Exact>& how, simd_level level, const source<Acc>& in,
                 const sink<Acc>& out, const axis_geometry& geometry, bool exclusive,
                 const lane_traffic& traffic)
        : op(how), staging(level, in, out, geometry, exclusive, traffic), kernels_(how.kernels(level)) {}

    const operation<Acc, Exact>& op;
    const lane_staging<Acc> staging;

    // Scans elements [first, first + count), which begin at a row and do not pass the end of its tile.
    void scan(const lane_range& range, std::size_t first, std::size_t count,
              const lane_arrays<Acc, Exact>& state) const {
        if (range.lanes < kernels_.least_lanes) return scan_few(range, first, count, state);
        run_array runs(range.lanes, op.identity);
        if (staging.direct(range))
            scan_block(kernels_, staging.block_of(range, first, count), 0, state, runs.values);
        else
            scan_buffered(range, first, count, state, runs.values);
    }
    // Advances totals[lane] over whole rows within a tile.
    void fold(const lane_range& range, std::size_t first, std::size_t count, Acc* totals) const {
        if (range.lanes < kernels_.least_lanes) return fold_few(range, first, count, totals);
        run_array runs(range.lanes, op.identity);
        fold_runs(range, first, count, totals, runs.values);
    }

    // The elements of sequences behind their last whole tile: state.supers[lane] becomes the fold of
    // everything.
    void fold_last(const lane_range& range, std::size_t first, std::size_t count,
                   const lane_arrays<Acc, Exact>& state) const {
        if constexpr (Exact) {
            fold(range, first, count, state.supers);
        } else {
            const bool few = range.lanes < kernels_.least_lanes;
            const std::size_t rest = count % (few ? core::row_size : core::run_size);
            run_array runs(range.lanes, op.identity);
            if (few)
                fold_few(range, first, count - rest, state.rows);
            else
                fold_runs(range, first, count - rest, state.rows, runs.values);
            if (rest == 0) {
                op.combine_all(state.rows, runs.values, range.lanes);
                op.combine_all(state.tiles, state.rows, range.lanes);
                op.combine_all(state.supers, state.tiles, range.lanes);
            } else if (few) {
                scan_last_of_few(range, first + count - rest, rest, state);
            } else {
                scan_last(range, first + count - rest, rest, state, runs.values);
            }
        }
    }

    // `done`: how many elements of their row come before the block's, whose runs fold to `runs`.
    static void scan_block(const kernel_table& kernels, const lane_block<Acc>& block, std::size_t done,
                           const lane_arrays<Acc, Exact>& state, Acc* runs) {
        if constexpr (Exact)
            kernels.scan_lanes(block, state.supers);
        else
            kernels.scan_lanes(block, done, state.supers, state.tiles, state.rows, runs);
    }

  private:
    // What stands to the left of an element in its row, for every lane, while rows are scanned; exact
    // operators do without.
    struct run_array {
        alignas(64) Acc values[most_lanes<Acc>];

        run_array(std::size_t lanes, Acc identity) {
            if constexpr (!Exact) std::fill_n(values, lanes, identity);
        }
    };

    // Whole runs from a row on; `runs` becomes the fold of those that do not fill a row.
    void fold_runs(const lane_range& range, std::size_t first, std::size_t count, Acc* totals,
                   Acc* runs) const {
        if (staging.plain_input())
            fold_block(staging.input_of(range, first, count), 0, totals, runs);
        else
            fold_buffered(range, first, count, totals, runs);
    }
    // What is left of a run, or of a row. S of lanes that are done is overwritten, and no longer asked for.
    void scan_last(const lane_range& range, std::size_t first, std::size_t count,
                   const lane_arrays<Acc, Exact>& state, Acc* runs) const {
        alignas(64) Acc rows[lane_staging<Acc>::rows_size];
        for_each_piece(range, first, count,
                       [&](std::size_t lane, std::size_t lanes, std::size_t from, std::size_t length) {
                           const auto block = staging.load_rows(range.part(lane, lanes), from, length, rows);
                           scan_block(kernels_, block, from % core::row_size, state.from(lane), runs + lane);
                           std::copy_n(rows + (length - 1) * lanes, lanes, state.supers + lane);
                       });
    }
    void scan_last_of_few(const lane_range& range, std::size_t first, std::size_t count,
                          const lane_arrays<Acc, Exact>& state) const {
        alignas(64) Acc lines[cache_line<Acc> * core::row_size];
        staging.load_lines(range, first, count, lines);
        const scan_pass pass{placement::cached, false, staging.backwards()};
        for (std::size_t lane = 0; lane < range.lanes; ++lane) {
            Acc* line = staging.line_of(lines, lane, count);
            Acc& supers = state.supers[lane];
            kernels_.scan_rows(line, line, count, supers, state.tiles[lane], &state.rows[lane], pass,
                               &supers);
        }
    }

    void fold_block(const lane_block<Acc>& block, std::size_t done, Acc* totals, Acc* runs) const {
        if constexpr (Exact)
            kernels_.fold_lanes(block, totals);
        else
            kernels_.fold_lanes(block, done, totals, runs);
    }

    // body(lane, count of lanes, first element, count) for a buffer's worth at a time.
    template <class Body>
    static void for_each_piece(const lane_range& range, std::size_t first, std::size_t count,
                               const Body& body) {
        using staging = lane_staging<Acc>;
        const lane_parts<Acc> parts(range.lanes, staging::rows_lanes);
        const std::size_t widest = std::min(range.lanes, staging::rows_lanes + cache_line<Acc>);
        const std::size_t step = staging::rows_size / widest / core::run_size * core::run_size;
        for (std::size_t i = 0; i < count; i += step) {
            for (std::size_t part = 0; part < parts.count(); ++part)
                body(parts.first(part), parts.lanes(part), first + i, std::min(step, count - i));
        }
    }
    void scan_buffered(const lane_range& range, std::size_t first, std::size_t count,
                       const lane_arrays<Acc, Exact>& state, Acc* runs) const {
        alignas(64) Acc rows[lane_staging<Acc>::rows_size];
        for_each_piece(range, first, count,
                       [&](std::size_t lane, std::size_t lanes, std::size_t from, std::size_t length) {
                           const lane_range part = range.part(lane, lanes);
                           const lane_block<Acc> block = staging.load_rows(part, from, length, rows);
                           staging.ask_for_next(part, from + length, length);
                           scan_block(kernels_, block, from % core::row_size, state.from(lane), runs + lane);
                           staging.store_rows(part, from, length, rows);
                       });
    }
    void fold_buffered(const lane_range& range, std::size_t first, std::size_t count, Acc* totals,
                       Acc* runs) const {
        alignas(64) Acc rows[lane_staging<Acc>::rows_size];
        for_each_piece(range, first, count,
                       [&](std::size_t lane, std::size_t lanes, std::size_t from, std::size_t length) {
                           fold_block(staging.load_rows(range.part(lane, lanes), from, length, rows),
                                      from % core::row_size, totals + lane, runs + lane);
                       });
    }

    void scan_few(const lane_range& range, std::size_t first, std::size_t count,
                  const lane_arrays<Acc, Exact>& state) const {
        alignas(64) Acc lines[lane_staging<Acc>::lines_size];
        const std::size_t step = staging.line_length(range.lanes);
        const scan_pass pass{placement::cached, staging.exclusive(), staging.backwards()};
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t piece = std::min(step, count - i);
            staging.load_lines(range, first + i, piece, lines);
            for (std::size_t lane = 0; lane < range.lanes; ++lane) {
                Acc* line = staging.line_of(lines, lane, piece);
                if constexpr (Exact) {
                    state.supers[lane] = kernels_.scan(line, line, piece, state.supers[lane], pass);
                } else {
                    kernels_.scan_rows(line, line, piece, state.supers[lane], state.tiles[lane],
                                       &state.rows[lane], pass, nullptr);
                }
            }
            staging.store_lines(range, first + i, piece, lines);
        }
    }
    void fold_few(const lane_range& range, std::size_t first, std::size_t count, Acc* totals) const {
        alignas(64) Acc lines[lane_staging<Acc>::lines_size];
        const std::size_t step = staging.line_length(range.lanes);
        for (std::size_t i = 0; i < count; i += step) {
            const std::size_t piece = std::min(step, count - i);
            staging.load_lines(range, first + i, piece, lines);
            for (std::size_t lane = 0; lane < range.lanes; ++lane) {
                if constexpr (Exact) {
                    totals[lane] = kernels_.fold(lines + lane * piece, piece, totals[lane]);
                } else {
                    kernels_.fold_rows(staging.line_of(lines, lane, piece), piece, &totals[lane],
                                       {staging.backwards()});
                }
            }
        }
    }

    const kernel_table& kernels_;
};

}  // namespace upsweep::cpu
