// The warps of the look-ahead scan that find what stands to the left of each unit: the totals of all tiles
// before it, folded in the order of the tree.
#pragma once

#include <cstdint>

#include "upsweep/cuda/look_ahead_ring.cuh"
#include "upsweep/cuda/runs.cuh"
#include "upsweep/cuda/tile_state.cuh"

#if __CUDA_ARCH__ >= 900

namespace upsweep::cuda::detail {

template <class Types>
struct look_ahead_left : look_ahead_ring<Types> {
    using ring = look_ahead_ring<Types>;
    using ring::arguments, ring::lane, ring::shared, ring::control, ring::valid_rows;
    using typename ring::shape, typename ring::Acc, typename ring::Op, typename ring::cursor;
    using totals_of_runs = run_totals<Acc>;

    published<Acc> tile_totals;

    // The first tile of a unit, or the one that it is a part of.
    __device__ __forceinline__ static std::int64_t tile_of(std::int64_t unit) {
        return shape::parts > 1 ? unit / shape::parts : unit * shape::tiles;
    }

    // The folds of neighbouring supers from `first` on, `whole` of them, a super a lane; and, if there is
    // room, that of the first `tiles_before` tiles of the next. Lanes beyond have anything.
    __device__ __forceinline__ Acc fold_supers(const combiner<Acc, Op>& combine, const published<Acc>& totals,
                                               totals_of_runs line, std::int64_t first, int whole,
                                               int tiles_before, std::uint32_t tag) const {
        constexpr int lines = shape::supers_at_once;
        const int used = whole < lines && tiles_before > 0 ? whole + 1 : whole;
        typename published<Acc>::template pending<1> got[lines];
        unsigned missing = 0;
#pragma unroll
        for (int u = 0; u < lines; ++u)
            missing |= unsigned(u < whole || (u == whole && lane < tiles_before)) << u;
        for (;;) {
#pragma unroll
            for (int u = 0; u < lines; ++u)
                totals.start_reading_if((missing >> u & 1) != 0, std::uint64_t(first + u) * 32 + lane,
                                        got[u]);
#pragma unroll
            for (int u = 0; u < lines; ++u) {
                const bool wanted = (missing >> u & 1) != 0;
                bool complete = !wanted || got[u].complete(tag);
                // Measured: values of two words are better read again by whole lines.
                if constexpr (shape::words > 1) complete = __all_sync(0xffffffffu, complete);
                if (wanted && complete) {
                    missing &= ~(1u << u);
                    line.store(u, lane, got[u].value());
                }
            }
            if (!__any_sync(0xffffffffu, missing != 0)) break;
            pause_polling();
        }
        __syncwarp();
        if (used > whole) {
            // For tiles that the last line lacks stands the identity where it is neutral; else another's
            // value, so that operators meet no values but the scan's.
            Acc stand_in;
            if constexpr (is_neutral<Op, Acc>)
                stand_in = combine.identity();
            else
                stand_in = line.load(whole, 0);
            if (lane >= tiles_before) line.store(whole, lane, stand_in);
            __syncwarp();
        }
        const int own = lane < used ? lane : used - 1;
        const int last = lane == whole ? tiles_before - 1 : 31;
        constexpr int batch = fold_batch<Acc>;
        constexpr int batches_at_once = folds_in_loops<Acc> ? 1 : 32 / batch;
        Acc sum{}, fold{};
#pragma unroll(batches_at_once)
        for (int from = 0; from < 32; from += batch) {
            Acc x[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j) x[j] = line.load(own, from + j);
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                sum = from + j == 0 ? x[0] : combine(sum, x[j]);
                if (is_neutral<Op, Acc> || from + j == last) fold = sum;
            }
        }
        __syncwarp();
        return fold;
    }

    // Tells the warps that scan a unit what stands to the left of it and of its tiles.
    __device__ __forceinline__ void tell(const combiner<Acc, Op>& combine, int s, int rows, int tiles_before,
                                         bool has_supers, const Acc& supers, Acc tiles) const {
        stage_state& own = control(s);
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
        } else if (unsigned(lane) < phase_barrier::arriving_lanes) {
            own.located.arrive();
        }
        __syncwarp();
    }

    // The block's units in turn, each warp its own. A warp has the totals in hand before it asks what stood
    // to the left of the block's previous unit, which may be another warp's.
    __device__ void look_ahead(int turn) const {
        constexpr int turns = shape::look_ahead_warps, at_once = shape::supers_at_once;
        const auto combine = arguments.combine();
        const totals_of_runs line{shared + shape::scratch_at + turn * at_once * totals_of_runs::line};
        cursor before{shape::stages - 1, 1}, at;
        const auto advance = [&] {
            before.advance();
            at.advance();
        };
        for (int k = 0; k < turn; ++k) advance();
        for (;;) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const std::int64_t unit = own.unit, previous = own.previous;
            if (unit < 0) return;
            const published<Acc> totals = this->tiles_of_line(tile_totals, s);
            const std::int64_t super = tile_of(unit) / 32;
            const int tiles_before = int(tile_of(unit) % 32);
            std::int64_t done = previous < 0 ? 0 : tile_of(previous) / 32;  // supers folded into `supers`
            bool has_supers = arguments.has_initial || done > 0;
            bool knows_supers = false;
            Acc supers{}, tiles{};
            const auto read_supers = [&] {
                // Behind the end of a line too: no unit is located before the block's earlier ones, lest a
                // barrier be two phases ahead of who waits for it.
                if (Types::has_lines || previous >= 0) control(before.stage).located.wait(before.phase);
                if (has_supers)
                    supers = previous >= 0 ? *this->template at<Acc>(before.stage, shape::super_part_at)
                                           : arguments.initial_value();
                knows_supers = true;
            };
            while (done < super || tiles_before > 0) {
                const int whole = super - done < at_once ? int(super - done) : at_once;
                const Acc fold = fold_supers(combine, totals, line, done, whole, tiles_before, own.tag);
                if (!knows_supers) read_supers();
                int u = 0;
                if (!has_supers && whole > 0) {
                    supers = shuffle(fold, u++);
                    has_supers = true;
                }
                // Shuffles do not wait for each other.
#pragma unroll 1
                for (; u < whole; u += 4) {
                    Acc next[4];
#pragma unroll
                    for (int k = 0; k < 4; ++k) next[k] = shuffle(fold, u + k);
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        if (u + k < whole) supers = combine(supers, next[k]);
                }
                done += whole;
                if (whole < at_once) {
                    tiles = shuffle(fold, whole);
                    break;
                }
            }
            if (!knows_supers) read_supers();

            own.folded.wait(at.phase);
            tell(combine, s, valid_rows(unit), tiles_before, has_supers, supers, tiles);
            for (int k = 0; k < turns; ++k) advance();
        }
    }

    // The same by one warp that folds one total after the other: the fewest steps, for values that fill a
    // lane's registers.
    __device__ void look_ahead_in_order() const {
        static_assert(!Types::has_lines);
        const auto combine = arguments.combine();
        const totals_of_runs line{shared + shape::scratch_at};
        bool has_supers = arguments.has_initial;
        Acc supers{}, tiles{};
        if (has_supers) supers = arguments.initial_value();
        std::int64_t done = 0;  // tiles folded
        cursor at;
        for (;; at.advance()) {
            const int s = at.stage;
            stage_state& own = control(s);
            own.full.wait(at.phase);
            const std::int64_t unit = own.unit;
            if (unit < 0) return;
            const std::int64_t tile = tile_of(unit);
            while (done < tile) {
                const int begin = int(done % 32);
                const int count = tile - done < 32 - begin ? int(tile - done) : 32 - begin;
                read_line(tile_totals, std::uint64_t(done), count, own.tag, line, lane);
                int j = 0;
                if (begin == 0) tiles = line.load(0, j++);
#pragma unroll(sizeof(Acc) <= 16 ? 4 : 2)
                for (; j < count; ++j) tiles = combine(tiles, line.load(0, j));
                __syncwarp();
                done += count;
                if (done % 32 != 0) break;
                supers = combine.join(has_supers, supers, tiles);
                has_supers = true;
            }

            own.folded.wait(at.phase);
            tell(combine, s, valid_rows(unit), int(tile % 32), has_supers, supers, tiles);
        }
    }

    __device__ void run(int turn) const {
        if constexpr (shape::folds_in_order)
            look_ahead_in_order();
        else
            look_ahead(turn);
    }
};

}  // namespace upsweep::cuda::detail

#endif
