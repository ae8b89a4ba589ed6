// The warps of the look-ahead scan that fold runs, rows and tiles of the units in the ring.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/bytes.cuh"
#include "upsweep/cuda/choosing.cuh"
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

    static constexpr int tiles_at_once = folds_in_loops<Acc> ? 1 : shape::tiles;
    // What is chosen is packed only when rows are folded.
    static constexpr surroundings around = Types::chooses ? surroundings::readable : ring::usual;

    template <bool Plain, bool Aligned, direction Way>
    __device__ __forceinline__ void sum_runs(int s, const unit_view& seen, int warp) const {
        const bool reverse = this->template reversed<Way>();
        const auto combine = arguments.combine(reverse);
        const typename Types::tile_runs totals{stage(s) + shape::totals_at};
#pragma unroll
        for (int k = 0; k < shape::rows_per_warp; ++k) {
            const int row = warp * shape::rows_per_warp + k;
            if (Plain || row < seen.rows) {
                if constexpr (Types::chooses) {
                    totals.store(row, lane, count_run<Plain, Aligned>(s, seen, row));
                    continue;
                }
                if constexpr (shape::by_element) {
                    Acc total = this->element(s, seen, row, 0, reverse);
#pragma unroll 1
                    for (int m = 1; m < Types::items; ++m)
                        total = combine(total, this->element(s, seen, row, m, reverse));
                    totals.store(row, lane, total);
                    continue;
                }
                const auto raw = this->template read<Plain, Aligned, around>(s, seen, row, reverse);
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

    template <bool Plain>
    __device__ __forceinline__ int valid_of_lane(const unit_view& seen, int row) const {
        return Plain ? Types::items
                     : valid_of_run<Types>(this->valid_items(seen.unit) - row * Types::row, lane);
    }
    // How many elements of a lane's run are chosen, of those that exist.
    template <bool Plain, bool Aligned>
    __device__ __forceinline__ Acc count_run(int s, const unit_view& seen, int row) const {
        const int valid = valid_of_lane<Plain>(seen, row);
        if constexpr (shape::by_element) {
            Acc count = 0;
#pragma unroll 1
            for (int m = 0; m < valid; ++m) count += this->element(s, seen, row, m, false);
            return count;
        } else {
            const unsigned bits = chosen_bits<Types>(
                this->template read<Plain, Aligned, around>(s, seen, row, false), arguments.load, valid);
            if constexpr (shape::shares_choices)
                this->run_bits(s)[row * 32 + lane] = static_cast<typename shape::run_bits>(bits);
            return Acc(__popc(bits));
        }
    }

    // The same where the elements tell which of them are heads: finds these and counts them.
    template <bool Plain, bool Aligned>
    __device__ __forceinline__ void find_heads(int s, const unit_view& seen, int warp) const {
        const typename Types::tile_runs totals{stage(s) + shape::totals_at};
        const unit_neighbour before = before_unit(seen, warp);
        // The unit's first row last: what is before it is still on its way.
#pragma unroll
        for (int k = shape::rows_per_warp - 1; k >= 0; --k) {
            const int row = warp * shape::rows_per_warp + k;
            if (Plain || row < seen.rows)
                totals.store(row, lane, count_heads<Plain, Aligned>(s, seen, row, before));
        }
    }
    // The element before a unit's first one, in lane 0 of the warp that has its first row; else anything.
    using In0 = typename Types::template In<0>;
    using unit_neighbour = word_array<words_for<sizeof(In0)>>;
    __device__ __forceinline__ unit_neighbour before_unit(const unit_view& seen, int warp) const {
        unit_neighbour before{};
        const std::uint64_t first = this->first_item(seen.unit);
        if (warp == 0 && lane == 0 && (first != 0 || arguments.heads.continues))
            before = to_words(arguments.heads.array[std::int64_t(first) - 1]);
        return before;
    }
    // Finds which elements of a lane's run are heads, of those that exist. Returns how many are.
    template <bool Plain, bool Aligned>
    __device__ __forceinline__ Acc count_heads(int s, const unit_view& seen, int row,
                                               const unit_neighbour& before) const {
        constexpr int items = Types::items;
        const int valid = valid_of_lane<Plain>(seen, row);
        const auto raw = this->template read<Plain, Aligned, around>(s, seen, row, false);
        const auto own = [&](int m) { return unpack<In0>(raw.arrays().words, m); };
        In0 previous = shuffle_up(own(items - 1), 1);
        bool is_first = false;  // of the array
        if (lane == 0 && row > 0) {
            const char* const begin = stage(s) + shape::input_at(0) + seen.shift[0];
            previous =
                load_element<In0>(begin + (row * Types::row - 1) * int(sizeof(In0)), seen.aligned, lane);
        } else if (lane == 0) {
            is_first = seen.unit == 0 && !arguments.heads.continues;
            previous = is_first ? own(0) : from_words<In0>(before);
        }
        unsigned bits = is_first ? 1 : 0;
#pragma unroll
        for (int m = 0; m < items; ++m)
            if (m < valid && arguments.heads.begins_between(m > 0 ? own(m - 1) : previous, own(m)))
                bits |= 1u << m;
        this->run_bits(s)[row * 32 + lane] = static_cast<typename shape::run_bits>(bits);
        return Acc(__popc(bits));
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
            // What is chosen is never taken from the other end: no code is made for that.
            const bool reverse = !Types::chooses && arguments.reverse;
            if constexpr (shape::finds_heads) {
                if (seen.plain && seen.aligned)
                    find_heads<true, true>(s, seen, warp);
                else if (seen.plain)
                    find_heads<true, false>(s, seen, warp);
                else
                    find_heads<false, false>(s, seen, warp);
            } else if (shape::by_element)
                sum_runs<false, false, direction::either>(s, seen, warp);
            else if (seen.plain && seen.aligned && !reverse)
                sum_runs<true, true, direction::forward>(s, seen, warp);
            else if (seen.plain && seen.aligned && reverse)
                sum_runs<true, true, direction::backward>(s, seen, warp);
            else if (seen.plain && !reverse)
                sum_runs<true, false, direction::forward>(s, seen, warp);
            else if (seen.plain && reverse)
                sum_runs<true, false, direction::backward>(s, seen, warp);
            else
                sum_runs<false, false, direction::either>(s, seen, warp);
            own.summed.arrive_by_warp(lane);
#pragma unroll(tiles_at_once)
            for (int t = 0; t < shape::tiles; ++t) {
                if ((round * shape::tiles + t) % shape::warps != unsigned(warp)) continue;
                own.summed.wait(at.phase);
                fold_tile(combine, s, seen.unit, t, seen.rows, own.tag);
                (shape::parts > 1 ? own.summed_rows : own.folded).arrive_by_warp(lane);
            }
        }
    }

    // Rows [32 t, 32 t + 32) of a unit, or all of it where it is a part of a tile.
    __device__ __forceinline__ void fold_tile(const combiner<Acc, Op>& combine, int s, std::int64_t unit,
                                              int t, int rows, std::uint32_t tag) const {
        const typename Types::tile_runs totals{stage(s) + shape::totals_at};
        const published<Acc> line_rows = this->rows_of_line(row_totals, s);
        const published<Acc> line_tiles = this->tiles_of_line(tile_totals, s);
        const int row = t * 32 + lane;
        const bool exists = lane < shape::fold_rows && row < rows;
        Acc total{};
        if (exists) total = fold_runs(combine, totals, row);
        if constexpr (shape::parts > 1) {
            if (exists) {
                line_rows.publish(std::uint64_t(unit) * shape::rows + row, total, tag);
                this->template at<Acc>(s, shape::row_folds_at)[row] = total;
            }
        } else {
            if (rows <= t * 32) {
                if (Types::chooses && lane == 0)
                    line_tiles.publish(std::uint64_t(unit) * shape::tiles + t, Acc{}, tag);
                return;
            }
            // Lanes without a row take another's value, so that operators meet no values but the scan's.
            const Acc fold = fold_lanes(combine, shuffle(total, exists ? lane : 0), lane);
            if (exists) this->template at<Acc>(s, shape::row_folds_at)[row] = fold;
            // The total of a part-filled tile is nobody's left part; partitions count all.
            const int last = Types::chooses && rows < t * 32 + 32 ? rows - t * 32 - 1 : 31;
            if (lane == last && exists) {
                this->template at<Acc>(s, shape::tile_totals_at)[t] = fold;
                line_tiles.publish(std::uint64_t(unit) * shape::tiles + t, fold, tag);
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
            const run_totals<Acc> line{shared + shape::scratch_at +
                                       shape::look_ahead_lines * run_totals<Acc>::line};
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
                    read_line(this->rows_of_line(row_totals, s), std::uint64_t(tile) * 32, earlier, own.tag,
                              line, lane);
                    fold = fold_line(combine, line, 0, earlier);
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
                const bool whole = part == shape::parts - 1 && rows == shape::rows;
                const bool last = std::uint64_t(unit) + 1 == shape::units(this->n);
                if ((whole || (Types::chooses && last)) && lane == 0)
                    this->tiles_of_line(tile_totals, s).publish(tile, fold, own.tag);
                __syncwarp();
                if (lane < rows) row_folds[lane] = mine;
                own.folded.arrive_by_warp(lane);
            }
        }
    }
};

}  // namespace upsweep::cuda::detail

#endif
