// The warps of the look-ahead scan that fold: runs, rows and tiles of the units in the ring, and the totals
// of all tiles to their left.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/bytes.cuh"
#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_totals : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::lane, ring::shared, ring::control, ring::stage, ring::valid_rows, ring::view;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::cursor,
        typename ring::unit_view, typename ring::direction;
    using bytes = packed_bytes<Op, std::is_signed_v<Acc>>;

    published<Acc> tile_totals;
    published<Acc> row_totals;

    template <bool Plain, bool Aligned, direction Way>
    __device__ __forceinline__ void sum_runs(int s, const unit_view& seen, int warp) const {
        const bool reverse = this->template reversed<Way>();
        const combiner<Acc, Op> combine{arguments.op, reverse};
        const run_totals<Acc> totals{stage(s) + shape::totals_at};
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k;
            if (Plain || row < seen.rows) {
                if constexpr (shape::by_element) {
                    Acc total = this->element(s, seen, row, 0, reverse);
#pragma unroll 1
                    for (int m = 1; m < Types::items; ++m)
                        total = combine(total, this->element(s, seen, row, m, reverse));
                    totals.store(row, lane, total);
                    continue;
                }
                const auto raw = this->template read<Plain, Aligned>(s, seen, row, reverse);
                if constexpr (packs_bytes<Types>) {
                    totals.store(row, lane, static_cast<Acc>(bytes::fold(raw.words)));
                } else {
                    Acc x[Types::items];
                    load_accumulators<typename Types::Total>(raw, arguments.load, reverse, x);
                    totals.store(row, lane, fold_run(combine, x));
                }
            }
        }
    }

    __device__ void sum(int warp) const {
        const auto combine = arguments.combine();
        cursor at;
        for (unsigned round = 0;; ++round, at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const unit_view seen = view(s);
            if (seen.unit < 0) return;
            if (shape::by_element)
                sum_runs<false, false, direction::either>(s, seen, warp);
            else if (seen.plain && seen.aligned && !arguments.reverse)
                sum_runs<true, true, direction::forward>(s, seen, warp);
            else if (seen.plain && seen.aligned)
                sum_runs<true, true, direction::backward>(s, seen, warp);
            else if (seen.plain && !arguments.reverse)
                sum_runs<true, false, direction::forward>(s, seen, warp);
            else if (seen.plain)
                sum_runs<true, false, direction::backward>(s, seen, warp);
            else
                sum_runs<false, false, direction::either>(s, seen, warp);
            __syncwarp();
            if (lane == 0) own.summed.arrive();
#pragma unroll
            for (int t = 0; t < shape::tiles; ++t) {
                if ((round * shape::tiles + t) % shape::warps != unsigned(warp)) continue;
                own.summed.wait(at.phase);
                fold_tile(combine, s, seen.unit, t, seen.rows, own.tag);
                __syncwarp();
                if (lane == 0) (shape::parts > 1 ? own.summed_rows : own.folded).arrive();
            }
        }
    }

    // Rows [32 t, 32 t + 32) of a unit, or all of it where it is a part of a tile.
    __device__ __forceinline__ void fold_tile(const combiner<Acc, Op>& combine, int s, std::int64_t unit,
                                              int t, int rows, std::uint32_t tag) const {
        const run_totals<Acc> totals{stage(s) + shape::totals_at};
        const int row = t * 32 + lane;
        const bool exists = lane < shape::fold_rows && row < rows;
        Acc total{};
        if (exists) total = fold_runs(combine, totals, row);
        if constexpr (shape::parts > 1) {
            if (exists) {
                row_totals.publish(std::uint64_t(unit) * shape::rows + row, total, tag);
                this->template at<Acc>(s, shape::row_folds_at)[row] = total;
            }
        } else {
            if (rows <= t * 32) return;
            // Lanes without a row take another's value, so that operators meet no values but the scan's.
            const Acc fold = fold_lanes(combine, shuffle(total, exists ? lane : 0), lane);
            if (exists) this->template at<Acc>(s, shape::row_folds_at)[row] = fold;
            // The total of a part-filled tile is nobody's left part.
            if (lane == 31 && exists) {
                this->template at<Acc>(s, shape::tile_totals_at)[t] = fold;
                tile_totals.publish(std::uint64_t(unit) * shape::tiles + t, fold, tag);
            }
        }
    }

    // Where units are parts of tiles: with the rows in earlier units, a unit's row totals become folds of the
    // tile's rows up to each, and the last part's block publishes the tile's total. The fold of the rows
    // before the part goes to the slot of the tile's total, which has no other use here. One warp for all
    // units, so that those that sum never wait for another block.
    __device__ void join_parts_of_tiles() const {
        if constexpr (shape::parts > 1) {
            const auto combine = arguments.combine();
            cursor at;
            for (;; at.advance()) {
                const int s = at.stage;
                stage_state& own = control(s);
                own.full.wait(at.phase);
                const std::int64_t unit = own.unit;
                if (unit < 0) return;
                const int rows = valid_rows(unit);
                const std::int64_t tile = unit / shape::parts;
                const int part = int(unit % shape::parts);
                const int earlier = part * shape::rows;
                Acc fold{};
                if (earlier > 0) {
                    read_row_totals(std::uint64_t(tile) * 32, earlier, own.tag);
                    fold = fold_line(combine, scratch(), shape::total_lines, earlier);
                }
                own.summed_rows.wait(at.phase);
                Acc* const row_folds = this->template at<Acc>(s, shape::row_folds_at);
                if (earlier > 0 && lane == 0) *this->template at<Acc>(s, shape::tile_totals_at) = fold;
                Acc mine{};
#pragma unroll 1
                for (int r = 0; r < rows; ++r) {
                    fold = combine.join(r > 0 || earlier > 0, fold, row_folds[r]);
                    if (r == lane) mine = fold;
                }
                if (part == shape::parts - 1 && rows == shape::rows && lane == 0)
                    tile_totals.publish(tile, fold, own.tag);
                __syncwarp();
                if (lane < rows) row_folds[lane] = mine;
                __syncwarp();
                if (lane == 0) own.folded.arrive();
            }
        }
    }

    __device__ __forceinline__ run_totals<Acc> scratch() const { return {shared + shape::scratch_at}; }

    // Waits for the totals of `count` rows from `first` on, at most 32, and puts them into the line of
    // scratch.
    __device__ __forceinline__ void read_row_totals(std::uint64_t first, int count, std::uint32_t tag) const {
        typename published<Acc>::template pending<1> got;
        do {
            row_totals.start_reading(first + (lane < count ? lane : 0), got);
        } while (!__all_sync(0xffffffffu, got.complete(tag)));
        __syncwarp();
        if (lane < count) scratch().store(shape::total_lines, lane, got.value());
        __syncwarp();
    }

    // Folds of the totals of neighbouring supers from `first` on, `count` tiles of each: `lanes_per_super`
    // lanes a super, of which each reads its part of the totals and the last has the fold. `count` is the
    // same in a super's lanes; it may be 0.
    __device__ __forceinline__ Acc fold_supers(const combiner<Acc, Op>& combine, std::int64_t first,
                                               int count, std::uint32_t tag) const {
        constexpr int lanes = shape::lanes_per_super, tiles = 32 / lanes;
        const int part = lane % lanes;
        const int wanted = count - part * tiles < tiles ? count - part * tiles : tiles;
        typename published<Acc>::template pending<tiles> got;
        bool missing = wanted > 0;
        // Most are there at once. Only those that are not are read again: this block's polling would delay
        // the others' data.
        while (__any_sync(0xffffffffu, missing)) {
            if (missing) {
                tile_totals.start_reading(std::uint64_t(first + lane / lanes) * 32 + part * tiles, got);
                missing = !got.complete(tag, wanted);
            }
        }
        Acc x[tiles];
#pragma unroll
        for (int j = 0; j < tiles; ++j) {
            x[j] = got.value(j);
            if constexpr (is_neutral<Op, Acc>)
                if (j >= wanted) x[j] = combine.identity();
        }
        Acc fold{};
        if constexpr (is_neutral<Op, Acc>) fold = combine.identity();
#pragma unroll
        for (int p = 0; p < lanes; ++p) {
            Acc sum = fold;
            if (p > 0) sum = shuffle(fold, lane - 1);
            if (p != part) continue;
#pragma unroll
            for (int j = 0; j < tiles; ++j) {
                if constexpr (is_neutral<Op, Acc>)
                    sum = combine(sum, x[j]);
                else if (j < wanted)
                    sum = j + p > 0 ? combine(sum, x[j]) : x[0];
            }
            fold = sum;
        }
        return fold;
    }

    // The same through shared memory, a super a lane. Lanes with nothing to fold have anything.
    __device__ __forceinline__ Acc fold_lines(const combiner<Acc, Op>& combine, std::int64_t first, int whole,
                                              int tiles_before, std::uint32_t tag) const {
        constexpr int lines = shape::supers_at_once;
        typename published<Acc>::template pending<1> got[lines];
        unsigned missing = 0;
#pragma unroll
        for (int u = 0; u < lines; ++u)
            missing |= unsigned(u < whole || (u == whole && lane < tiles_before)) << u;
        while (__any_sync(0xffffffffu, missing != 0)) {
#pragma unroll
            for (int u = 0; u < lines; ++u)
                tile_totals.start_reading_if((missing >> u & 1) != 0, std::uint64_t(first + u) * 32 + lane,
                                             got[u]);
#pragma unroll
            for (int u = 0; u < lines; ++u)
                if ((missing >> u & 1) != 0 && got[u].complete(tag)) {
                    missing &= ~(1u << u);
                    scratch().store(u, lane, got[u].value());
                }
        }
        __syncwarp();
        const int count = lane < whole ? 32 : lane == whole ? tiles_before : 0;
        Acc fold{};
        if (lane < lines && count > 0) fold = fold_line(combine, scratch(), lane, count);
        __syncwarp();
        return fold;
    }

    __device__ void look_ahead() const {
        const auto combine = arguments.combine();
        constexpr int lanes = shape::lanes_per_super, at_once = shape::supers_at_once;
        bool has_supers = arguments.has_initial;
        Acc supers{};
        if (has_supers) supers = arguments.initial_value();
        std::int64_t done = 0;  // supers folded into `supers`
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const std::int64_t unit = own.unit;
            if (unit < 0) return;
            const int rows = valid_rows(unit);
            const std::int64_t tile = shape::parts > 1 ? unit / shape::parts : unit * shape::tiles;
            const std::int64_t super = tile / 32;
            const int tiles_before = int(tile % 32);
            Acc tiles{};
            while (done < super || tiles_before > 0) {
                const int whole = super - done < at_once ? int(super - done) : at_once;
                Acc fold;
                if constexpr (shape::reads_lines) {
                    fold = fold_lines(combine, done, whole, tiles_before, own.tag);
                } else {
                    const int mine = lane / lanes;
                    fold = fold_supers(combine, done,
                                       mine < whole    ? 32
                                       : mine == whole ? tiles_before
                                                       : 0,
                                       own.tag);
                }
#pragma unroll 4
                for (int u = 0; u < whole; ++u) {
                    supers = combine.join(has_supers, supers, shuffle(fold, u * lanes + lanes - 1));
                    has_supers = true;
                }
                done += whole;
                if (whole < at_once) {
                    tiles = shuffle(fold, whole * lanes + lanes - 1);
                    break;
                }
            }

            own.folded.wait(at.phase);
            if (lane == 0) {
                if (has_supers) *this->template at<Acc>(s, shape::super_part_at) = supers;
                Acc* const parts = this->template at<Acc>(s, shape::tile_parts_at);
                const Acc* const totals = this->template at<Acc>(s, shape::tile_totals_at);
                if (tiles_before > 0) parts[0] = tiles;
#pragma unroll
                for (int t = 1; t < shape::tiles; ++t) {
                    if (t * 32 >= rows) break;
                    tiles = combine.join(tiles_before + t > 1, tiles, totals[t - 1]);
                    parts[t] = tiles;
                }
                own.located.arrive();
            }
            __syncwarp();
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
